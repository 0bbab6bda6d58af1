"""A tree bandit: boxes that are halved where the games go, chosen by upper confidence bounds.

After HOO (Bubeck, Munos, Stoltz, Szepesvari, "X-armed bandits", 2011) with a known horizon; points are
drawn anywhere in the leaf, which is halved then.
"""

from __future__ import annotations

import math

import numpy as np

from benchmarks.tuners.rivals.rival import Rival
from benchmarks.tuners.space import Array, Category, Point, Real, Space, Whole, point_of
from joute.results.statistics import wilson

EXPLORE = 0.5
"""Weight of the confidence bound; 1 is the theory's."""

SPREAD, SHRINK = 0.15, 0.6
"""How much the best place of a box may exceed the box's mean, and what is left of that a level down."""

ENOUGH = 32
"""Games of the smallest box whose score is told."""


class Box:
    """A node: a box in [-1, 1]^d, the games played in it and their score."""

    def __init__(self, low: Array, high: Array, depth: int) -> None:
        self.low, self.high, self.depth = low, high, depth
        self.games, self.score, self.bound = 0, 0.0, math.inf
        self.halves: tuple[Box, Box] | None = None

    def halve(self) -> None:
        """Make two boxes of it, across its longest side; of equal ones, the first."""
        axis = int(np.argmax(np.round(self.high - self.low, 12)))
        middle = (self.low[axis] + self.high[axis]) / 2
        high, low = self.high.copy(), self.low.copy()
        high[axis] = low[axis] = middle
        self.halves = (
            Box(self.low, high, self.depth + 1),
            Box(low, self.high, self.depth + 1),
        )


class Tree(Rival):
    """Plays in the leaf of largest bounds; recommends the middle of where most games went."""

    name = "tree"
    summary = "a tree bandit over halved boxes, the middle of the most visited ones"
    takes = (Real, Whole, Category)

    def __init__(self, space: Space, seed: int, games: int) -> None:
        super().__init__(space, seed, games)
        self._rng = np.random.default_rng([4, seed])
        side = np.ones(len(space))
        self._root = Box(-side, side, 0)
        self._path: list[Box] = []

    def propose(self, games: int) -> list[tuple[Point, int]]:
        """Return one game in the leaf that the bounds lead to."""
        box = self._root
        self._path = [box]
        while box.halves:
            box = max(box.halves, key=lambda half: half.bound)
            self._path.append(box)
        return [(point_of(self.space, self._rng.uniform(box.low, box.high)), 1)]

    def learn(self, point: Point, wins: int, draws: int, losses: int) -> None:
        """Count in every box on the way, halve the leaf, and renew the bounds."""
        for box in self._path:
            box.games += wins + draws + losses
            box.score += wins + draws / 2
        self._path[-1].halve()
        for box in reversed(self._path):
            room = EXPLORE * math.sqrt(2 * math.log(self.games) / box.games)
            own = box.score / box.games + room + SPREAD * SHRINK**box.depth
            below = max(half.bound for half in box.halves) if box.halves else math.inf
            box.bound = min(own, below)

    def recommend(self) -> Point:
        """Return the middle of the smallest box on the way that most games went."""
        leaf = self._way()[-1]
        return point_of(self.space, (leaf.low + leaf.high) / 2)

    def estimate(self, point: Point) -> tuple[float, float, float] | None:
        """Return score and Wilson interval of the smallest box around it that has enough games."""
        big = [box for box in self._way() if box.games >= ENOUGH]
        if not big:
            return None
        low, high = wilson(big[-1].score, big[-1].games)
        return low, big[-1].score / big[-1].games, high

    def _way(self) -> list[Box]:
        """Return the boxes from the root down that most games led to."""
        way = [self._root]
        while way[-1].halves and max(half.games for half in way[-1].halves):
            way.append(max(way[-1].halves, key=lambda half: half.games))
        return way
