import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from joute.results.sprt import Sprt, _worse, overshoot
from joute.results.statistics import score_of
from tests.support.marks import slow

VECTORS = {
    one["id"]: one
    for one in json.loads(Path(__file__).with_name("stat_vectors.json").read_text("utf-8"))[
        "vectors"
    ]
}
FISHTEST = [name for name in VECTORS if name.startswith("ft_")]
FASTCHESS = [name for name in VECTORS if name.startswith("fc_sprt")]

cells = st.one_of(st.just(0), st.integers(0, 3), st.integers(0, 40), st.integers(0, 10**6))
all_counts = st.one_of(st.lists(cells, min_size=n, max_size=n) for n in (3, 5))
tests = st.builds(
    lambda low, gap, model: Sprt(low, low + gap, model=model),
    st.floats(-100, 50),
    st.floats(0.5, 100),
    st.sampled_from(["logistic", "normalized"]),
)


@pytest.mark.parametrize("model", ["logistic", "normalized"])
@pytest.mark.parametrize("name", FISHTEST)
def test_fishtest_vectors(name, model):
    vector = VECTORS[name]
    expected, counts = vector["expected"], vector["counts"]
    test = Sprt(vector["elo0"], vector["elo1"], vector["alpha"], vector["beta"], model)
    assert test.llr(counts) == pytest.approx(expected[f"llr_{model}"], rel=1e-6)
    after, wanted = test.after(counts), expected[f"sprt_median_unbiased_{model}"]
    # fishtest sums its series to 1e-9, and falls back on a rougher one when all games are won.
    near = dict(rel=2e-4 if name == "ft_allwins_penta" else 1e-6, abs=1e-4)
    assert after.elo == pytest.approx(wanted["elo"], **near)
    assert [after.low, after.high] == pytest.approx(wanted["ci"], **near)
    assert after.los == pytest.approx(wanted["LOS"], rel=1e-6)


@pytest.mark.parametrize("name", FASTCHESS)
def test_fastchess_vectors(name):
    vector = VECTORS[name]
    test = Sprt(vector["elo0"], vector["elo1"], vector["alpha"], vector["beta"], vector["model"])
    llr = test.llr(vector["fishtest_results_LDW_or_penta"])
    assert llr == pytest.approx(vector["fishtest_llr"], rel=1e-6)
    assert llr == pytest.approx(vector["expected"]["llr"], rel=1e-3, abs=0.006)


@pytest.mark.parametrize("name", ["wald_0.05_0.05", "wald_0.05_0.1"])
def test_wald_vectors(name):
    vector = VECTORS[name]
    expected = vector["expected"]["lower"], vector["expected"]["upper"]
    found = Sprt(0, 5, vector["alpha"], vector["beta"]).bounds()
    assert found == pytest.approx(expected, abs=1e-12)


def test_openbench_pentanomial_vector():
    vector = VECTORS["ob_main"]
    test = Sprt(vector["elo0"], vector["elo1"], model="normalized")
    assert test.llr(vector["R5"]) == pytest.approx(vector["expected"]["penta_llr"], rel=1e-3)


def test_ten_wins_are_not_proof():
    test = Sprt(0, 50)
    assert test.llr([0, 0, 10]) == pytest.approx(1.336, abs=5e-4)
    assert test.verdict([0, 0, 10]) == "continue"
    assert test.verdict([0, 0, 100]) == "H1" and test.verdict([100, 0, 0]) == "H0"
    assert test.llr([0, 0, 0]) == 0 and test.verdict([0, 0, 0]) == "continue"


def test_the_ratio_is_that_of_the_constrained_maxima():
    # Slow twin: maximise the multinomial likelihood under each mean directly.
    counts, values = np.array([5, 9, 20, 12, 8]), np.arange(5) / 4

    def best(score):
        found = minimize(
            lambda p: -counts @ np.log(p),
            np.full(5, 0.2),
            bounds=[(1e-9, 1)] * 5,
            constraints=[
                {"type": "eq", "fun": lambda p: p.sum() - 1},
                {"type": "eq", "fun": lambda p: p @ values - score},
            ],
            options={"ftol": 1e-13, "maxiter": 500},
        )
        return -found.fun

    twin = best(score_of(60)) - best(score_of(-10))
    assert Sprt(-10, 60).llr(counts.tolist()) == pytest.approx(twin, abs=1e-5)


@pytest.mark.parametrize(
    "arguments",
    [
        dict(elo0=5, elo1=5),
        dict(elo0=5, elo1=0),
        dict(elo0=0, elo1=math.nan),
        dict(elo0=0, elo1=2000),
        dict(elo0=0, elo1=300, model="normalized"),
        dict(elo0=0, elo1=5, alpha=0),
        dict(elo0=0, elo1=5, alpha=0.5),
        dict(elo0=0, elo1=5, beta=-0.1),
        dict(elo0=0, elo1=5, beta=math.nan),
        dict(elo0=0, elo1=5, model="bayesian"),
    ],
)
def test_wrong_arguments_get_a_line(arguments):
    with pytest.raises(ValueError) as error:
        Sprt(**arguments)
    assert "\n" not in str(error.value)


@given(tests, all_counts)
def test_ratio_is_finite_and_changes_sign_when_players_swap(test, counts):
    llr = test.llr(counts)
    assert math.isfinite(llr)
    swapped = Sprt(-test.elo1, -test.elo0, model=test.model)
    assert swapped.llr(counts[::-1]) == pytest.approx(-llr, rel=1e-5, abs=1e-5)


@given(all_counts.filter(lambda counts: counts[0] > 0), st.floats(-100, 50), st.floats(1, 100))
def test_a_loss_turned_into_a_win_raises_the_ratio(counts, low, gap):
    test = Sprt(low, low + gap)
    better = [counts[0] - 1, *counts[1:-1], counts[-1] + 1]
    if counts[0] > 1:  # else an empty cell is filled, which is another distribution
        assert test.llr(better) > test.llr(counts) - 1e-6


@settings(max_examples=60)
@given(tests, all_counts)
def test_the_estimate_after_lies_in_its_interval(test, counts):
    found = test.after(counts)
    assert -1000 <= found.low <= found.elo <= found.high <= 1000
    assert 0 <= found.los <= 1
    assert found.low < found.high or found.note


def test_too_little_to_estimate_is_said():
    assert Sprt(0, 10).after([0, 0, 0]).note == "no block was played"
    assert "same way" in Sprt(0, 10).after([0, 40, 0]).note
    assert "12 blocks" in Sprt(0, 10).after([3, 4, 5]).note


@pytest.mark.parametrize("drift", [-1.5, -0.2, 0.0, 0.3, 2.0])
def test_brownian_chance_against_a_slow_random_walk(drift):
    lower, upper, sigma, end = -1.0, 1.4, 1.1, 0.3
    time, steps, half = 0.9, 6000, 120
    # Lazy lattice walk killed at both bounds, stepped as an explicit diffusion.
    x = np.linspace(lower, upper, half + 1)
    gap, dt = x[1] - x[0], time / steps
    up = sigma**2 * dt / (2 * gap**2) + drift * dt / (2 * gap)
    down = sigma**2 * dt / (2 * gap**2) - drift * dt / (2 * gap)
    mass, left = np.zeros(half + 1), 0.0
    mass[int(np.argmin(np.abs(x)))] = 1.0
    for _ in range(steps):
        after = mass * (1 - up - down)
        after[1:] += up * mass[:-1]
        after[:-1] += down * mass[1:]
        left += after[0]
        after[0] = after[-1] = 0.0
        mass = after
    at = int(np.argmin(np.abs(x - end)))
    twin = left + mass[:at].sum() + mass[at] / 2
    assert _worse(lower, upper, drift, sigma, time, float(x[at])) == pytest.approx(twin, abs=2e-3)


@given(
    st.floats(-3, 3),
    st.floats(0.05, 3),
    st.floats(1e-3, 200),
    st.floats(-2.9, 2.9),
    st.floats(0, 1),
)
def test_brownian_chance_is_a_distribution(drift, sigma, time, end, step):
    def chance(drift, end):
        return _worse(-2.94, 2.94, drift, sigma, time, end)

    assert chance(drift, end) <= chance(drift, min(2.94, end + step)) + 1e-9
    assert chance(drift + step, end) <= chance(drift, end) + 1e-9
    assert chance(-drift, -end) == pytest.approx(1 - chance(drift, end), abs=1e-7)


def test_overshoot_by_hand():
    # Record lows -1, -3 (jumps 1, 2); record highs 0.5, 1 (jumps 0.5, 0.5).
    below, above = overshoot([-1, 0.5, -3, -2.5, 1.0])
    assert below == pytest.approx((1 + 4) / (2 * 3)) and above == pytest.approx(0.25)
    assert overshoot([]) == (0, 0)
    assert Sprt(0, 5).bounds(0.5, 0.25) == pytest.approx((-2.444439, 2.694439), abs=1e-6)
    assert Sprt(0, 5).bounds(9, 9) == (0, 0)


def play(rng, elo, test, limit):
    """Feed pairs of independent games without draws to a test, in schedule order."""
    watch, counts = test.watch(), [0] * 5
    pairs = (rng.random((limit, 2)) < score_of(elo)).sum(axis=1) * 2
    for pair in pairs:
        counts[pair] += 1
        if watch.feed(counts) != "continue":
            break
    return watch, counts


@pytest.mark.parametrize("elo, wrong", [(0, "H1"), slow(150, "H0")])
def test_error_rates_hold_on_the_prefix(elo, wrong):
    rng, test = np.random.default_rng(30), Sprt(0, 150)
    ends = [play(rng, elo, test, 600)[0].verdict for _ in range(400)]
    assert "continue" not in ends
    assert 0.01 <= np.mean([end == wrong for end in ends]) <= 0.08


def test_the_bounds_that_are_shown_are_those_that_decide():
    watch, _ = play(np.random.default_rng(30), 150, Sprt(0, 150), 600)
    assert watch.bounds == Sprt(0, 150).bounds(*overshoot(watch.llrs))
    assert watch.verdict == "H1" and watch.llrs[-1] > watch.bounds[1]


def test_a_decision_is_final():
    watch = Sprt(0, 50).watch()
    assert watch.feed([0, 0, 0, 0, 60]) == "H1"
    assert watch.feed([99, 0, 0, 0, 60]) == "H1" and len(watch.llrs) == 1


def test_the_estimate_after_is_median_unbiased_and_covers():
    rng, test, truth = np.random.default_rng(31), Sprt(0, 100), 80.0
    found = []
    for _ in range(150):
        watch, counts = play(rng, truth, test, 1500)
        found.append((test.after(counts, watch.llrs), counts))
    above = np.mean([one.elo > truth for one, _ in found])
    covered = np.mean([one.low <= truth <= one.high for one, _ in found])
    assert 0.38 <= above <= 0.62
    assert covered >= 0.9


def test_equal_engines_read_zero_after_a_test():
    rng, test = np.random.default_rng(32), Sprt(-50, 50)
    watch, counts = play(rng, 0, test, 300)
    after = test.after(counts, watch.llrs)
    assert after.low < 0 < after.high
