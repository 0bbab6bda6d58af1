"""The blocks of a stored run, read in one go before it continues.

SQLite and numpy do most of it: a run may hold a million games, and the user waits.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from joute.engines.garbage import uncollected

Numbers: TypeAlias = NDArray[np.int64]

CHUNK = 5_000  # rows that are read at a time
BLOCKS = "SELECT block, order_, opening_key, draw FROM games"
OTHERS = "SELECT block, seating, number, stage FROM games WHERE seating <> 0"
TWICE = "SELECT block FROM games WHERE seating = 0 GROUP BY block HAVING COUNT(*) > 1"


class Stored(NamedTuple):
    """The blocks of a stage that were stored, one at an index.

    `names`: their ids; `places`: in the schedule of the stage (-1: it has them no more); `keys` and
    `draws`: which opening they have (`opening_key`, `draw` of their games); `games`: how many.
    """

    names: list[str]
    places: Numbers
    keys: Numbers
    draws: Numbers
    games: Numbers


NOTHING = Stored([], *(np.zeros(0, np.int64) for _ in range(4)))


class Twice(Exception):
    """A game is stored twice."""

    def __init__(self, block: str, seating: int) -> None:
        super().__init__(f"it holds seating {seating} of block {block} twice")


class Held:
    """The games of a run. `played`: of each block, by id, its seatings as bits; `last`: the number of
    the last game.
    """

    def __init__(self) -> None:
        self.played: dict[str, int] = {}
        self.last = 0
        self._parts: dict[str, list[tuple[Sequence[str], Numbers]]] = defaultdict(list)

    @classmethod
    def of(cls, db: sqlite3.Connection) -> Held:
        """Read a database; raise Twice, or TypeError or ValueError for numbers that are none."""
        held = cls()
        with uncollected():
            for (stage,) in db.execute("SELECT DISTINCT stage FROM games").fetchall():
                held._read_first(db, stage)
            held._read_others(db)
        held.last = db.execute("SELECT MAX(number) FROM games").fetchone()[0] or 0
        return held

    def _read_first(self, db: sqlite3.Connection, stage: str) -> None:
        """Read the games of seating 0, one for each block."""
        rows = db.execute(f"{BLOCKS} WHERE seating = 0 AND stage = ?", (stage,))
        while chunk := rows.fetchmany(CHUNK):
            count = len(self.played) + len(chunk)
            self.played.update(dict.fromkeys(self._keep(stage, chunk), 1))
            if len(self.played) < count:
                raise Twice(db.execute(TWICE).fetchone()[0], 0)

    def _read_others(self, db: sqlite3.Connection) -> None:
        """Read the games of other seatings, and the few blocks that have none of seating 0."""
        played, late = self.played, []
        for block, seating, number, stage in db.execute(OTHERS):
            mask = played.get(block, 0)
            if mask >> seating & 1:
                raise Twice(block, seating)
            if not mask:
                late.append((stage, number))
            played[block] = mask | 1 << seating
        for stage, number in late:
            self._keep(stage, db.execute(f"{BLOCKS} WHERE number = ?", (number,)).fetchall())

    def _keep(self, stage: str, rows: list[tuple[Any, ...]]) -> tuple[str, ...]:
        """Store the known blocks; return their ids."""
        names, *numbers = zip(*rows, strict=True)
        self._parts[stage].append((names, np.array(numbers, np.int64)))
        return names

    def blocks(self, stage: str) -> Stored:
        """Hand over, once, the blocks of a stage that were read."""
        parts = self._parts.pop(stage, [])
        if not parts:
            return NOTHING
        names = [name for some, _ in parts for name in some]
        places, keys, draws = np.concatenate([some for _, some in parts], axis=1)
        games = np.fromiter((self.played[name].bit_count() for name in names), np.int64)
        return Stored(names, places, keys, draws, games)
