"""SPSA as chess engines are tuned: the two mirrored points play each other, not a pool.

fishtest and OpenBench: theta moves along the signs by R c_k (wins - losses), with c_k = c / k^0.101 and
R = a_k / c_k^2, a_k = a / (A + k)^0.602, A a tenth of all steps. The user gives the last perturbation
and the last R; how large they should be depends on the problem, so there are three sets, fixed beforehand.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from benchmarks.tuners.rivals.rival import Rival
from benchmarks.tuners.space import Point, Space, places_of, point_of

ALPHA, GAMMA, STABILITY = 0.602, 0.101, 0.1
PAIR = 2  # games of a step, one from each side
LAST_WIDTH = 0.1  # half widths of the box: a twentieth of each range, as fishtest fills in


class DuelSpsa(Rival):
    """A walk from the middle of the box by games of theta+ against theta-; recommends where it stands."""

    name = "spsa-duel"
    summary = "SPSA as fishtest plays it, the usual last step (R = 0.002)"
    of_middle = True
    last_rate: ClassVar[float] = 0.002

    def __init__(self, space: Space, seed: int, games: int) -> None:
        super().__init__(space, seed, games)
        self._rng = np.random.default_rng([7, seed])
        self._at = np.zeros(len(space))
        self._steps, self._k = max(1, games // PAIR), 0
        self._played, self._won = PAIR, 0

    def begin_at(self, point: Point) -> None:
        """Begin the walk there."""
        self._at = places_of(self.space, point)

    def propose(self, games: int) -> list[tuple[Point, int]]:
        """Return theta+ and the games that are left of this step, or begin a step."""
        if self._played == PAIR:
            self._k += 1
            self._played = self._won = 0
            self._signs = self._rng.choice([-1.0, 1.0], len(self.space))
            self._ahead = point_of(self.space, self._at + self._width() * self._signs)
            self.against = point_of(self.space, self._at - self._width() * self._signs)
        return [(self._ahead, min(games, PAIR - self._played))]

    def learn(self, point: Point, wins: int, draws: int, losses: int) -> None:
        """Count; step when the pair is played."""
        self._played += wins + draws + losses
        self._won += wins - losses
        if self._played == PAIR:
            moved = self._at + self._gain() / self._width() * self._won * self._signs
            self._at = np.clip(moved, -1, 1)

    def recommend(self) -> Point:
        """Return where the walk stands."""
        return point_of(self.space, self._at)

    def _width(self) -> float:
        return LAST_WIDTH * float((self._steps / self._k) ** GAMMA)

    def _gain(self) -> float:
        """Return a_k, whose last value is the last rate times the square of the last width."""
        offset = STABILITY * self._steps
        last = self.last_rate * LAST_WIDTH**2
        return float(last * ((offset + self._steps) / (offset + self._k)) ** ALPHA)


class DuelSpsaFaster(DuelSpsa):
    """The same with ten times the step."""

    name = "spsa-duel-10"
    summary = "SPSA as fishtest plays it, ten times the usual last step"
    last_rate = 0.02


class DuelSpsaFastest(DuelSpsa):
    """The same with fifty times the step, for a thousand games."""

    name = "spsa-duel-50"
    summary = "SPSA as fishtest plays it, fifty times the usual last step"
    last_rate = 0.1
