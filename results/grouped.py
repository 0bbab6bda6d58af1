"""Shares and ratios of observations that come in groups, such as positions of the same block.

What belongs to a group is alike, so that a thousand positions of ten blocks say less than a thousand of
as many blocks. Source: Cochran, "Sampling Techniques", 1977, chapters 6 and 9.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from joute.results.statistics import wilson


class Share(NamedTuple):
    """A share in [0, 1] with its 95 % interval, and the number of observations."""

    mean: float
    low: float
    high: float
    number: int


class Ratio(NamedTuple):
    """A ratio of two sums with its 95 % interval; `low` and `high` are None where one group says
    nothing of others.
    """

    value: float
    low: float | None
    high: float | None


def share_of(hits: ArrayLike, counts: ArrayLike) -> Share:
    """Return the share of hits by group among the counts by group, with Wilson's interval of as many
    independent observations as are worth these.

    Of none or all, each group counts as one.
    """
    k, n = np.asarray(hits, float), np.asarray(counts, float)
    k, n = k[n > 0], n[n > 0]
    total, groups = float(n.sum()), len(n)
    if not groups:
        raise ValueError("no observation")
    share = float(k.sum()) / total
    if share in (0.0, 1.0) or groups == 1:
        worth = float(groups)
    else:
        variance = float(((k - share * n) ** 2).sum()) * groups / (groups - 1) / total**2
        worth = min(total, max(1.0, share * (1 - share) / max(variance, 1e-300)))
    low, high = wilson(share * worth, worth)
    return Share(share, low, high, round(total))


def ratio_of(above: ArrayLike, below: ArrayLike) -> Ratio | None:
    """Return the sum of positive numbers by group, `above`, over that of others of the same groups,
    `below`; None if there is nothing below.
    """
    a, b = np.asarray(above, float), np.asarray(below, float)
    groups, total = len(a), float(b.sum())
    if total <= 0 or float(a.sum()) <= 0:
        return None
    value = float(a.sum()) / total
    if groups < 2:
        return Ratio(value, None, None)
    error = math.sqrt(float(((a - value * b) ** 2).sum()) * groups / (groups - 1)) / total
    factor = math.exp(float(stdtrit(groups - 1, 0.975)) * error / value)
    return Ratio(value, value / factor, value * factor)
