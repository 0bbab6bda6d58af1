"""Round numbers along an axis: round, in the range, few, and enough."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joute.reports.ticks import round_ticks

NUMBERS = st.floats(-1e9, 1e9).filter(lambda x: abs(x) > 1e-6 or x == 0)


@pytest.mark.parametrize(
    ("low", "high", "log", "ticks"),
    [
        (0.3, 1.0, False, [0.4, 0.6, 0.8, 1.0]),
        (1, 12, False, [2, 4, 6, 8, 10, 12]),
        (0.1, 5.0, True, [0.1, 0.2, 0.5, 1, 2, 5]),
        (0.02, 3.0, True, [0.03, 0.1, 0.3, 1, 3]),
        (4, 6, True, [4, 5, 6]),
        (95, 105, True, [96, 98, 100, 102, 104]),
        (2, 2, False, [2]),
    ],
)
def test_known_axes(low: float, high: float, log: bool, ticks: list[float]) -> None:
    assert round_ticks(low, high, log) == pytest.approx(ticks)


@given(NUMBERS, NUMBERS, st.booleans())
def test_ticks_are_few_round_and_in_the_range(one: float, two: float, log: bool) -> None:
    low, high = sorted((one, two))
    if high - low < 1e-6 * max(1.0, abs(low), abs(high)):
        return
    ticks = round_ticks(low, high, log)
    assert 2 <= len(ticks) <= 7 and ticks == sorted(ticks)
    slack = 1e-6 * (high - low)
    assert all(low - slack <= tick <= high + slack for tick in ticks)
    steps = [b - a for a, b in pairwise(ticks)]
    if not (log and low > 0):
        digit = steps[0] / 10 ** math.floor(math.log10(steps[0]) + 1e-9)
        assert round(digit, 6) in (1, 2, 5, 10)
