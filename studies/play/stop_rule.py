"""When a stage stops before its last block: as soon as its sequential test has decided."""

from __future__ import annotations

from joute.harness.schedule import Schedule, seatings_of
from joute.results.sprt import Sprt
from joute.results.store import Returns
from joute.studies.study import SprtPlan


class StopRule:
    """Follows the finished blocks of a stage in schedule order, and the SPRT if there is one.

    Only the contiguous finished prefix of the schedule is ever fed to the test, so its verdict does
    not depend on which game ends first, or on how many workers play.
    """

    def __init__(self, plan: SprtPlan | None, blocks: Schedule) -> None:
        self.decided = ""
        self.blocks = len(blocks)  # that count
        self.watch = (
            Sprt(plan.elo0, plan.elo1, plan.alpha, plan.beta, plan.model).watch() if plan else None
        )
        self._next = 0
        self._returns: dict[int, list[float]] = {}  # by place, of blocks from the next one on
        self._counts = [0] * 5
        if plan:
            _, table = blocks.tables(0)[0]
            self._seat = [seating.index(0) for seating in seatings_of(table)]  # tested engine's

    @property
    def state(self) -> str:
        """The log-likelihood ratio between its bounds, "" without a test."""
        if self.watch is None:
            return ""
        low, high = self.watch.bounds
        llr = self.watch.llrs[-1] if self.watch.llrs else 0.0
        return f"LLR {llr:+.2f} ({low:.2f} to {high:.2f})"

    def add(self, order: int, seating: int, returns: Returns) -> None:
        """Take a finished game: the place of its block, its seating and what each seat got."""
        if self.watch is None or not self._next <= order < self.blocks:
            return
        self._returns.setdefault(order, []).append(returns[self._seat[seating]])
        while not self.decided:
            values = self._returns.get(self._next, [])
            if len(values) < len(self._seat):
                return
            del self._returns[self._next]
            self._counts[round(4 * sum(values) / len(values))] += 1
            self._next += 1
            verdict = self.watch.feed(self._counts)
            if verdict != "continue":
                self.decided, self.blocks = verdict, self._next
