"""Our own tuner, asked for duels: its points play each other; scores are against the middle of the box."""

from __future__ import annotations

from typing import ClassVar

from benchmarks.tuners import ours
from benchmarks.tuners.rivals.duels import Duels
from benchmarks.tuners.space import Axis, Category, Point, Real, Space, Whole

PAIR = 2


class DuelJoute(Duels):
    """Duels as our tuner asks for them; without a default, or with the middle as one."""

    name = "joute-duels"
    summary = "our tuner, its points against each other"
    takes: ClassVar[tuple[type[Axis], ...]] = (Real, Whole, Category)
    ours = True

    def __init__(self, space: Space, seed: int, games: int, default: Point | None = None) -> None:
        super().__init__(space, seed, games)
        self.tuner = ours.make(space, seed, games, default, PAIR)
        self._asked: list[tuple[Point, Point, int]] = []

    def propose(self, games: int) -> list[tuple[Point, int]]:
        """Return the first of the next two points; the second is `against`."""
        if not self._asked:
            self._asked = self.tuner.ask(max(games, PAIR) // PAIR * PAIR, duels=True)
        point, self.against, count = self._asked[0]
        now = min(count, games)
        self._asked[0] = point, self.against, count - now
        if count == now:
            self._asked.pop(0)
        return [(point, now)]

    def learn(self, point: Point, wins: int, draws: int, losses: int) -> None:
        """Tell the outcomes."""
        self.tuner.tell_duel(point, self.against, wins, draws, losses)

    def recommend(self) -> Point:
        """Return the point believed best; with a default that, unless another is likely to beat it."""
        return self.tuner.recommend()

    def verdict(self) -> str:
        """Return "better" than the default, "keep" it, or "unknown"."""
        return self.tuner.verdict()

    def estimate(self, point: Point) -> tuple[float, float, float]:
        """Return low end, mean and high end of the expected score against the middle."""
        return self.tuner.estimate(point)
