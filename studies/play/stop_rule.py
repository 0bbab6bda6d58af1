"""When a stage stops before its last block: as soon as its sequential test has decided."""

from __future__ import annotations

from collections.abc import Iterable

from engines.record import GameRecord
from harness.schedule import Block
from results.sprt import Sprt
from studies.study import Study


class StopRule:
    """Follows the finished blocks of a stage in schedule order, and the SPRT if there is one.

    Only the contiguous finished prefix of the schedule is ever fed to the test, so its verdict does
    not depend on which game ends first, or on how many workers play.
    """

    def __init__(self, study: Study, blocks: list[Block], games: Iterable[GameRecord]) -> None:
        self.decided = ""
        self._last = -1  # order of the block that decided
        plan = study.sprt
        self._watch = (
            Sprt(plan.elo0, plan.elo1, plan.alpha, plan.beta, plan.model).watch() if plan else None
        )
        self._blocks = blocks
        self._games_per_block = len(blocks[0].seatings) if blocks else 0
        self._returns: dict[str, list[float]] = {}
        self._counts = [0] * 5
        self._next = 0
        for game in games:
            self.add(game)

    def add(self, game: GameRecord) -> None:
        """Take one finished game."""
        if self._watch is None or self._next >= len(self._blocks):
            return
        found = self._returns.setdefault(game.block, [])
        tested = self._blocks[0].table[0]
        found += [seat.returns for seat in game.seats if seat.engine == tested]
        while not self.decided and self._next < len(self._blocks):
            values = self._returns.get(self._blocks[self._next].id, [])
            if len(values) < self._games_per_block:
                return
            self._counts[round(4 * sum(values) / len(values))] += 1
            verdict = self._watch.feed(self._counts)
            if verdict != "continue":
                self.decided, self._last = verdict, self._next
            self._next += 1

    def counted(self, blocks: list[Block]) -> list[Block]:
        """Return the blocks that count: all, or those up to the one that decided."""
        return blocks if not self.decided else blocks[: self._last + 1]
