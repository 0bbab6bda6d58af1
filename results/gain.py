"""The gain of one engine over another, measured on the same openings against the same opponents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from joute.results.statistics import SAME, estimate_means


@dataclass(frozen=True)
class Gain:
    """Mean difference of block scores (-1 to 1) with its 95 % interval; positive: the first is better.

    `sure`: whether the interval excludes 0; `note`: a remark on these blocks.
    """

    blocks: int
    gain: float
    low: float
    high: float
    note: str = ""

    @property
    def better(self) -> bool:
        """Whether the first is better at 95 %."""
        return self.low > 0

    @property
    def worse(self) -> bool:
        """Whether the first is worse at 95 %."""
        return self.high < 0


def paired_gain(first: Sequence[float], second: Sequence[float]) -> Gain:
    """Return the gain from block scores in [0, 1], paired by place; they must be equally many."""
    halves = [(1 + a - b) / 2 for a, b in zip(first, second, strict=True)]
    estimate = estimate_means(halves, elo=False, pairs=True)
    low, high = 2 * estimate.score_low - 1, 2 * estimate.score_high - 1
    if len(known := set(second)) == 1:  # the default against itself: its score is known
        (base,) = known
        low, high = max(low, -base), min(high, 1 - base)
    return Gain(len(halves), 2 * estimate.score - 1, low, high, estimate.note)


def signed_rank(differences: Sequence[float]) -> float:
    """Return the chance of differences as low as these if each sign were a fair coin.

    Wilcoxon's signed-rank test (1945), one-sided, exact for any ties: zeros are left out, equal
    sizes share their mean rank. 1 where nothing differs.
    """
    from scipy.stats import rankdata

    nonzero = np.array([d for d in differences if abs(d) > SAME])
    if not len(nonzero):
        return 1.0
    ranks = np.rint(2 * rankdata(np.round(np.abs(nonzero), 9))).astype(int)  # twice the mean rank
    ways = np.zeros(int(ranks.sum()) + 1)
    ways[0] = 1.0
    for rank in ranks:
        ways[rank:] += ways[:-rank].copy()
        ways *= 0.5
    return float(ways[: int(ranks[nonzero > 0].sum()) + 1].sum())
