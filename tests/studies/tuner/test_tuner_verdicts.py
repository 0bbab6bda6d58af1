"""Verdicts on a gain, the games that would settle one, and what is recommended beside a default."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from joute import Float, Tuner
from joute.studies.tuner.answer import (
    BETTER,
    KEEP,
    UNKNOWN,
    WORTH,
    Gain,
    TunerAnswer,
    further,
    homing,
)
from joute.studies.tuner.domain import Point
from joute.studies.tuner.model.counts import Counts
from joute.studies.tuner.parameters import ParameterTable

LINE = ParameterTable({"x": Float(-1, 1)})
WORTHY = 4 * WORTH  # in log-odds, at a score of 1/2


def gain_of(mine: float, theirs: float, games: int) -> Gain:
    """The gain of a point over the default after so many games at each, and none elsewhere."""
    counts = Counts(1)
    counts.add(np.array([0.8]), mine * games, games)
    counts.add(np.array([-0.8]), theirs * games, games)
    return TunerAnswer(LINE, counts, 1.0, 1).compare(np.array([0.8]), np.array([-0.8]))


@pytest.mark.parametrize(
    ("mine", "theirs", "games", "verdict"),
    [
        (0.60, 0.50, 2000, BETTER),  # 70 Elo, six standard errors
        (0.50, 0.60, 2000, KEEP),
        (0.503, 0.50, 200_000, KEEP),  # a gain, nearly surely, but of 2 Elo
        (0.53, 0.50, 600, UNKNOWN),  # 1.5 standard errors
        (0.60, 0.50, 100, UNKNOWN),  # 2 standard errors, but an early look
    ],
)
def test_a_verdict_asks_for_a_sure_gain_and_for_one_worth_a_change(
    mine: float, theirs: float, games: int, verdict: str
) -> None:
    gain = gain_of(mine, theirs, games)
    assert gain.verdict == verdict
    assert gain.low <= gain.mean <= gain.high and gain.worth <= gain.sure
    if verdict == BETTER:
        assert gain.sure >= 0.975 and gain.worth >= 0.9 and gain.more == 0
    if verdict == KEEP:
        assert gain.worth <= 0.1 and gain.more == 0
    if verdict == UNKNOWN:
        assert gain.more is None or gain.more >= 100


@pytest.mark.parametrize(
    ("mean", "sd", "games"),
    [(0.1, 0.08, 1000), (-0.1, 0.1, 1000), (0.25, 0.2, 1000), (0.2, 0.1, 1000),
     (0.5, 0.25, 200), (0.6, 0.3, 100)],
)  # fmt: skip
def test_the_games_that_settle_it_do_so_in_four_runs_of_five(
    mean: float, sd: float, games: float
) -> None:
    """The truth is drawn from what is known, further games are played, and the verdict is looked up."""
    rng = np.random.default_rng(7)
    more = further(mean, sd, WORTHY, games)
    assert more is not None
    truth = rng.normal(mean, sd, 200_000)
    precision = sd**-2
    added = precision * ((1 + more / games) ** homing(games) - 1)
    seen = rng.normal(truth, added**-0.5)
    after = (precision * mean + added * seen) / (precision + added)
    left = (precision + added) ** -0.5
    asked = norm.ppf(1 - 0.025 * min(1.0, (games + more) / 1000) ** 2)  # of early looks more
    better = (after >= asked * left) & (after - WORTHY >= 1.2816 * left)
    keep = after - WORTHY <= -1.2816 * left
    assert 0.78 < float((better | keep).mean()) < 0.87


def test_games_that_settle_it_grow_as_the_gain_nears_what_is_worth_a_change() -> None:
    near, far = further(0.1, 0.08, WORTHY, 1000), further(0.2, 0.08, WORTHY, 1000)
    assert far is not None and near is not None and near > far
    hard = further(WORTHY, 0.08, WORTHY, 1000)  # what is known says either
    assert hard is not None and hard > near


def played(tuner: Tuner, games: int, slope: float, seed: int = 1) -> Tuner:
    rng = np.random.default_rng(seed)
    while tuner._state.games < games:
        for point, count in tuner.ask(20):
            chance = 1 / (1 + math.exp(-slope * float(point["x"])))
            wins = int(rng.binomial(count, chance))
            tuner.tell(point, wins, 0, count - wins)
    return tuner


def test_the_default_is_recommended_unless_a_point_is_likely_to_be_better() -> None:
    default: Point = {"x": 0.25}
    flat = played(Tuner(LINE, 1, default), 300, 0.0)
    assert flat.gain().sure < 0.8 and flat.recommend() == default
    assert flat.report().point == default and flat.report().regret >= 0
    steep = played(Tuner(LINE, 1, default), 300, 2.0)
    assert steep.gain().sure >= 0.8 and float(steep.recommend()["x"]) > 0.5  # type: ignore[arg-type]


def test_a_rounded_point_stays_in_a_narrow_window() -> None:
    """Two tops far apart make the interval of the best value wide; a window about -0.655 is narrow."""
    counts = Counts(1)
    for x in np.linspace(-1, 1, 41):
        counts.add(np.array([x]), 1, 4)
    for x, won, games in (
        (-0.655, 400, 500),
        (-0.675, 20, 100),
        (-0.635, 20, 100),
        (0.6, 160, 200),
    ):
        counts.add(np.array([x]), won, games)
    answer = TunerAnswer(LINE, counts, 1.0, 1)
    places = LINE.places([answer.plain({"x": -0.655}), {"x": -0.655}, {"x": -0.7}])
    rounded, exact, out = answer.team.score(places)
    assert rounded > exact - 0.0021 > out


def test_the_default_gets_more_games_while_it_is_open_whether_something_is_better() -> None:
    default: Point = {"x": -0.9}
    open_yet = played(Tuner(LINE, 2, default), 1000, 0.03)
    assert open_yet._state.at(default) > 0.15 * 1000
    decided = played(Tuner(LINE, 2, default), 1000, 4.0)
    assert decided._state.at(default) < 0.12 * 1000


def test_the_interval_of_a_best_value_holds_the_recommended_one() -> None:
    for seed in (2, 6):
        tuner = Tuner({"x": Float(0, 1), "y": Float(0, 1)}, seed=seed)
        rng = np.random.default_rng(seed)
        for _ in range(100):
            point, games = tuner.ask_one()
            x, y = float(point["x"]), float(point["y"])
            wins = int(rng.binomial(games, 0.75 - 0.5 * x - 0.1 * (y - 0.4) ** 2))  # best at 0
            tuner.tell(point, wins, 0, games - wins)
        for effect in tuner.report().effects:
            assert effect.low is not None and effect.high is not None
            assert effect.low <= float(effect.value) <= effect.high


def test_a_best_value_is_at_an_end_only_if_draws_of_the_top_reach_it() -> None:
    answer = object.__new__(TunerAnswer)
    inside, across = np.linspace(-0.94, -0.9, 100), np.linspace(-1.0, -0.9, 100)
    assert answer._edge(inside - 1e-9) == "" and answer._edge(across - 1e-9) == "low"
    assert answer._edge(-across) == "high" and answer._edge(np.zeros(9)) == ""
