import json
import math
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtr

from joute.results.ratings.bradley_terry import bradley_terry
from joute.results.ratings.fitting import ELO
from joute.results.ratings.ratings import AWAY, Difference, Ratings, ties_with_best

VECTORS = {
    one["id"]: one
    for one in json.loads(Path(__file__).with_name("stat_vectors.json").read_text("utf-8"))[
        "vectors"
    ]
}


def simulate(rng, true, games, draws=0.7, openings=None):
    """Games of random pairs drawn from the model, a share of the likelier losses drawn; each its own
    cluster unless `openings` says.
    """
    first = rng.integers(0, len(true), games)
    second = (first + rng.integers(1, len(true), games)) % len(true)
    win = 1 / (1 + np.exp(-(true[first] - true[second]) / ELO))
    drawn = draws * np.minimum(win, 1 - win)
    chances = np.cumsum([win - drawn / 2, drawn], axis=0)
    result = 1 - 0.5 * (rng.random(games) > chances).sum(axis=0)
    cluster = np.arange(games) if openings is None else rng.integers(0, openings, games)
    return first, second, result, cluster


def check(ratings):
    """What holds of any ratings: finite numbers, parts centred, intervals around the estimates."""
    assert np.all(np.isfinite(ratings.elo)) and np.all(np.isfinite(ratings.covariance))
    for number in np.unique(ratings.part):
        inside = ratings.part == number
        known = inside if ratings.away is None else inside & (np.abs(ratings.away) < AWAY)
        zero = known if known.sum() > 1 else inside
        assert ratings.elo[zero].sum() == pytest.approx(0, abs=1e-6)
    for i in range(len(ratings.names)):
        interval = ratings.interval(i)
        assert interval is None or interval[0] < ratings.elo[i] < interval[1]
        for j in range(i):
            found, other = ratings.difference(i, j), ratings.difference(j, i)
            if found.elo is None:
                assert ratings.part[i] != ratings.part[j] and other == found
                continue
            assert found.low < found.elo < found.high and 0 <= found.los <= 1
            assert found.elo == pytest.approx(-other.elo)
            assert found.low == pytest.approx(-other.high)
            assert found.los == pytest.approx(1 - other.los, abs=1e-9)


def test_two_entrants_differ_by_the_elo_of_their_score():
    first, second = np.tile([0, 1], 40), np.tile([1, 0], 40)
    result = np.array([1.0] * 30 + [0.5] * 30 + [0.0] * 20)
    ratings = bradley_terry(first, second, result, np.arange(80) // 2, "AB")
    score = np.where(first == 0, result, 1 - result).mean()
    expected = 400 * math.log10(score / (1 - score))
    assert ratings.difference(0, 1).elo == pytest.approx(expected, abs=1e-6)


def test_it_stays_so_when_another_joins():
    """A third one that meets only B changes nothing between A and B."""
    games = [(0, 1, r) for r in [1.0] * 12 + [0.5] * 20 + [0.0] * 8]
    alone = bradley_terry(*zip(*games, strict=True), range(40), "AB").difference(0, 1).elo
    games += [(1, 2, r) for r in [1.0] * 20 + [0.5] * 20 + [0.0] * 5]
    three = bradley_terry(*zip(*games, strict=True), range(85), "ABC")
    assert three.difference(0, 1).elo == pytest.approx(alone, abs=1e-6)


def test_without_draws_it_is_bradley_terry():
    vector = VECTORS["bt_pairwise_choix"]
    table = vector["pairs_winner_loser"].items()
    wins = [tuple(map(int, key.split(">"))) for key, count in table for _ in range(count)]
    first, second = zip(*wins, strict=True)
    ratings = bradley_terry(first, second, [1] * len(wins), range(len(wins)), ["x", "y", "z"])
    strengths = ratings.elo * math.log(10) / 400
    assert strengths == pytest.approx(np.array(vector["expected"]), abs=1e-5)
    check(ratings)


def test_planted_ratings_are_found_and_covered():
    rng, true = np.random.default_rng(40), np.array([60.0, 10.0, 0.0, -70.0])
    inside = []
    for _ in range(100):
        ratings = bradley_terry(*simulate(rng, true, 600), list("ABCD"))
        for i, (low, high) in enumerate(map(ratings.interval, range(4))):
            inside.append(low <= true[i] <= high)
        gap = ratings.difference(0, 3)
        inside.append(gap.low <= 130 <= gap.high)
    assert 0.92 <= np.mean(inside) <= 0.98
    big = bradley_terry(*simulate(rng, true, 40_000), list("ABCD"))
    assert big.elo == pytest.approx(true, abs=8)
    assert big.difference(1, 3).los > 0.999


@pytest.mark.slow
@pytest.mark.parametrize("openings", [12, 60])
def test_engine_against_itself_reads_zero_where_openings_decide(openings):
    # Each opening favours one of two equal engines in all of its eight games.
    rng, covered, naive = np.random.default_rng(41), [], []
    for _ in range(150):
        push = np.repeat(rng.normal(0, 250, openings), 8)
        first = np.tile([0, 1], 4 * openings)
        chance = 1 / (1 + 10 ** (-np.where(first == 0, push, -push) / 400))
        result = (rng.random(len(push)) < chance).astype(float)
        cluster = np.repeat(np.arange(openings), 8)
        gap = bradley_terry(first, 1 - first, result, cluster, "AB").difference(0, 1)
        covered.append(gap.low < 0 < gap.high)
        gap = bradley_terry(first, 1 - first, result, np.arange(len(first)), "AB").difference(0, 1)
        naive.append(gap.low < 0 < gap.high)
    assert np.mean(covered) >= 0.91
    assert np.mean(naive) < 0.88


def test_sandwich_by_hand():
    # Openings of two games: A wins both at 20, B at 8, the first player at 6, the second at 6.
    # The log odds of A's wins are a logit with clustered errors.
    pairs = [(1, 0)] * 20 + [(0, 1)] * 8 + [(1, 1)] * 6 + [(0, 0)] * 6
    cluster = np.repeat(np.arange(40), 2)
    ratings = bradley_terry([0, 1] * 40, [1, 0] * 40, np.ravel(pairs), cluster, "AB")
    rate = (2 * 20 + 12) / 80
    rests = np.repeat([2, 0, 1], [20, 8, 12]) - 2 * rate
    error = math.sqrt(40 / 39 * (rests @ rests)) / (80 * rate * (1 - rate)) * 400 / math.log(10)
    gap = ratings.difference(0, 1)
    assert gap.elo == pytest.approx(400 * math.log10(rate / (1 - rate)))
    assert gap.high - gap.elo == pytest.approx(1.959964 * error, rel=1e-6)


def test_copies_of_games_at_the_same_openings_add_no_evidence():
    games = simulate(np.random.default_rng(42), np.array([30.0, 0.0, -30.0]), 900, openings=150)
    once = bradley_terry(*games, list("ABC"))
    copied = bradley_terry(*(np.tile(column, 5) for column in games), list("ABC"))
    assert copied.elo == pytest.approx(once.elo, abs=1e-6)
    assert copied.covariance == pytest.approx(once.covariance, rel=1e-6)


def test_order_and_numbering_do_not_matter():
    rng = np.random.default_rng(43)
    games = simulate(rng, np.array([30.0, 0.0, -30.0]), 300, openings=50)
    one = bradley_terry(*games, ["A", "B", "C"])
    order, names = rng.permutation(300), np.array([2, 0, 1])
    first, second, result, cluster = (column[order] for column in games)
    other = bradley_terry(names[first], names[second], result, cluster * 7 - 3, ["B", "C", "A"])
    assert other.elo[names] == pytest.approx(one.elo, abs=1e-6)
    assert other.covariance[np.ix_(names, names)] == pytest.approx(one.covariance, rel=1e-6)


def test_reversed_results_reverse_everything():
    first, second, result, cluster = simulate(
        np.random.default_rng(44), np.array([50.0, 0.0, -30.0]), 400
    )
    one = bradley_terry(first, second, result, cluster, "ABC")
    other = bradley_terry(first, second, 1 - result, cluster, "ABC")
    assert other.elo == pytest.approx(-one.elo, abs=1e-6)
    seats = bradley_terry(second, first, 1 - result, cluster, "ABC")
    assert seats.elo == pytest.approx(one.elo, abs=1e-6)


def test_parts_without_games_between_them():
    a = simulate(np.random.default_rng(45), np.array([50.0, -50.0]), 400, openings=60)
    b = simulate(np.random.default_rng(46), np.array([20.0, -20.0]), 400, openings=60)
    first, second = np.append(a[0], b[0] + 2), np.append(a[1], b[1] + 2)
    ratings = bradley_terry(first, second, np.append(a[2], b[2]), np.append(a[3], b[3]), "ABCDE")
    check(ratings)
    assert "A, B; C, D; E" in ratings.notes[0]
    assert ratings.difference(0, 2) == Difference(None, None, None, None)
    assert ratings.interval(4) is None and ratings.interval(0) is not None
    assert ties_with_best(ratings)[2:] == [True, True, True]


def both_ways(results, openings=40):
    """Two seatings of entrants 0 and 1 at each opening: results for whoever is first."""
    first = np.tile([0, 1], openings)
    return first, 1 - first, np.tile(results, openings), np.repeat(np.arange(openings), 2)


def test_an_entrant_that_won_everything_stays_finite_and_is_named():
    a = simulate(np.random.default_rng(47), np.array([30.0, -30.0]), 400, openings=60)
    first = np.append(a[0], [2, 0, 2, 1] * 10)
    second = np.append(a[1], [0, 2, 1, 2] * 10)
    result = np.append(a[2], [1, 0, 1, 0] * 10)
    cluster = np.append(a[3], np.repeat(np.arange(20), 2))
    ratings = bradley_terry(first, second, result, cluster, ["A", "B", "Champion"])
    check(ratings)
    assert "how strong Champion may be: a weak prior" in ratings.notes[0]
    assert 300 < ratings.difference(2, 0).elo < 2000
    assert ratings.elo_interval(2) == (None, ratings.interval(2)[0], None)
    assert ratings.elo_interval(0) == (ratings.elo[0], *ratings.interval(0))
    assert ties_with_best(ratings) == [False, False, True]
    # The others are hardly moved by the prior.
    alone = bradley_terry(*a, ["A", "B"]).difference(0, 1)
    assert ratings.difference(0, 1).elo == pytest.approx(alone.elo, rel=0.1)
    loser = bradley_terry(second, first, result, cluster, ["A", "B", "Last"])
    assert "how weak Last may be" in loser.notes[0]


def test_results_without_a_maximum_are_held_and_explained():
    ratings = bradley_terry(*both_ways([1.0, 0.0]), ["A", "B"])
    check(ratings)
    assert "no limit to how strong A may be, nor to how weak B may be:" in ratings.notes[0]
    assert max(abs(ratings.elo)) < 2000


def test_draws_alone_are_even():
    ratings = bradley_terry(*both_ways([0.5, 0.5]), ["A", "B"])
    check(ratings)
    assert ratings.elo == pytest.approx(0, abs=1e-9) and ratings.away is None
    assert any("same at every opening" in note for note in ratings.notes)


def test_openings_that_all_agree_get_no_interval_of_zero_width():
    # At every opening A wins both games of one kind and loses both of the other: no spread at all.
    first = np.tile([0, 1, 0, 1], 50)
    result = np.tile([1.0, 0.0, 0.0, 1.0], 50)
    ratings = bradley_terry(first, 1 - first, result, np.repeat(np.arange(50), 4), "AB")
    check(ratings)
    assert any("same at every opening" in note for note in ratings.notes)
    # 200 independent games: the error of the natural log of the odds is 2 / sqrt(200).
    half = 1.96 * 400 / math.log(10) * 2 / math.sqrt(200)
    assert ratings.difference(0, 1).high == pytest.approx(half, rel=0.01)


def test_few_openings_use_student_and_are_said():
    games = simulate(np.random.default_rng(48), np.array([0.0, 0.0]), 400, openings=6)
    ratings = bradley_terry(*games, "AB")
    check(ratings)
    assert ratings.notes == ["only 6 openings: the intervals are rough (Student t)"]
    gap, contrast = ratings.difference(0, 1), np.array([1, -1])
    error = math.sqrt(contrast @ ratings.covariance @ contrast)
    assert (gap.high - gap.low) / 2 == pytest.approx(2.570582 * error)  # t(5)
    assert gap.los == pytest.approx(stdtr(5, gap.elo / error))
    assert error >= 0.98 * ELO / math.sqrt(400 / 4)  # no less than independent games would give
    one = bradley_terry(games[0], games[1], games[2], np.zeros(400), "AB")
    check(one)
    assert "a single opening" in one.notes[0]


def test_the_first_of_level_entrants_leads_whatever_a_machine_rounds():
    for noise in (1e-11, -1e-11):
        elo = np.array([-30.0, 15.0, 15.0 + noise])
        ratings = Ratings(["c", "a", "b"], elo, np.eye(3), np.zeros(3, int), clusters=100)
        assert ratings.best == 1 and ties_with_best(ratings) == [False, True, True]


def test_nothing_to_rate():
    for names in ([], ["A"], ["A", "B"]):
        ratings = bradley_terry([], [], [], [], names)
        check(ratings)
        assert ratings.notes == ["no game between two entrants: nothing to rate"]
        assert ties_with_best(ratings) == [True] * len(names)


@pytest.mark.parametrize(
    "games",
    [
        ([0], [0], [1], [0]),
        ([0], [2], [1], [0]),
        ([-1], [1], [1], [0]),
        ([0], [1], [0.7], [0]),
        ([0], [1], [math.nan], [0]),
        ([0, 1], [1], [1], [0]),
    ],
)
def test_impossible_games_are_refused(games):
    with pytest.raises(ValueError):
        bradley_terry(*games, ["A", "B"])


played = st.tuples(
    st.integers(0, 4), st.integers(1, 4), st.sampled_from([0, 0.5, 1]), st.integers(0, 40)
)


@given(st.one_of(st.lists(played, max_size=12), st.lists(played, min_size=60, max_size=120)))
def test_any_games_give_finite_ratings(games):
    table = np.array(games, dtype=float).reshape(-1, 4)
    first = table[:, 0]
    ratings = bradley_terry(first, (first + table[:, 1]) % 5, table[:, 2], table[:, 3], "ABCDE")
    check(ratings)
    assert any(ties_with_best(ratings))


def test_ties_with_best_seldom_blames_an_equal_and_finds_the_weak():
    rng, wrong = np.random.default_rng(50), 0
    for _ in range(100):
        ratings = bradley_terry(*simulate(rng, np.zeros(20), 2000), [str(i) for i in range(20)])
        wrong += not all(ties_with_best(ratings))
    assert wrong <= 9
    true = np.array([100.0, 95.0, 0.0, -100.0, -95.0])
    ratings = bradley_terry(*simulate(rng, true, 6000), "ABCDE")
    assert ties_with_best(ratings) == [True, True, False, False, False]


def test_thirty_five_entrants_are_quick():
    rng = np.random.default_rng(51)
    games = simulate(rng, rng.normal(0, 150, 35), 20_000, openings=300)
    start = time.perf_counter()
    ratings = bradley_terry(*games, [str(i) for i in range(35)])
    ties_with_best(ratings)
    assert time.perf_counter() - start < 2
