"""A problem: true scores of points, how games end, and where a tuner may start."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from benchmarks.tuners.space import Point, Real, Space, centre, places_of, point_of
from joute.results.statistics import elo_of

NEAR_ELO = 4.0
"""What the default "near" loses at most, in Elo: less than anybody would call a difference (5)."""

STARTS = ("centre", "best", "near", "own")
"""The defaults that a problem has: the middle of the box, an optimum, a point near it, one of its own."""


def chance(log_odds: float) -> float:
    """Return the probability of log-odds."""
    return 0.5 * (1 + math.tanh(0.5 * log_odds))


def no_draws(point: Point) -> float:
    """Return the share of draws of a problem without any."""
    return 0.0


def outcomes_of(score: float, drawn: float, luck: np.ndarray) -> tuple[int, int, int]:
    """Return wins, draws and losses of games with an expected score and a share of draws."""
    win = score - drawn / 2
    wins = int((luck < win).sum())
    draws = int((luck < win + drawn).sum()) - wins
    return wins, draws, len(luck) - wins - draws


@dataclass(frozen=True)
class Problem:
    """A known function of parameters, from the point of view of the engine that is tuned.

    Attributes:
        name: what it is called, in capitals.
        summary: what makes it hard, in a few words.
        space: its axes.
        log_odds: the log-odds of the expected score (a draw is half a point) at a point.
        best: a point where the expected score is largest.
        smooth: whether the log-odds have no jump and no bend.
        draws: the share of drawn games at a point, at most twice the rarer of score and 1 - score.
        targets: the mean regret to reach, by games.
        answer_target: the mean regret to reach of the final answer after 1,000 games that began at
            the centre; None: no target.
        own: a default of its own; None: the centre.
        cycles: log-odds, beyond what strengths say, of a duel between neighbouring corners of each two
            axes, all in one direction: A beats B, B beats C, C beats A.
    """

    name: str
    summary: str
    space: Space
    log_odds: Callable[[Point], float]
    best: Point
    smooth: bool = True
    draws: Callable[[Point], float] = no_draws
    targets: Mapping[int, float] = field(default_factory=dict)
    answer_target: float | None = None
    own: Point | None = None
    cycles: float = 0.0

    def score(self, point: Point) -> float:
        """Return the expected score at a point, in [0, 1]."""
        return chance(self.log_odds(point))

    def regret(self, point: Point) -> float:
        """Return what a point's expected score lacks to the best one."""
        return self.best_score - self.score(point)

    def outcomes(self, point: Point, luck: np.ndarray) -> tuple[int, int, int]:
        """Return wins, draws and losses of games at a point, one a number of `luck`, in [0, 1)."""
        return outcomes_of(self.score(point), self.draws(point), luck)

    def duel(self, point: Point, other: Point, luck: np.ndarray) -> tuple[int, int, int]:
        """Return wins, draws and losses of games of a point against another, by Bradley and Terry."""
        gap = self.log_odds(point) - self.log_odds(other)
        score = chance(gap + self.cycles * self._turn(point, other))
        usual = (self.draws(point) + self.draws(other)) / 2
        drawn = min(usual, 2 * min(score, 1 - score))
        return outcomes_of(score, drawn, luck)

    def _turn(self, point: Point, other: Point) -> float:
        """Return how far one point is ahead of another on a circle about the centre: from -1 to 1, the
        mean over axes two by two.
        """
        if not self.cycles:
            return 0.0
        u, v = (places_of(self.space, one) for one in (point, other))
        pairs = len(u) // 2
        first, second = slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2)
        return float((u[first] * v[second] - u[second] * v[first]).sum() / (2 * pairs))

    @cached_property
    def best_score(self) -> float:
        """The largest expected score, in [0, 1]."""
        return self.score(self.best)

    @cached_property
    def near(self) -> Point:
        """The point towards the centre that is `NEAR_ELO` worse than the best, or the last one
        before a jump, or the centre of the movable numbers, if that loses less.
        """
        middle, top = centre(self.space), elo_of(self.best_score)

        def moved(share: float) -> Point:
            return {
                name: float(self.best[name]) * (1 - share) + float(middle[name]) * share
                if isinstance(axis, Real)
                else self.best[name]
                for name, axis in self.space.items()
            }

        def close(share: float) -> bool:
            return top - elo_of(self.score(moved(share))) <= NEAR_ELO

        low, high = (1.0, 1.0) if close(1.0) else (0.0, 1.0)
        while high - low > 1e-6:
            half = (low + high) / 2
            low, high = (half, high) if close(half) else (low, half)
        return moved(low)

    def start(self, name: str) -> Point:
        """Return a default by its name in `STARTS`."""
        if name == "centre" or (name == "own" and self.own is None):
            return centre(self.space)
        if name == "own":
            return dict(self.own or {})
        return dict(self.best if name == "best" else self.near)

    @cached_property
    def digest(self) -> str:
        """Identifies this problem: score and draws at 64 places, and the axes' names."""
        rng = np.random.default_rng(1)
        points = [point_of(self.space, row) for row in rng.uniform(-1, 1, (64, len(self.space)))]
        sampled = [(sorted(p.items()), f"{self.score(p):.9f} {self.draws(p):.9f}") for p in points]
        cycles = f" {self.cycles}" if self.cycles else ""
        return hashlib.sha256(f"{sampled} {self.best_score:.9f}{cycles}".encode()).hexdigest()[:12]
