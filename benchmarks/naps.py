"""Games that only sleep, for benchmarks of everything around games: real records, no engine."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from joute.engines.engine import parse_game
from joute.engines.record import GameRecord
from joute.harness.inflight import Doing, InFlight
from joute.harness.match import Tally, record, set_up
from joute.harness.openings import OpeningRules, Openings
from joute.harness.schedule import Block
from joute.harness.worker import Setting

GAME = "connect4"
MOVES = (3, 3, 2, 4, 1, 5, 2, 4, 4, 2, 5, 1, 1, 5, 0, 6)


class Nap(NamedTuple):
    """A block of two games that takes so many seconds a game."""

    number: int
    seconds: float

    def pieces(self) -> list[Nap]:
        """Return itself."""
        return [self]

    def texts(self, setting: Setting) -> dict[str, str]:
        """Return nothing: no engine plays."""
        return {}

    def play(self, setting: Setting, inflight: InFlight) -> list[GameRecord]:
        """Sleep, and return the records of two games."""
        time.sleep(2 * self.seconds)
        return [made(self.number, seating) for seating in (0, 1)]

    def crashed(self, setting: Setting, doing: Doing, text: str) -> Any:
        """Never called: nothing crashes."""
        raise AssertionError(text)


@cache
def pattern() -> GameRecord:
    """Return the record of a game: some 16 moves, and times of each."""
    game = parse_game(GAME)
    block = Block(f"{0:016x}", "main", "", 0, 0, ("a", "b"))
    opening = Openings(game, 1, OpeningRules(2)).of(block)
    position, tallies = set_up(game, opening), [Tally(), Tally()]
    for action in MOVES:
        if position.status or not position.is_legal(action):
            break
        tallies[position.to_move].move_ms.append(0.5)
        position.play(action, 0)
    return record(position, opening, block, 0, tallies, [])


def made(number: int, seating: int) -> GameRecord:
    """Return the record of a game of a block."""
    return pattern()._replace(
        id=f"{number:015x}{seating}",
        round=number,
        order=number,
        block=f"{number:016x}",
        seating=seating,
    )


def nap(tasks: Sequence[Nap]) -> tuple[str, Any]:
    """Return a host's answer without a process, so that one machine can be a thousand workers."""
    begun = time.perf_counter()
    time.sleep(sum(2 * task.seconds for task in tasks))
    records = [made(task.number, seating) for task in tasks for seating in (0, 1)]
    return "played", (records, time.perf_counter() - begun)
