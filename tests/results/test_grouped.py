"""Shares and ratios of observations in groups: against plain formulas, and by simulated coverage."""

from __future__ import annotations

import numpy as np
import pytest

from joute.results.grouped import ratio_of, share_of
from joute.results.statistics import wilson


def test_independent_observations_have_wilsons_interval() -> None:
    rng = np.random.default_rng(1)
    hits = (rng.random(4000) < 0.2).astype(float)
    share = share_of(hits, np.ones(4000))
    low, high = wilson(hits.sum(), 4000)
    assert share.mean == hits.mean() and share.number == 4000
    assert (share.low, share.high) == pytest.approx((low, high), abs=5e-4)


def test_groups_that_are_alike_count_once() -> None:
    hits = np.repeat([1.0, 0.0], [20, 60])
    ten = share_of(10 * hits, np.full(80, 10))
    assert (ten.low, ten.high) == pytest.approx(wilson(20, 80), abs=5e-3)


@pytest.mark.parametrize("hits", [0, 5])
def test_none_or_all_is_never_certain(hits: int) -> None:
    share = share_of([hits] * 30, [5] * 30)
    assert (share.low, share.high) == wilson(6 * hits, 30)
    assert share.high - share.low > 0.1


def test_empty_groups_change_nothing() -> None:
    assert share_of([1, 0, 3], [4, 0, 5]) == share_of([1, 3], [4, 5])
    with pytest.raises(ValueError, match="no observation"):
        share_of([0, 0], [0, 0])


def test_a_share_is_covered_though_groups_are_alike() -> None:
    """Groups of 8 whose own shares vary: 0.3 on the mean."""
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(600):
        counts = rng.integers(4, 13, 40)
        own = rng.beta(0.6, 1.4, 40)
        share = share_of(rng.binomial(counts, own), counts)
        held += share.low <= 0.3 <= share.high
    assert 0.92 < held / 600 < 0.98


def test_a_ratio_of_sums() -> None:
    ratio = ratio_of([2.0, 4.0, 6.0], [1.0, 2.0, 3.0])
    assert ratio is not None and ratio.value == 2.0 and (ratio.low, ratio.high) == (2.0, 2.0)
    alone = ratio_of([3.0], [2.0])
    assert alone is not None and (alone.low, alone.high) == (None, None)
    assert ratio_of([1.0, 2.0], [0.0, 0.0]) is None and ratio_of([0.0], [3.0]) is None


def test_a_ratio_is_covered() -> None:
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(600):
        size = rng.lognormal(0, 0.7, 40)
        below = size * rng.lognormal(0, 0.3, 40)
        above = 0.5 * size * rng.lognormal(0, 0.3, 40)
        ratio = ratio_of(above, below)
        assert ratio is not None and ratio.low is not None and ratio.high is not None
        held += ratio.low <= 0.5 <= ratio.high
    assert 0.91 < held / 600 < 0.985
