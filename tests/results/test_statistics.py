import json
import math
from dataclasses import astuple
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from joute.results.gain import paired_gain
from joute.results.statistics import (
    EDGE,
    Estimate,
    elo_of,
    estimate,
    estimate_means,
    formula,
    is_sure,
    pair_counts,
    resolvable_elo,
    score_of,
    wilson,
)

VECTORS = {
    one["id"]: one
    for one in json.loads(Path(__file__).with_name("stat_vectors.json").read_text("utf-8"))[
        "vectors"
    ]
}
FISHTEST = [name for name in VECTORS if name.startswith("ft_")]
FASTCHESS = [name for name in VECTORS if name.startswith("fc_elo")]

cells = st.one_of(st.just(0), st.integers(0, 3), st.integers(0, 40), st.integers(0, 10**6))
all_counts = st.one_of(st.lists(cells, min_size=n, max_size=n) for n in (3, 5))
means = st.lists(st.floats(0, 1), max_size=60)


def worst_first(vector):
    counts = vector["counts"]
    if vector["counts_order"] == "wins,losses,draws":
        return [counts[1], counts[2], counts[0]]
    if len(counts) == 6:
        return [counts[0], counts[1], counts[2] + counts[3], counts[4], counts[5]]
    return counts


@pytest.mark.parametrize("name", FISHTEST)
def test_fishtest_vectors(name):
    expected = VECTORS[name]["expected"]
    found = formula(worst_first(VECTORS[name]))
    near = dict(rel=1e-6, abs=1e-9)
    assert found.elo == pytest.approx(expected["elo"], **near)
    assert found.elo_error == pytest.approx(expected["elo_err95"], **near)
    assert found.nelo == pytest.approx(expected["nelo"], **near)
    assert found.los == pytest.approx(expected["los"], **near)


@pytest.mark.parametrize("name", FASTCHESS)
def test_fastchess_vectors(name):
    expected = VECTORS[name]["expected"]
    found = formula(worst_first(VECTORS[name]))
    assert found.nelo == pytest.approx(expected["nelo"], rel=0.01)
    assert found.nelo_error == pytest.approx(expected["nelo_err95"], rel=0.01)
    assert found.score == pytest.approx(expected["score"], abs=0.0006)
    if "elo" in expected:
        assert found.elo == pytest.approx(expected["elo"], rel=0.01)
        assert found.elo_error == pytest.approx(expected["elo_err95"], rel=0.01)
    if "los_pct" in expected:
        assert 100 * found.los == pytest.approx(expected["los_pct"], rel=0.01)


@pytest.mark.parametrize("name", ["elo_-100", "elo_5", "elo_200"])
def test_logistic_vectors(name):
    vector = VECTORS[name]
    assert score_of(vector["elo"]) == pytest.approx(vector["expected"]["score"], abs=1e-12)
    assert elo_of(vector["expected"]["score"]) == pytest.approx(vector["elo"], abs=1e-9)


def test_openbench_intervals():
    vector = VECTORS["ob_main"]
    for counts, key in (("R3_LDW", "tri"), ("R5", "penta")):
        found = estimate(vector[counts])
        expected = vector["expected"][f"elo_lo_mid_hi_{key}"]
        assert [found.elo_low, found.elo, found.elo_high] == pytest.approx(expected, abs=1e-3)
    # OpenBench divides by N, not N - 1: its interval is sqrt(19 / 20) of ours in score.
    small = estimate([3, 4, 13])
    low, middle, high = map(score_of, vector["expected"]["elo_small_tri_3_4_13"])
    ratio = math.sqrt(20 / 19)
    assert small.elo == pytest.approx(191, abs=0.5)
    assert small.score_low == pytest.approx(middle - ratio * (middle - low), abs=1e-6)
    assert small.score_high == pytest.approx(middle + ratio * (high - middle), abs=1e-6)


def test_estimate_uses_the_formulas_from_thirty_blocks_on():
    counts = [379, 10170, 21828, 10640, 343]
    found, large = estimate(counts), formula(counts)
    assert found.method == "normal" and found.note == ""
    assert (found.elo, found.elo_error, found.los) == (large.elo, large.elo_error, large.los)
    assert found.score == pytest.approx((10170 + 2 * 21828 + 3 * 10640 + 4 * 343) / 4 / 43360)
    assert estimate([10, 9, 11]).method == "normal"
    assert estimate([10, 9, 10]).method == "Student t"


def test_student_interval_by_hand():
    # Values 0.5 x 3, 0.75 x 4, 1 x 2: mean 0.722, s = 0.1954, t(8) = 2.306.
    found = estimate([0, 0, 3, 4, 2])
    assert found.method == "Student t" and "9 blocks" in found.note
    assert found.score == pytest.approx(0.722222, abs=1e-6)
    assert found.score_low == pytest.approx(0.722222 - 2.306004 * 0.1954340 / 3, abs=1e-5)
    assert found.score_high == pytest.approx(0.722222 + 2.306004 * 0.1954340 / 3, abs=1e-5)


def test_wilson_by_hand():
    # Textbook: 8 of 10 gives 0.4902 to 0.9433.
    assert wilson(8, 10) == pytest.approx((0.490162, 0.943318), abs=1e-6)
    assert wilson(0, 0) == (0, 1)
    low, high = wilson(10, 10)
    assert high == 1 and low == pytest.approx(10 / (10 + 1.959964**2), abs=1e-6)
    found = estimate([2, 0, 8])
    assert found.method == "Wilson"
    assert (found.score_low, found.score_high) == pytest.approx(wilson(8, 10))
    assert found.los == pytest.approx(0.971110, abs=1e-6)  # Phi(0.3 / (0.5 / sqrt 10))
    # An interval that starts at 1/2 goes with the test that accepts at 97.5 %.
    edges = [
        (wilson(wins, 25)[0] > 0.5, estimate([25 - wins, 0, wins]).los > 0.975)
        for wins in range(1, 25)
    ]
    assert all(above == sure for above, sure in edges) and (True, True) in edges
    with pytest.raises(ValueError):
        wilson(3, 2)


def test_no_block_and_one_block_are_said_in_words():
    none = estimate([0, 0, 0, 0, 0])
    assert (none.blocks, none.score_low, none.score_high) == (0, 0, 1)
    assert none.elo is None and none.note == "no block was played"
    one = estimate([0, 0, 0, 0, 1])
    assert one.score == 1 and one.score_low == pytest.approx(0.05) and one.elo is None
    assert one.note.startswith("a single block")
    assert estimate_means([]).note == none.note and estimate_means([0.3]).note == one.note


@pytest.mark.parametrize("blocks", [2, 29, 30, 5000])
def test_all_blocks_alike_get_an_exact_bound_and_no_elo_interval(blocks):
    won, even = estimate([0, 0, 0, 0, blocks]), estimate([0, 0, blocks, 0, 0])
    for found in (won, even):
        assert found.method == "exact bound"
        assert found.note.startswith(f"all {blocks} blocks ended the same way")
        assert found.elo_low is found.elo_high is found.elo_error is found.nelo is None
    assert won.score_low**blocks == pytest.approx(0.05) and won.score_high == 1
    assert won.elo is None and even.elo == 0
    assert even.score_low < 0.5 < even.score_high
    assert even.score_high - even.score_low == pytest.approx(1 - 0.05 ** (1 / blocks))


def test_a_score_beyond_the_scale_has_no_elo():
    found = estimate([0, 0, 0, 1, 99_999])
    assert found.elo is found.elo_low is None and "too near" in found.note
    assert estimate([0, 0, 0, 1, 39]).note.startswith("the interval is cut")


@pytest.mark.parametrize(
    "counts", [[1, 2], [1, 2, 3, 4], [1, -1, 0], [1, math.nan, 2], [1, math.inf, 2], [0.5, 1, 2]]
)
def test_impossible_counts_are_refused(counts):
    with pytest.raises(ValueError):
        estimate(counts)


def check(found: Estimate) -> None:
    for one in astuple(found):
        assert not isinstance(one, float) or math.isfinite(one), found
    assert 0 <= found.score_low <= found.score <= found.score_high <= 1
    assert found.score_low < found.score_high
    if found.elo_low is not None:
        assert found.elo is not None and found.elo_low <= found.elo
    if found.elo_high is not None:
        assert found.elo is not None and found.elo_high >= found.elo
    if found.elo_error is not None:
        assert found.elo_error > 0
    assert found.los is None or 0 <= found.los <= 1
    assert found.method in ("normal", "Student t", "Wilson", "exact bound")


def mirrored(found: Estimate, other: Estimate) -> None:
    def opposite(a, b):
        assert (a is None) == (b is None)
        assert a is None or a == pytest.approx(-b, rel=1e-6, abs=1e-6)

    opposite(found.elo, other.elo)
    opposite(found.elo_low, other.elo_high)
    opposite(found.elo_high, other.elo_low)
    opposite(found.nelo, other.nelo)
    assert found.score_low == pytest.approx(1 - other.score_high, abs=1e-9)
    if found.los is not None:
        assert found.los == pytest.approx(1 - other.los, abs=1e-9)


@given(all_counts)
def test_any_counts_give_finite_numbers_and_mirror_when_players_swap(counts):
    found = estimate(counts)
    check(found)
    mirrored(found, estimate(counts[::-1]))


@given(means)
def test_any_means_give_finite_numbers(values):
    found = estimate_means(values)
    check(found)
    assert found.nelo is None and found.blocks == len(values)
    assert estimate_means(values, elo=False).elo is None


@given(st.lists(st.integers(0, 4), min_size=1, max_size=80))
def test_counts_and_means_of_the_same_pairs_agree(quarters):
    values = [quarter / 4 for quarter in quarters]
    one, other = estimate(pair_counts(values)), estimate_means(values, pairs=True)
    assert one.method == other.method and one.note == other.note
    near = 1e-9 if one.method != "normal" else 0.003  # empty cells are filled in the counts alone
    assert one.score == pytest.approx(other.score)
    assert one.score_low == pytest.approx(other.score_low, abs=near)
    assert one.score_high == pytest.approx(other.score_high, abs=near)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=29))
def test_no_few_pairs_claim_more_than_as_many_perfect_ones(quarters):
    found, perfect = (
        estimate(pair_counts(v)) for v in ([q / 4 for q in quarters], [1.0] * len(quarters))
    )
    assert found.score_low <= perfect.score_low and found.score_high >= 1 - perfect.score_low
    assert not is_sure(found) or is_sure(perfect)
    assert is_sure(found) == (found.score_low > 0.5 or found.score_high < 0.5)
    gain = paired_gain([q / 4 for q in quarters], [0.5] * len(quarters))
    assert not (gain.better or gain.worse) or is_sure(perfect)


@given(all_counts.filter(lambda counts: counts[0] > 0))
def test_a_loss_turned_into_a_win_raises_elo(counts):
    better = [counts[0] - 1, *counts[1:-1], counts[-1] + 1]
    assert formula(better).score > formula(counts).score
    before, after = estimate(counts), estimate(better)
    assert after.score > before.score
    if before.elo is not None and after.elo is not None:
        assert after.elo >= before.elo


@given(st.floats(EDGE, 1 - EDGE))
def test_elo_and_score_are_inverse(score):
    assert score_of(elo_of(score)) == pytest.approx(score, rel=1e-12)


def test_elo_is_refused_at_the_ends_and_score_never_overflows():
    for score in (0, 1, -0.1, math.nan):
        with pytest.raises(ValueError):
            elo_of(score)
    assert score_of(1e9) == 1 and 0 <= score_of(-1e9) < 1e-100


def test_pair_counts():
    assert pair_counts([0, 0.25, 0.5, 0.5, 1]) == (1, 1, 2, 0, 1)
    assert pair_counts([]) == (0, 0, 0, 0, 0)
    for wrong in (0.3, 1.25, -0.25, math.nan):
        with pytest.raises(ValueError):
            pair_counts([wrong])


def test_means_outside_the_unit_interval_are_refused():
    for wrong in ([1.2], [-0.1, 0.5], [math.nan], [[0.5]]):
        with pytest.raises(ValueError):
            estimate_means(wrong)


PAIRS = np.array([0.1, 0.2, 0.3, 0.25, 0.15])
MEAN = float(PAIRS @ np.arange(5) / 4)


@pytest.mark.parametrize("blocks", [8, 20, 100])
def test_intervals_cover_the_truth_about_19_times_in_20(blocks):
    rng = np.random.default_rng(20)
    found = [estimate(counts.tolist()) for counts in rng.multinomial(blocks, PAIRS, size=1500)]
    covered = np.mean([one.score_low <= MEAN <= one.score_high for one in found])
    assert 0.925 <= covered <= 0.97


def test_wilson_covers_the_truth():
    rng = np.random.default_rng(21)
    covered = [
        one.score_low <= 0.6 <= one.score_high
        for wins in rng.binomial(20, 0.6, size=1500)
        for one in [estimate([20 - int(wins), 0, int(wins)])]
    ]
    assert 0.93 <= np.mean(covered) <= 0.98


def test_equal_engines_read_zero_and_a_planted_difference_is_found():
    rng = np.random.default_rng(22)

    def pairs(elo, blocks):
        wins = rng.random((blocks, 2)) < score_of(elo)
        return estimate(pair_counts(wins.mean(axis=1)))

    same = pairs(0, 2000)
    assert same.elo_low < 0 < same.elo_high
    stronger = pairs(40, 2000)
    assert 0 < stronger.elo_low < 40 < stronger.elo_high and stronger.los > 0.999


def test_resolvable_elo_is_found_four_times_in_five():
    blocks, rng = 400, np.random.default_rng(23)
    target = resolvable_elo(blocks)
    wins = rng.random((800, blocks, 2)) < score_of(target)
    found = [estimate(pair_counts(row)) for row in wins.mean(axis=2)]
    assert 0.76 <= np.mean([one.score_low > 0.5 for one in found]) <= 0.84


def test_resolvable_elo_shrinks_with_blocks_and_draws():
    sizes = [resolvable_elo(blocks) for blocks in (8, 29, 30, 100, 10_000)]
    assert all(a > b for a, b in pairwise(sizes))
    assert sizes[3] == pytest.approx(2 * resolvable_elo(400), rel=0.02)
    assert resolvable_elo(100, 0.75) == pytest.approx(sizes[3] / 2, rel=0.02)
    assert resolvable_elo(0) is resolvable_elo(1) is resolvable_elo(2) is None
    with pytest.raises(ValueError):
        resolvable_elo(100, 1.5)
