"""SPSA: steps along the difference of two random mirrored points; gains fixed before the first game.

Spall, "Implementation of the Simultaneous Perturbation Algorithm" (1998): gain a / (A + k)^0.602,
perturbation c / k^0.101, A a tenth of all steps. Whole numbers are played rounded.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from benchmarks.tuners.rivals.rival import Rival
from benchmarks.tuners.space import Point, Space, places_of, point_of

ALPHA, GAMMA, STABILITY = 0.602, 0.101, 0.1
SIDE = 2
"""Games on each side of a step."""


class Spsa(Rival):
    """A walk from the middle of the box; recommends where it stands."""

    name = "spsa"
    summary = "SPSA, the same gains for all problems, where it stands at last"
    perturbation: ClassVar[float] = 0.25  # of the first step, in half widths of the box
    last_step: ClassVar[float] = 0.02  # of the last step after a won and a lost game: likewise

    def __init__(self, space: Space, seed: int, games: int) -> None:
        super().__init__(space, seed, games)
        self._rng = np.random.default_rng([3, seed])
        self._at = np.zeros(len(space))
        self._steps = max(1, games // (2 * SIDE))
        self._k = 0
        self._sides: list[tuple[float, Point]] = []  # sign and point of what is to be played
        self._played, self._difference = 0, 0.0

    def begin_at(self, point: Point) -> None:
        """Begin the walk there."""
        self._at = places_of(self.space, point)

    def propose(self, games: int) -> list[tuple[Point, int]]:
        """Return the games of this side of the step, or begin a step."""
        if not self._sides:
            self._k += 1
            self._signs = self._rng.choice([-1.0, 1.0], len(self.space))
            shift = self._width() * self._signs
            self._sides = [(s, point_of(self.space, self._at + s * shift)) for s in (1.0, -1.0)]
        return [(self._sides[0][1], min(games, SIDE - self._played))]

    def learn(self, point: Point, wins: int, draws: int, losses: int) -> None:
        """Count; step when both sides are played."""
        sign = self._sides[0][0]
        self._played += wins + draws + losses
        self._difference += sign * (wins + draws / 2)
        if self._played < SIDE:
            return
        self._sides.pop(0)
        self._played = 0
        if not self._sides:
            slope = self._difference / SIDE / (2 * self._width()) * self._signs
            self._at = np.clip(self._at + self._gain() * slope, -1, 1)
            self._difference = 0.0

    def recommend(self) -> Point:
        """Return where the walk stands."""
        return point_of(self.space, self._at)

    def _width(self) -> float:
        return float(self.perturbation / self._k**GAMMA)

    def _gain(self) -> float:
        """Return the gain of this step, such that the last one is as `last_step` says."""
        last_width = self.perturbation / self._steps**GAMMA
        last = self.last_step * 2 * last_width * SIDE
        offset = STABILITY * self._steps
        return float(last * ((offset + self._steps) / (offset + self._k)) ** ALPHA)


class SpsaLog(Spsa):
    """SPSA with the gains that were best on LOG: its result if they were known beforehand."""

    name = "spsa-log"
    summary = "SPSA with gains tuned on LOG (an oracle, no fair rival)"
    oracle = True
    perturbation = 0.4
    last_step = 0.01
