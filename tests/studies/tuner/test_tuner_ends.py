"""Ends of ranges: a value there may turn something off, and be worth more than all that lies near it."""

from __future__ import annotations

import numpy as np
import pytest

from joute import Float, Tuner
from joute.studies.tuner.clop import Weights
from joute.studies.tuner.model.counts import Counts
from joute.studies.tuner.model.gp import chance
from joute.studies.tuner.parameters import ParameterTable

DOMAIN = ParameterTable({"a": Float(0, 1), "b": Float(0, 1), "c": Float(0, 1)})


def sloping(top: float) -> Counts:
    """Games at many places of three numbers; the first is best at `top`, all else is alike."""
    rng, counts = np.random.default_rng(1), Counts(3)
    for x in rng.uniform(-1, 1, (300, 3)):
        counts.add(x, rng.binomial(20, chance(np.array(-6 * (x[0] - top) ** 2))), 20)
    return counts


def at_ends(top: float) -> list[float]:
    """Return the shares of draws that have the first number at the low end, and at the high one."""
    drawn = Weights(DOMAIN, sloping(top)).draw(2000, np.random.default_rng(2))
    return [float((drawn[:, 0] == end).mean()) for end in (-1, 1)]


def test_draws_lie_at_an_end_that_the_weights_reach() -> None:
    low, high = at_ends(-0.9)
    assert low > 0.15 and high == 0


def test_no_draw_lies_at_ends_that_the_weights_leave_out() -> None:
    assert at_ends(0.0) == [0, 0]


@pytest.mark.slow
def test_a_term_that_is_better_off_is_turned_off() -> None:
    space = {"off": Float(0, 0.5), "other": Float(-1, 1), "third": Float(0, 2)}
    rng, tuner = np.random.default_rng(0), Tuner(space, seed=0, budget=400)
    while batch := tuner.ask(30):
        for point, games in batch:
            off, other, third = (float(point[name]) for name in space)
            odds = -4 * off - (other - 0.3) ** 2 - (third - 1.5) ** 2 + (off == 0)
            won = int(rng.binomial(games, chance(np.array(odds))))
            tuner.tell(point, won, 0, games - won)
    assert tuner.recommend()["off"] == 0
