"""Duels: the model of differences against a slow twin, merging, asking, answers against the default."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from joute import Choice, Float, Int, Tuner
from joute.engines.errors import Refused
from joute.studies.tuner.clop import Weights
from joute.studies.tuner.domain import Point
from joute.studies.tuner.duels import DuelChooser
from joute.studies.tuner.model.counts import Blocks, Counts
from joute.studies.tuner.model.gp import Process, chance
from joute.studies.tuner.model.kernel import KernelShape
from joute.studies.tuner.model.noise import Noise
from joute.studies.tuner.model.records import Records
from joute.studies.tuner.model.team import MEMBERS, Belief, Team, process
from joute.studies.tuner.parameters import ParameterTable
from tests.support.tuning import pairs_of

X = Float(-1, 1)
SPACE = {"x": X, "y": X}
ZERO: Point = {"x": 0.0, "y": 0.0}


def strength(point: Point) -> float:
    """Log-odds against any point of strength 0; the best is at (0.5, -0.4)."""
    return -1.2 * (float(point["x"]) - 0.5) ** 2 - 0.8 * (float(point["y"]) + 0.4) ** 2


def duelled(tuner: Tuner, games: int, seed: int = 1, chunk: int = 40, pairs: bool = False) -> Tuner:
    rng, left = np.random.default_rng(seed), games
    while left >= tuner.block:
        for a, b, count in tuner.ask(min(chunk, left), duels=True):
            score = float(chance(np.array(strength(a) - strength(b))))
            drawn = 0.3 * 2 * min(score, 1 - score)
            scores, results = pairs_of(count // 2, score, drawn, 0.0, rng)
            if pairs:
                tuner.tell_duel(a, b, *results, pairs=scores)
            else:
                tuner.tell_duel(a, b, *results)
            left -= count
    return tuner


# --- the model


def some_counts(rng: np.random.Generator, columns: int, n: int, level: bool) -> Counts:
    counts, places = Counts(columns), rng.uniform(-1, 1, (6, columns))
    for _ in range(n):
        i, j = rng.choice(6, 2, replace=False)
        games = float(rng.integers(1, 30))
        counts.add_duels(
            places[i], places[j], Blocks(1, games, float(rng.binomial(int(games), 0.6)))
        )
    for i in range(3 * level):
        counts.add(places[i], float(rng.integers(5)), 5.0)
    return counts


@settings(max_examples=12)
@given(st.integers(1, 3), st.integers(0, len(MEMBERS) - 1), st.booleans(), st.integers(0, 10**6))
def test_a_process_of_duels_is_what_a_slow_twin_finds(
    columns: int, number: int, level: bool, seed: int
) -> None:
    """Mode and posterior by a minimizer over the places, whose Hessian is A'WA."""
    rng, shape = np.random.default_rng(seed), KernelShape(columns)
    counts = some_counts(rng, columns, 8, level)
    one, records = process(shape, *MEMBERS[number]), counts.records
    one.settle(records, counts.won, counts.games)
    P, A = records.places, records.matrix
    K = one.covariance.between(P, P, one.theta) + 1e-9 * np.eye(len(P))
    L, mean = np.linalg.cholesky(K), one.mean(P)

    def cost(u: np.ndarray) -> float:
        z = A @ (L @ u + mean)
        return float(-(counts.won * z - counts.games * np.logaddexp(0, z)).sum() + 0.5 * u @ u)

    f = L @ minimize(cost, np.zeros(len(P)), method="BFGS", options={"gtol": 1e-7}).x
    z = A @ (f + mean)
    W = np.diag(counts.games * chance(z) * (1 - chance(z)))
    H = A.T @ W @ A
    covariance = K - K @ np.linalg.solve(np.linalg.inv(H + 1e-12 * np.eye(len(P))) + K, K)
    exact = np.linalg.inv(np.linalg.inv(K) + H)
    told, joint = one.joint(P)
    assert told == pytest.approx(f + mean, abs=2e-2)
    assert joint == pytest.approx(exact, abs=1e-2 * max(1.0, covariance.max()))
    at, variance, _, _ = one.at_places()
    assert at == pytest.approx(z, abs=2e-2)
    assert variance == pytest.approx(np.diag(A @ exact @ A.T), rel=5e-2, abs=1e-3)
    assert one.expected(P) == pytest.approx(told)


def test_the_derivative_of_the_evidence_of_duels_is_that_of_finite_differences() -> None:
    rng = np.random.default_rng(6)
    counts = some_counts(rng, 2, 14, True)
    for number in range(len(MEMBERS)):
        one = process(KernelShape(2), *MEMBERS[number])
        one.settle(counts.records, counts.won, counts.games)
        before = one.evidence
        one.learn(20)
        one.settle(counts.records, counts.won, counts.games)
        assert one.evidence > before, number


def test_records_without_duels_are_their_places() -> None:
    rng = np.random.default_rng(1)
    X, K = rng.uniform(-1, 1, (5, 2)), rng.standard_normal((5, 5))
    plain = Records.of(X, None)
    assert plain.covariances(K) is K and plain.weights(K) is K and len(plain) == 5


def test_a_duel_is_the_same_from_both_sides() -> None:
    one, other = Counts(2), Counts(2)
    a, b = np.array([0.1, 0.2]), np.array([-0.3, 0.4])
    pairs = Blocks.of_pairs((1, 2, 3, 4, 5))
    one.add_duels(a, b, pairs)
    other.add_duels(b, a, Blocks.of_pairs((5, 4, 3, 2, 1)))
    other.add_duels(a, b, Blocks(1, 4.0, 3.0))
    one.add_duels(b, a, Blocks(1, 4.0, 1.0))
    assert len(one) == len(other) == 1
    assert one.won == pytest.approx(other.won) and pytest.approx(other.X) == one.X
    assert one.blocks[2] == pytest.approx(other.blocks[2])
    one.add(a, 1.0, 2.0)  # games at a place are no duel
    assert len(one) == 2 and list(one.duels) == [True, False] and one.levelled
    assert not other.levelled and other.anchored(a, 1.0).levelled


def test_merging_duels_loses_no_game_and_no_duel() -> None:
    """Ends are joined with ends: a duel between two near places still has two."""
    rng, counts = np.random.default_rng(2), Counts(2)
    for i in range(300):
        a = rng.uniform(-1, 1, 2)
        b = a + rng.normal(0, 0.02, 2) if i % 2 else rng.uniform(-1, 1, 2)
        counts.add_duels(a, b, Blocks.of([0.0, 0.5, 1.0], 2))
    for x in rng.uniform(-1, 1, (40, 2)):
        counts.add(x, 1.0, 2.0)
    kept = counts.X[-1].copy()
    games, blocks = counts.games.sum(), counts.blocks[2].sum(1)
    assert counts.Y is not None
    apart = np.abs(counts.X - counts.Y)[counts.duels].max(1)
    gap = np.mean(apart[apart < 0.1])
    counts.merge(np.eye(2), 2, kept)
    assert counts.games.sum() == pytest.approx(games) and len(counts.places) <= 185
    assert counts.blocks[2].sum(1)[0] == blocks[0]
    assert counts.games[counts.duels].sum() == 300 * 6
    assert (kept == counts.X[~counts.duels]).all(1).any()
    apart = np.abs(counts.X - counts.Y)[counts.duels].max(1)
    assert apart.min() > 1e-4 and np.median(apart[apart < 0.1]) > gap / 4


def test_merged_duels_are_turned_to_each_other() -> None:
    counts = Counts(1)
    counts.add_duels(np.array([-0.5]), np.array([0.5]), Blocks(1, 10.0, 9.0))
    counts.X, counts.Y = np.vstack([counts.X, [[0.52]]]), np.vstack([counts.Y, [[-0.52]]])
    counts.won, counts.games = np.append(counts.won, 2.0), np.append(counts.games, 10.0)
    counts.merge(np.eye(1), 1, None, 2)
    assert len(counts) == 1 and counts.won[0] == pytest.approx(9 + 8)
    assert counts.X[0, 0] == pytest.approx(-0.51) and counts.Y is not None


def test_clops_weights_read_duels() -> None:
    """Places that lose their duels get less weight."""
    domain, counts = ParameterTable({"x": X}), Counts(1)
    rng = np.random.default_rng(3)
    for _ in range(120):
        a, b = rng.uniform(-1, 1, 2)
        won = rng.binomial(20, chance(np.array(-4 * (a - 0.3) ** 2 + 4 * (b - 0.3) ** 2)))
        counts.add_duels(np.array([a]), np.array([b]), Blocks(1, 20.0, float(won)))
    weights = Weights(domain, counts)
    assert weights.logarithm(np.array([[0.3]])) > weights.logarithm(np.array([[-0.9]])) + 1
    assert abs(np.median(weights.draw(200, rng)) - 0.3) < 0.15


# --- asking


def test_wide_steps_teach_more_of_a_slope_until_the_better_one_wins_anyway() -> None:
    """Five places on a line, a slope that is not known: the ends are chosen, four times as good."""
    x = np.linspace(-1, 1, 5)
    places = x[:, None]
    draws = np.outer(x, np.random.default_rng(1).standard_normal(64))
    belief = Belief(np.zeros(5), np.outer(x, x) + 1e-9 * np.eye(5), draws)
    chooser = DuelChooser(places, belief, 2, 0.0, Noise())
    gains = chooser.gains()
    assert chooser.best() in ((0, 4), (4, 0))
    assert gains[0, 4] / gains[1, 3] == pytest.approx(4, rel=0.5)
    assert np.all(np.diag(gains) == 0)
    steep = Belief(6 * x, belief.covariance, draws)
    assert DuelChooser(places, steep, 2, 0.0, Noise()).best() not in ((0, 4), (4, 0))


def test_a_pick_changes_what_is_uncertain_as_reckoned_anew() -> None:
    rng = np.random.default_rng(2)
    L, places = rng.standard_normal((8, 8)), rng.uniform(-1, 1, (8, 2))
    draws = L @ rng.standard_normal((8, 200))
    chooser = DuelChooser(places, Belief(np.zeros(8), L @ L.T, draws), 4, 0.0, Noise())
    chooser.take(1, 5)
    chooser.assume(2, 3, 10)
    c = np.eye(8)[[1, 2]] - np.eye(8)[[5, 3]]
    T = L @ L.T
    T = T - T @ c.T @ np.linalg.solve(c @ T @ c.T + np.diag([1.0, 0.4]), c @ T)
    again = DuelChooser(places, Belief(np.zeros(8), T, draws), 4, 0.0, Noise())
    assert chooser.gains() == pytest.approx(again.gains(), rel=1e-6)
    assert chooser.taken == [(1, 5)]


def test_a_duel_that_has_games_is_preferred_where_it_teaches_as_much() -> None:
    x = np.array([-0.98, 0.98, -1.0, 1.0])
    belief = Belief(np.zeros(4), np.outer(x, x) + 1e-9 * np.eye(4), np.outer(x, [1.0, -1.0]))
    chooser = DuelChooser(x[:, None], belief, 2, 0.0, Noise())
    assert chooser.best() in ((2, 3), (3, 2)) and chooser.best(1) == (0, 1)


@pytest.mark.slow
def test_duels_find_the_top_and_say_what_they_are_against() -> None:
    tuner = duelled(Tuner(SPACE, seed=2, default=ZERO), 900)
    assert tuner.against == "default" and tuner.verdict() == "better"
    best = tuner.recommend()
    assert strength(best) > -0.05
    low, mean, high = tuner.estimate(best)
    truth = float(chance(np.array(strength(best) - strength(ZERO))))
    assert low < truth < high and high - low < 0.2
    low, mean, high = tuner.estimate(ZERO)
    assert (low, mean, high) == pytest.approx((0.5, 0.5, 0.5), abs=0.01)
    report = tuner.report()
    assert report.against == "default" and report.fit is not None and report.fit > 0.01
    assert report.score[0] > 0.5 and report.gain is not None and report.gain.mean > 0.03


def test_without_a_default_duels_are_against_the_middle() -> None:
    tuner = duelled(Tuner(SPACE, seed=2), 100)
    assert tuner.against == "middle"
    assert tuner.estimate(ZERO) == pytest.approx((0.5, 0.5, 0.5), abs=0.01)
    tuner.tell(ZERO, 5, 0, 5)
    assert tuner.against == "pool" and tuner.report().against == "pool"
    low, _, high = tuner.estimate(ZERO)
    assert high - low > 0.2


def test_duels_and_a_pool_share_one_model() -> None:
    """The level is the pool's, the shape is told by duels."""
    tuner = duelled(Tuner(SPACE, seed=1, default=ZERO), 300)
    for _ in range(4):
        tuner.tell(ZERO, 30, 0, 70)
    low, mean, high = tuner.estimate({"x": 0.5, "y": -0.4})
    truth = float(chance(np.array(strength({"x": 0.5, "y": -0.4}) - strength(ZERO) - 0.847)))
    assert low < truth < high and mean > 0.31
    assert tuner.ask(20) and tuner.ask(20, duels=True)


def test_a_cycle_and_a_pool_that_disagrees_are_told() -> None:
    """A beats B, B beats C, C beats A: no strength of a point fits that."""
    space = {"c": Choice("a", "b", "c")}
    cycle, chain = Tuner(space), Tuner(space)
    for first, second in (("a", "b"), ("b", "c"), ("c", "a")):
        cycle.tell_duel({"c": first}, {"c": second}, 140, 0, 60)
        chain.tell_duel(
            {"c": first}, {"c": second}, *((140, 0, 60) if first != "c" else (30, 0, 170))
        )
    assert cycle.report().fit is not None and cycle.report().fit < 1e-6
    assert chain.report().fit is not None and chain.report().fit > 0.01
    pool = Tuner(space)
    for first, won in (("a", 60), ("b", 100), ("c", 140)):
        pool.tell({"c": first}, won, 0, 200 - won)
    for first, second in (("a", "b"), ("b", "c")):
        pool.tell_duel({"c": first}, {"c": second}, 150, 0, 50)
    assert pool.report().fit is not None and pool.report().fit < 1e-3
    only = Tuner(space)
    only.tell({"c": "a"}, 5, 0, 5)
    assert only.report().fit is None


def test_a_budget_and_games_that_are_out() -> None:
    tuner = Tuner(SPACE, default=ZERO, budget=60)
    asked = tuner.ask(50, duels=True)
    assert sum(games for *_, games in asked) == 50
    assert sum(games for *_, games in tuner.ask(50, duels=True)) == 10
    assert tuner.ask(2) == [] and tuner.ask(2, duels=True) == []
    a, b, games = asked[0]
    with pytest.raises(Refused, match="at most the 2"):
        tuner.withdraw(b, 4, against=a)
    tuner.withdraw(b, games, against=a)
    assert [g for *_, g in tuner.ask(50, duels=True)] == [2]
    for one, other, count in asked[1:]:
        tuner.tell_duel(other, one, 0, count, 0)
    assert tuner._state.duels_out.games == 12
    tuner.tell_duel(*asked[1][:2], 0, 2, 0)  # told twice: games like any
    assert tuner._state.duels_out.games == 12 and tuner._state.games == 50


def test_the_order_of_telling_duels_changes_no_answer() -> None:
    rng, told = np.random.default_rng(4), []
    for _ in range(30):
        a, b = ({"x": round(x, 3), "y": round(y, 3)} for x, y in rng.uniform(-1, 1, (2, 2)))
        told.append((a, b, int(rng.integers(1, 10)), int(rng.integers(1, 10))))
    one, other = Tuner(SPACE, default=ZERO), Tuner(SPACE, default=ZERO)
    for a, b, won, lost in told:
        one.tell_duel(a, b, won, 0, lost)
    for a, b, won, lost in reversed(told):
        other.tell_duel(b, a, lost, 0, won)
    assert one.estimate({"x": 0.4, "y": 0.4}) == pytest.approx(
        other.estimate({"x": 0.4, "y": 0.4}), abs=1e-6
    )


def test_a_loaded_tuner_goes_on_with_its_duels() -> None:
    space = {"x": X, "n": Int(1, 5), "c": Choice("a", "b")}
    tuner, rng = Tuner(space, seed=3, default={"x": 0, "n": 2, "c": "a"}), np.random.default_rng(1)
    for k in range(8):
        for a, b, games in tuner.ask(30, duels=True):
            pairs, results = pairs_of(games // 2, 0.5, 0.3, -0.3, rng)
            tuner.tell_duel(a, b, *(results if k % 2 else ()), pairs=pairs)
        for point, games in tuner.ask(6):
            tuner.tell(point, 1, games - 2, 1)
    out = tuner.ask(20, duels=True)
    tuner.withdraw(out[0][0], out[0][2], against=out[0][1])
    found = Tuner.load(space, json.loads(json.dumps(tuner.save())))
    assert found.save() == tuner.save()
    assert found.ask(60, duels=True) == tuner.ask(60, duels=True)
    assert found.ask(40) == tuner.ask(40)
    assert found.estimate({"x": 0, "n": 1, "c": "b"}) == tuner.estimate({"x": 0, "n": 1, "c": "b"})


def test_asking_is_a_function_of_the_seed() -> None:
    one, other = (duelled(Tuner(SPACE, seed=5, default=ZERO), 120) for _ in range(2))
    assert one.ask(40, duels=True) == other.ask(40, duels=True)
    for a, b, games in one.ask(200, duels=True):
        assert a != b and games >= 2 and games % 2 == 0


@pytest.mark.parametrize("space", [{"n": Int(3, 3)}, {"c": Choice("a")}], ids=["number", "choice"])
def test_a_space_of_one_point_has_no_duels(space: dict[str, Any]) -> None:
    with pytest.raises(Refused, match="one point"):
        Tuner(space).ask(10, duels=True)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("a duel of a point with itself", lambda t: t.tell_duel(ZERO, {"y": 0, "x": 0.0}, 1, 0, 1)),
        ("the second point.*y", lambda t: t.tell_duel(ZERO, {"x": 0}, 1, 0, 1)),
        ("the first point: .*z", lambda t: t.tell_duel({**ZERO, "z": 1}, {"x": 1, "y": 0}, 1, 0, 1)),
        ("wins = -1", lambda t: t.tell_duel(ZERO, {"x": 1, "y": 0}, -1, 0, 1)),
        ("losses = nan", lambda t: t.tell_duel(ZERO, {"x": 1, "y": 0}, 1, 0, math.nan)),
        ("five numbers", lambda t: t.tell_duel(ZERO, {"x": 1, "y": 0}, pairs=(1, 2))),
        ("pairs with 1 = 0.5", lambda t: t.tell_duel(ZERO, {"x": 1, "y": 0}, pairs=(0, 0, 0.5, 0, 0))),
        ("pairs make 2 games", lambda t: t.tell_duel(ZERO, {"x": 1, "y": 0}, 1, 0, 0, pairs=(0, 0, 1, 0, 0))),
        ("no results", lambda t: t.tell_duel(ZERO, {"x": 1, "y": 0})),
        ("at most the 0", lambda t: t.withdraw(ZERO, 2, against={"x": 1, "y": 0})),
        ("a duel of a point with itself", lambda t: t.withdraw(ZERO, 2, against=ZERO)),
    ],
)  # fmt: skip
def test_bad_duels_are_refused_and_change_nothing(words: str, told: Any) -> None:
    tuner = Tuner(SPACE, default=ZERO)
    before = tuner.save()
    with pytest.raises(Refused, match=words) as refused:
        told(tuner)
    assert "\n" not in str(refused.value)
    assert tuner.save() == before


def test_nothing_told_is_nothing() -> None:
    tuner = Tuner(SPACE, default=ZERO)
    before = tuner.save()
    tuner.tell_duel(ZERO, {"x": 1, "y": 0}, 0, 0, 0)
    tuner.tell_duel(ZERO, {"x": 1, "y": 0}, pairs=(0, 0, 0, 0, 0))
    assert tuner.save() == before


@pytest.mark.slow
@pytest.mark.parametrize("told", ["games", "pairs"])
def test_where_nothing_matters_duels_find_nothing_better(told: str) -> None:
    """Searches with the default as good as all others."""
    wrong = held = 0
    for seed in range(6):
        tuner, rng = Tuner(SPACE, seed=seed, default=ZERO), np.random.default_rng(seed)
        for _ in range(10):
            for a, b, games in tuner.ask(30, duels=True):
                pairs, results = pairs_of(games // 2, 0.5, 0.3, 0.0, rng)
                if told == "pairs":
                    tuner.tell_duel(a, b, pairs=pairs)
                else:
                    tuner.tell_duel(a, b, *results)
        wrong += tuner.verdict() == "better"
        low, mean, high = tuner.report().score
        held += low < 0.51 and high > 0.49 and abs(mean - 0.5) < 0.06
    assert not wrong and held >= 5  # intervals are at 95 %


def test_a_team_of_duels_weighs_its_members() -> None:
    counts, team = some_counts(np.random.default_rng(2), 2, 20, False), Team(KernelShape(2))
    noise = team.learn_well(counts.anchored(np.zeros(2), 1.0))
    assert isinstance(noise, Noise) and team.weights.sum() == pytest.approx(1)
    assert all(isinstance(member, Process) for member in team.members)


def test_a_search_by_duels_goes_on_as_if_something_mattered() -> None:
    """Weak effects look like none for very long; a plan made by that belief would be made at random."""
    tuner, rng = Tuner(SPACE, seed=1, default=ZERO), np.random.default_rng(1)
    for a, b, games in tuner.ask(400, duels=True):
        pairs, _ = pairs_of(games // 2, 0.5, 0.3, 0.0, rng)
        tuner.tell_duel(a, b, pairs=pairs)
    team = tuner._state.team
    assert len(team.members) == len(Team(KernelShape(2), careful=True).members)
    assert team.weights[-1] > 0.2
    searching = team.mattering()
    assert searching.weights[-1] == 0 and searching.weights.sum() == pytest.approx(1)
    assert team.weights[-1] > 0.2 and searching.members is team.members
    ends = [np.array([list(p.values()) for p in two]) for *two, _ in tuner.ask(100, duels=True)]
    assert np.mean([np.abs(a - b).max() for a, b in ends]) > 0.3


def test_duels_never_make_it_certain_that_nothing_matters() -> None:
    team = Team(KernelShape(2))
    team.weights = np.array([0.01, 0.01, 0.0, 0.0, 0.98])
    team.doubt_nothing(0.5)
    assert team.weights == pytest.approx([0.25, 0.25, 0.0, 0.0, 0.5])
    team.doubt_nothing(0.6)
    assert team.weights[-1] == pytest.approx(0.5)
    team.weights = np.array([0.0, 0.0, 0.0, 0.0, 1.0])
    team.doubt_nothing(0.5)
    assert team.weights[-1] == 1
    tuner, rng = Tuner({"x": X}, default={"x": 0}), np.random.default_rng(1)
    for x in rng.uniform(-1, 1, 40):
        pairs, _ = pairs_of(20, 0.5, 0.3, 0.0, rng)
        tuner.tell_duel({"x": float(x)}, {"x": 0}, pairs=pairs)
    assert tuner._read().team.weights[-1] <= 0.5
    low, _, high = tuner.estimate({"x": 0.7})
    assert low < 0.5 < high and tuner.verdict() != "better"


def meetings(tuner: Tuner, default: Point, games: int) -> float:
    """Play games and return the share of them in which the default was."""
    met, asked, left = 0, 0, games
    rng = np.random.default_rng(3)
    while left >= tuner.block:
        for a, b, count in tuner.ask(min(40, left), duels=True):
            met += count * (default in (a, b))
            asked += count
            won = int(rng.binomial(count, float(chance(np.array(strength(a) - strength(b))))))
            tuner.tell_duel(a, b, won, 0, count - won)
            left -= count
    return met / asked


def test_where_all_games_are_duels_the_best_point_meets_the_default_again_and_again() -> None:
    default: Point = {"x": -0.9, "y": 0.9}
    tuner = Tuner(SPACE, seed=4, default=default)
    assert meetings(tuner, default, 300) > 0.07
    assert 0.03 < meetings(tuner, default, 500) < 0.1
    queued = [duel for duel in tuner._state.duels if default in duel[:2]]
    assert all(other == default for _, other, _ in queued)


def test_beside_games_against_a_pool_the_default_meets_no_point_for_its_own_sake() -> None:
    default: Point = {"x": -0.9, "y": 0.9}
    tuner = duelled(Tuner(SPACE, seed=4, default=default), 200)
    tuner.tell(default, 20, 0, 30)
    tuner.tell({"x": 0.5, "y": -0.4}, 30, 0, 20)
    tuner._state.duels.clear()
    assert meetings(tuner, default, 300) < 0.03


def test_places_that_are_one_point_play_no_duel() -> None:
    """Below a cliff all that is still open lies within the digits that a number has."""
    tuner, dice = Tuner({"x": Float(-1.0, 1.0)}, seed=0), np.random.default_rng(0)

    def strength(point: Point) -> float:
        x = float(point["x"])
        return x if x <= 0.45 else -3.0

    def results(gap: float, games: int) -> tuple[int, int, int]:
        wins = int(dice.binomial(games, 1 / (1 + math.exp(-gap))))
        return wins, 0, games - wins

    while tuner.told < 800:
        for point, games in tuner.ask(40):
            tuner.tell(point, *results(strength(point) + 0.1, games))
        for point, other, games in tuner.ask(40, duels=True):
            assert point != other
            tuner.tell_duel(point, other, *results(strength(point) - strength(other), games))
    assert 0.4 < float(tuner.recommend()["x"]) <= 0.45
