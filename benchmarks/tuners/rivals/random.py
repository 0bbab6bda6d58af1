"""Random search: trials anywhere in the box; the best one observed is recommended."""

from __future__ import annotations

import numpy as np

from benchmarks.tuners.rivals.rival import Trials
from benchmarks.tuners.space import Category, Point, Real, Space, Whole, point_of


class Random(Trials):
    """Random search: the least that every tuner must beat."""

    name = "random"
    summary = "trials of 32 games anywhere, the best one observed"
    takes = (Real, Whole, Category)

    def __init__(self, space: Space, seed: int, games: int) -> None:
        super().__init__(space, seed, games)
        self._rng = np.random.default_rng([2, seed])

    def begin(self) -> Point:
        """Return any point."""
        return point_of(self.space, self._rng.uniform(-1, 1, len(self.space)))

    def finish(self, score: float) -> None:
        """Learn nothing."""
