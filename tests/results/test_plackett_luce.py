"""Plackett-Luce against a slow twin, against Bradley-Terry, and against planted strengths."""

from __future__ import annotations

import math
import time
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from joute.results.ratings.bradley_terry import bradley_terry
from joute.results.ratings.fitting import ELO
from joute.results.ratings.plackett_luce import plackett_luce
from joute.results.ratings.ratings import AWAY, Difference, Ratings, ties_with_best
from tests.support.marks import slow


def simulate(rng, true, games, seats, ties=0.0, openings=None, copies=False):
    """Games of random tables; with chance `ties` two neighbours in the order share their ranks."""
    players = np.array([rng.choice(len(true), seats, replace=copies) for _ in range(games)])
    noise = rng.gumbel(size=(games, seats))
    places = np.argsort(np.argsort(-(true[players] / ELO + noise), axis=1), axis=1) + 1.0
    for row in places:
        if rng.random() < ties:
            place = rng.integers(1, seats)
            row[(row == place) | (row == place + 1)] = place + 0.5
    cluster = np.arange(games) if openings is None else rng.integers(0, openings, games)
    return players, places, cluster


def brute(players, ranks, count):
    """The mean log-likelihood over all orders of every game, maximised by a general optimiser."""

    def loss(theta):
        total = 0.0
        for who, places in zip(players, ranks, strict=True):
            logs = []
            for order in permutations(range(len(who))):
                if any(places[a] > places[b] for a, b in pairwise(order)):
                    continue
                worth = np.exp(theta[who[list(order)]])
                logs.append(sum(np.log(worth[k] / worth[k:].sum()) for k in range(len(who))))
            total += np.mean(logs)
        return -total + theta.sum() ** 2 / 2

    found = minimize(loss, np.zeros(count), method="BFGS", options={"gtol": 1e-9})
    return found.x * ELO, -found.fun


def check(ratings: Ratings) -> None:
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
            assert found.los == pytest.approx(1 - other.los, abs=1e-9)


@pytest.mark.parametrize(("seats", "ties", "copies"), [
    (2, 0.3, False), (3, 0.0, False), (3, 0.5, False), (4, 0.0, False), (4, 0.7, True),
])  # fmt: skip
def test_it_finds_the_maximum_of_the_slow_twin(seats, ties, copies):
    rng = np.random.default_rng(60 + seats)
    true = np.array([80.0, 0.0, -30.0, -50.0])
    players, ranks, cluster = simulate(rng, true, 40, seats, ties, copies=copies)
    ratings = plackett_luce(players, ranks, cluster, list("ABCD"))
    elo, loglik = brute(players, ranks, 4)
    assert ratings.elo == pytest.approx(elo, abs=1e-3)
    assert ratings.loglik == pytest.approx(loglik, abs=1e-6)
    check(ratings)


def test_a_tie_of_all_counts_as_all_orders_in_equal_parts():
    everyone = np.array(list(permutations([1.0, 2.0, 3.0, 4.0])))
    told = np.tile([1.0, 2.0, 3.0, 4.0], (24, 1))
    level = np.full((24, 4), 2.5)
    players = np.tile(np.arange(4), (48, 1))
    one = plackett_luce(players, np.vstack([told, level]), np.arange(48), "ABCD")
    other = plackett_luce(players, np.vstack([told, everyone]), np.arange(48), "ABCD")
    assert one.elo == pytest.approx(other.elo, abs=1e-6)
    assert one.loglik == pytest.approx(other.loglik, abs=1e-6)


def test_ranks_say_only_who_came_before_whom():
    games = simulate(np.random.default_rng(61), np.array([50.0, 0.0, -50.0]), 200, 3, 0.4)
    one = plackett_luce(*games, "ABC")
    other = plackett_luce(games[0], games[1] * 10 - 3, games[2], "ABC")
    assert other.elo == pytest.approx(one.elo, abs=1e-9)


@pytest.mark.parametrize("games", [20, 300])
def test_two_players_are_bradley_terry(games):
    rng = np.random.default_rng(62)
    players, ranks, _ = simulate(rng, np.array([60.0, 10.0, -70.0]), games, 2, 0.3)
    cluster = np.arange(games) // 3
    one = plackett_luce(players, ranks, cluster, "ABC")
    result = 0.5 + (ranks[:, 1] - ranks[:, 0]) / 2
    other = bradley_terry(players[:, 0], players[:, 1], result, cluster, "ABC")
    assert one.elo == pytest.approx(other.elo, abs=1e-5)
    assert one.covariance == pytest.approx(other.covariance, rel=1e-5)
    gap, same = one.difference(0, 2), other.difference(0, 2)
    assert gap == pytest.approx(same, rel=1e-5)


def test_a_draw_is_half_a_win_for_each():
    ranks = [[1, 2]] * 30 + [[2, 1]] * 10 + [[1.5, 1.5]] * 20
    ratings = plackett_luce(np.tile([0, 1], (60, 1)), ranks, np.arange(60), "AB")
    assert ratings.difference(0, 1).elo == pytest.approx(400 * math.log10(40 / 20))


@pytest.mark.parametrize(("seats", "ties"), [(3, 0.0), slow(4, 0.0), slow(4, 0.3)])
def test_planted_ratings_are_found_and_covered(seats, ties):
    # Neighbours who tie do so whoever they are, which keeps the planted order but shrinks a little.
    rng, true = np.random.default_rng(63 + seats), np.array([60.0, 20.0, 0.0, -20.0, -60.0])
    big = plackett_luce(*simulate(rng, true, 30_000, seats, ties), list("ABCDE"))
    assert list(np.argsort(-big.elo)) == [0, 1, 2, 3, 4]
    if not ties:
        assert big.elo == pytest.approx(true, abs=6)
    aim, inside = big.elo if ties else true, []
    for _ in range(100):
        ratings = plackett_luce(*simulate(rng, true, 200, seats, ties), list("ABCDE"))
        inside += [
            low <= aim[i] <= high for i, (low, high) in enumerate(map(ratings.interval, range(5)))
        ]
        gap = ratings.difference(0, 4)
        inside.append(gap.low <= aim[0] - aim[4] <= gap.high)
    assert 0.92 <= np.mean(inside) <= 0.98


@pytest.mark.parametrize("openings", [12, slow(60)])
def test_equal_engines_read_zero_where_openings_decide(openings):
    # Each opening favours one of four equal engines in all of its four games.
    rng, covered, naive = np.random.default_rng(66), [], []
    for _ in range(100):
        push = np.repeat(rng.normal(0, 1.5, (openings, 4)), 4, axis=0)
        noise = rng.gumbel(size=push.shape)
        ranks = np.argsort(np.argsort(-(push + noise), axis=1), axis=1) + 1.0
        players = np.tile(np.arange(4), (len(ranks), 1))
        cluster = np.repeat(np.arange(openings), 4)
        gap = plackett_luce(players, ranks, cluster, "ABCD").difference(0, 1)
        covered.append(gap.low < 0 < gap.high)
        gap = plackett_luce(players, ranks, np.arange(len(ranks)), "ABCD").difference(0, 1)
        naive.append(gap.low < 0 < gap.high)
    assert np.mean(covered) >= 0.9
    assert np.mean(naive) < np.mean(covered)


def test_order_numbering_and_seats_do_not_matter():
    rng = np.random.default_rng(67)
    players, ranks, cluster = simulate(rng, np.array([30.0, 0, -30, 5]), 300, 4, 0.3, openings=50)
    one = plackett_luce(players, ranks, cluster, ["A", "B", "C", "D"])
    names, order, seats = np.array([2, 0, 3, 1]), rng.permutation(300), [3, 1, 0, 2]
    other = plackett_luce(
        names[players][order][:, seats], ranks[order][:, seats], cluster[order] * 7 - 3, "BDAC"
    )
    assert other.elo[names] == pytest.approx(one.elo, abs=1e-6)
    assert other.covariance[np.ix_(names, names)] == pytest.approx(one.covariance, rel=1e-6)


def test_copies_of_games_at_the_same_openings_add_no_evidence():
    games = simulate(np.random.default_rng(68), np.array([30.0, 0, -30]), 600, 3, openings=150)
    once = plackett_luce(*games, "ABC")
    copied = plackett_luce(*(np.concatenate([one] * 5) for one in games), "ABC")
    assert copied.elo == pytest.approx(once.elo, abs=1e-6)
    assert copied.covariance == pytest.approx(once.covariance, rel=1e-6)


def test_one_against_copies_of_another():
    # A among three copies of B: first with odds a : 3 b, and so on down the places.
    rng = np.random.default_rng(69)
    noise = rng.gumbel(size=(4000, 4)) + np.array([0.5, 0, 0, 0])
    ranks = np.argsort(np.argsort(-noise, axis=1), axis=1) + 1.0
    ratings = plackett_luce(np.tile([0, 1, 1, 1], (4000, 1)), ranks, np.arange(4000), "AB")
    gap = ratings.difference(0, 1)
    assert gap.low < 0.5 * ELO < gap.high
    assert gap.elo == pytest.approx(0.5 * ELO, abs=15)


def test_parts_without_games_between_them():
    rng = np.random.default_rng(70)
    a = simulate(rng, np.array([50.0, 0.0, -50.0]), 100, 3)
    players = np.vstack([a[0], a[0] + 3])
    ratings = plackett_luce(players, np.vstack([a[1], a[1]]), np.arange(200), "ABCDEFG")
    check(ratings)
    assert "A, B, C; D, E, F; G" in ratings.notes[0]
    assert ratings.difference(0, 3) == Difference(None, None, None, None)
    assert ratings.interval(6) is None
    assert ratings.elo_interval(6) == ratings.elo_interval(0, 3) == (None, None, None)


def test_who_always_comes_first_stays_finite_and_is_named():
    rng = np.random.default_rng(71)
    players, ranks, cluster = simulate(rng, np.array([30.0, 0.0, -30.0]), 100, 3)
    players = np.hstack([np.full((100, 1), 3), players])
    ranks = np.hstack([np.ones((100, 1)), ranks + 1])
    ratings = plackett_luce(players, ranks, cluster, ["A", "B", "C", "Champion"])
    check(ratings)
    assert "how strong Champion may be: a weak prior" in ratings.notes[0]
    assert 300 < ratings.difference(3, 0).elo < 2500
    gap = ratings.difference(3, 0)
    assert ratings.elo_interval(3) == (None, ratings.interval(3)[0], None)
    assert (ratings.elo_interval(3, 0), ratings.elo_interval(0, 3)) == (
        (None, gap.low, None),
        (None, None, -gap.low),
    )
    assert ratings.elo_interval(0) == (ratings.elo[0], *ratings.interval(0))
    assert ratings.elo_interval(0, 1) == ratings.difference(0, 1)[:3]
    assert ties_with_best(ratings) == [False, False, False, True]
    last = plackett_luce(players, 5 - ranks, cluster, ["A", "B", "C", "Last"])
    assert "how weak Last may be" in last.notes[0]


def test_few_openings_use_student_and_are_said():
    games = simulate(np.random.default_rng(72), np.zeros(4), 200, 4, openings=6)
    ratings = plackett_luce(*games, "ABCD")
    check(ratings)
    assert ratings.notes == ["only 6 openings: the intervals are rough (Student t)"]


def test_games_among_copies_alone_are_no_evidence():
    games = simulate(np.random.default_rng(73), np.array([30.0, 0, -30]), 100, 3)
    once = plackett_luce(*games, "ABC")
    own = np.tile([0, 0, 0], (50, 1)), np.tile([1.0, 2.0, 3.0], (50, 1)), np.arange(500, 550)
    more = plackett_luce(*(np.concatenate(two) for two in zip(games, own, strict=True)), "ABC")
    assert more.elo == pytest.approx(once.elo, abs=1e-6)
    assert more.covariance == pytest.approx(once.covariance, rel=1e-6)


@pytest.mark.parametrize("names", [[], ["A"], ["A", "B"]])
def test_nothing_to_rate(names):
    ratings = plackett_luce([], [], [], names)
    check(ratings)
    assert ratings.notes == ["no game between two entrants: nothing to rate"]


@pytest.mark.parametrize("games", [
    ([[0, 2]], [[1, 2]], [0]), ([[-1, 1]], [[1, 2]], [0]), ([[0, 1]], [[1, math.nan]], [0]),
    ([[0, 1]], [[1, 2, 3]], [0]), ([[0, 1]], [[1, 2]], [0, 1]), ([0, 1], [1, 2], [0, 1]),
])  # fmt: skip
def test_impossible_games_are_refused(games):
    with pytest.raises(ValueError):
        plackett_luce(*games, ["A", "B"])


table = st.tuples(
    st.lists(st.integers(0, 5), min_size=4, max_size=4),
    st.lists(st.integers(1, 4), min_size=4, max_size=4),
    st.integers(0, 40),
)


@given(st.lists(table, min_size=1, max_size=60))
def test_any_games_give_finite_ratings(games):
    players, ranks, cluster = zip(*games, strict=True)
    ratings = plackett_luce(players, ranks, cluster, "ABCDEF")
    check(ratings)
    assert any(ties_with_best(ratings))


def test_thirty_five_entrants_are_quick():
    rng = np.random.default_rng(74)
    games = simulate(rng, rng.normal(0, 150, 35), 20_000, 4, 0.1, openings=300)
    start = time.process_time()
    ratings = plackett_luce(*games, [str(i) for i in range(35)])
    ties_with_best(ratings)
    assert time.process_time() - start < 3
