"""Repeated games: deterministic engines replay the same game, and a copy is not new evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Distinct:
    """Games of one pairing and how many of them differ."""

    pairing: str
    games: int
    distinct: int

    @property
    def repeats(self) -> int:
        """Games that repeat an earlier game of the pairing."""
        return self.games - self.distinct


def distinct_games(
    pairings: Sequence[str], pairing: ArrayLike, lines: ArrayLike
) -> tuple[list[Distinct], str]:
    """Distinct games per pairing, and a sentence that names the remedy if some game repeats (else
    ""). Game i is of `pairings[pairing[i]]`, and `lines[i]` is the number of its line of play.
    """
    of, line = np.asarray(pairing, np.int64), np.asarray(lines, np.int64)
    if of.shape != line.shape:
        raise ValueError("every game has a pairing and a line of play")
    width = int(line.max(initial=0)) + 1
    played = np.bincount(of, minlength=len(pairings))
    distinct = np.bincount(np.unique(of * width + line) // width, minlength=len(pairings))
    counts = zip(pairings, played.tolist(), distinct.tolist(), strict=True)
    rows = [Distinct(*one) for one in counts if one[1]]
    return rows, _sentence(rows)


@dataclass(frozen=True)
class Alike:
    """Blocks of two engines, and in how many both seatings are the same game: there the engines never
    differed, whoever they are.
    """

    pair: str
    blocks: int
    alike: int


def alike_blocks(
    pairs: Sequence[str], pair: ArrayLike, blocks: ArrayLike, lines: ArrayLike
) -> list[Alike]:
    """Return the pairs that have blocks whose seatings are the same game, in their order.

    Game i is of `pairs[pair[i]]` (negative: of no two engines), of the block of that number, and
    `lines[i]` is the number of its line of play. Blocks of one game say nothing here.
    """
    of, block, line = (np.asarray(column, np.int64) for column in (pair, blocks, lines))
    if not len(of):
        return []
    order = np.lexsort((line, block, of))
    of, block, line = of[order], block[order], line[order]
    first = np.flatnonzero(np.r_[True, (of[1:] != of[:-1]) | (block[1:] != block[:-1])])
    games = np.diff(np.r_[first, len(of)])
    same = (games > 1) & (line[first] == line[first + games - 1])
    counted = of[first] >= 0
    whole = np.bincount(of[first][counted & (games > 1)], minlength=len(pairs))
    alike = np.bincount(of[first][counted & same], minlength=len(pairs))
    found = zip(pairs, whole.tolist(), alike.tolist(), strict=True)
    return [Alike(*one) for one in found if one[2]]


def _sentence(rows: Sequence[Distinct]) -> str:
    repeats = sum(one.repeats for one in rows)
    if not repeats:
        return ""
    games = sum(one.games for one in rows)
    worst = min(rows, key=lambda one: one.distinct / one.games)
    where = f" (worst: {worst.pairing}, {worst.distinct} distinct of {worst.games})"
    return (
        f"{repeats} of {games} games repeat an earlier game of the same pairing{where}: only the "
        f"{games - repeats} distinct ones count as evidence, so the intervals are too narrow; "
        "use more openings or more random plies in them."
    )
