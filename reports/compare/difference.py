"""The difference of two scores, and how much of it may be luck.

The value of a block for an engine is its score against one opponent, in [0, 1]; a score is the mean
over the opponents, each counting the same. Blocks from the same opening, in one run or in both, are
not independent, so variances are clustered by opening.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from joute.results.quantity import POINTS, SHARE, Quantity
from joute.results.statistics import ENOUGH, estimate_means

TINY = 1e-12
"""Differences and standard errors of scores below this are rounding."""


@dataclass(frozen=True, eq=False)
class Sample:
    """The score of an engine in one run, in [0, 1], and the contribution of each cluster of blocks
    to its error (`influence`, by cluster); `freedom`: degrees of freedom of its variance.
    """

    score: float
    blocks: int
    games: int
    influence: pd.Series
    freedom: float

    @property
    def error(self) -> float:
        """Standard error of the score; 0 where the blocks do not vary."""
        error = math.sqrt(float((self.influence**2).sum()))
        return error if error > TINY else 0.0

    def halves(self, critical: float) -> tuple[float, float]:
        """Distance from the score to the ends of its 95 % interval, below and above."""
        if self.error:
            return critical * self.error, critical * self.error
        bound = estimate_means([self.score] * len(self.influence), elo=False)
        return self.score - bound.score_low, bound.score_high - self.score

    def quantity(self, label: str) -> Quantity:
        """Return the score with its interval."""
        down, up = self.halves(critical(self.freedom))
        ends = max(0.0, self.score - down), min(1.0, self.score + up)
        return Quantity(label, SHARE, self.score, *ends)


def sample(rows: pd.DataFrame, cluster: str) -> Sample:
    """Return the score of an engine's meetings; `cluster` names the column of the clusters."""
    by_opponent = rows.groupby("opponent")["value"]
    size, mean = by_opponent.transform("size"), by_opponent.transform("mean")
    count, total = int(rows["opponent"].nunique()), len(rows)
    score = float(by_opponent.mean().mean())
    if size.min() >= 2:
        rest, lost = (rows["value"] - mean) * np.sqrt(size / (size - 1)), count / total
    else:  # an opponent met once shows no spread of its own: all are taken around the score
        rest = (rows["value"] - score) * math.sqrt(total / max(1, total - 1))
        lost = 0.0
    influence = (rest / (size * count)).groupby(rows[cluster]).sum()
    clusters = len(influence)
    freedom = clusters * (1 - lost) if lost else clusters - 1
    return Sample(score, total, int(rows["games"].sum()), influence, max(1.0, freedom))


def critical(freedom: float) -> float:
    """Two-sided 95 % quantile: Student's with few degrees of freedom, else the normal one."""
    return float(stdtrit(freedom, 0.975) if freedom < ENOUGH - 1 else ndtri(0.975))


def difference(a: Sample, b: Sample) -> tuple[Quantity, float, float]:
    """Return the score in B less that in A, the chance `p` of one as large by luck alone, and the
    correlation of the two scores from shared openings (0 for independent runs).

    The intervals are joined as by Zou and Donner (2008), "square and add", which for two normal
    ones is the sum of variances less twice their covariance.
    """
    value = b.score - a.score if abs(b.score - a.score) > TINY else 0.0
    freedom = min(a.freedom, b.freedom)
    wide = critical(freedom)
    (a_down, a_up), (b_down, b_up) = a.halves(wide), b.halves(wide)
    r = 0.0
    if a.error and b.error:
        shared = float((a.influence * b.influence).dropna().sum())
        r = min(1.0, max(-1.0, shared / (a.error * b.error)))
    down, up = joined(a_up, b_down, r), joined(a_down, b_up, r)
    if min(down, up) < 1e-9:  # every opening moved alike: only a bound is left
        clusters = len(a.influence.index.union(b.influence.index))
        down = up = 1 - estimate_means([1.0] * clusters, elo=False).score_low
    z = wide * abs(value) / (down if value > 0 else up)
    p = 2 * float(stdtr(freedom, -z) if freedom < ENOUGH - 1 else ndtr(-z))
    ends = max(-1.0, value - down), min(1.0, value + up)
    return Quantity("difference", POINTS, value, *ends), min(1.0, p), r


def joined(one: float, other: float, correlation: float) -> float:
    """Half width of the interval of a difference from those of its two sides."""
    return math.sqrt(max(0.0, one**2 + other**2 - 2 * correlation * one * other))


def holm(chances: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number (Holm 1979), valid however they depend."""
    order = sorted(range(len(chances)), key=lambda i: chances[i])
    corrected, worst = [0.0] * len(chances), 0.0
    for rank, i in enumerate(order):
        worst = max(worst, min(1.0, (len(chances) - rank) * chances[i]))
        corrected[i] = worst
    return corrected
