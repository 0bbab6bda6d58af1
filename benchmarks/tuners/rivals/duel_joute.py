"""Our own tuner, asked for duels: its points play each other, or each other and the pool in turn."""

from __future__ import annotations

from typing import ClassVar

from benchmarks.tuners import ours
from benchmarks.tuners.rivals.rival import Rival
from benchmarks.tuners.space import Axis, Category, Point, Real, Space, Whole

PAIR = 2


class DuelJoute(Rival):
    """Duels as our tuner asks for them; scores are against the middle, or a default in its place."""

    name = "joute-duels"
    summary = "our tuner, its points against each other"
    takes: ClassVar[tuple[type[Axis], ...]] = (Real, Whole, Category)
    ours = True
    of_middle = True

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
        if self.against is None:
            self.tuner.tell(point, wins, draws, losses)
        else:
            self.tuner.tell_duel(point, self.against, wins, draws, losses)

    def recommend(self) -> Point:
        """Return the point believed best; with a default that, unless another is likely to beat it."""
        return self.tuner.recommend()

    def verdict(self) -> str:
        """Return "better" than the default, "keep" it, or "unknown"."""
        return self.tuner.verdict()

    def estimate(self, point: Point) -> tuple[float, float, float]:
        """Return low end, mean and high end of the expected score."""
        return self.tuner.estimate(point)

    def regret(self) -> float:
        """Return the score that the recommended point may lack, as it believes."""
        return float(self.tuner.report().regret)


class BothJoute(DuelJoute):
    """As a study plays by default: games against the pool and duels in turn."""

    name = "joute-both"
    summary = "our tuner as studies use it, its points against the pool and each other in turn"
    of_middle = False

    def __init__(self, space: Space, seed: int, games: int, default: Point | None = None) -> None:
        super().__init__(space, seed, games, default)
        self._duel = True

    def propose(self, games: int) -> list[tuple[Point, int]]:
        """Return points against the pool, or the first of two that play each other."""
        if self._asked:
            return super().propose(games)
        self._duel = not self._duel
        if self._duel or games < PAIR:
            return super().propose(games)
        self.against = None
        return self.tuner.ask(games // PAIR * PAIR)
