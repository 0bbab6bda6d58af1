"""The tuner's model: covariances and their derivatives, Laplace against a slow twin, merging."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from joute import Choice, Float, Int
from joute.studies.tuner.answer import BETTER, TunerAnswer
from joute.studies.tuner.model.counts import AFTER, Blocks, Counts
from joute.studies.tuner.model.gp import Process, chance
from joute.studies.tuner.model.kernel import OFF, Covariance, KernelShape
from joute.studies.tuner.model.team import MEMBERS, Team, process, reduced, wider
from joute.studies.tuner.parameters import ParameterTable
from tests.support.marks import slow

SHAPES = st.builds(
    KernelShape, st.integers(0, 7), st.lists(st.integers(1, 4), max_size=3).map(tuple)
).filter(lambda shape: shape.axes > 0)


def places(shape: KernelShape, n: int, rng: np.random.Generator) -> np.ndarray:
    """Places anywhere, some on the edges, of each choice one value or none."""
    X = np.zeros((n, shape.columns))
    X[:, : shape.numbers] = np.clip(rng.uniform(-1.2, 1.2, (n, shape.numbers)), -1, 1)
    first = shape.numbers
    for count in shape.choices:
        some = np.flatnonzero(rng.random(n) < 0.85)
        X[some, first + rng.integers(count, size=len(some))] = 1.0
        first += count
    return X


def member(shape: KernelShape, number: int, rng: np.random.Generator) -> Process:
    """A member of the team at a theta drawn from its prior."""
    found = process(shape, *MEMBERS[number])
    found.theta = found.centre + found.spread * rng.standard_normal(len(found.centre))
    return found


@settings(max_examples=40)
@given(SHAPES, st.integers(0, len(MEMBERS) - 1), st.integers(0, 10**6))
def test_a_covariance_is_positive_and_its_diagonal_is_its_own(
    shape: KernelShape, number: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    one = member(shape, number, rng)
    X = places(shape, 20, rng)
    X[-1] = X[0]
    K = one.covariance.between(X, X, one.theta)
    assert np.allclose(K, K.T)
    assert np.allclose(K.diagonal(), one.covariance.diagonal(X, one.theta), rtol=1e-6)
    assert np.linalg.eigvalsh(K).min() > -1e-9 * K.diagonal().max()
    assert np.allclose(one.covariance.between(X[:5], X, one.theta), K[:5])


@settings(max_examples=40)
@given(SHAPES, st.integers(0, len(MEMBERS) - 1), st.integers(0, 10**6))
def test_its_derivatives_are_those_of_finite_differences(
    shape: KernelShape, number: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    one = member(shape, number, rng)
    X = places(shape, 9, rng)
    G = rng.standard_normal((9, 9))
    G += G.T
    slope = one.covariance.with_slope(X, one.covariance.fixed(X), one.theta)[1](G)
    scale = np.abs(G * one.covariance.between(X, X, one.theta)).sum()
    for i in np.flatnonzero(one.free):
        ends = []
        for step in (-1e-5, 1e-5):
            theta = one.theta.copy()
            theta[i] += step
            ends.append(float((G * one.covariance.between(X, X, theta)).sum()))
        numeric = (ends[1] - ends[0]) / 2e-5
        name = "bowl of the mean" if shape.names[i] == "bowl" else shape.names[i]
        assert slope[i] == pytest.approx(numeric, rel=1e-4, abs=1e-8 * scale + 1e-6), name


def slow_mode(K: np.ndarray, mean: np.ndarray, won: np.ndarray, games: np.ndarray) -> np.ndarray:
    """The mode of the log-odds as a minimizer finds it that knows nothing of Laplace."""
    L = np.linalg.cholesky(K + 1e-9 * np.eye(len(K)))

    def cost(u: np.ndarray) -> float:
        z = L @ u + mean
        return float(-(won * z - games * np.logaddexp(0, z)).sum() + 0.5 * u @ u)

    found = minimize(cost, np.zeros(len(K)), method="BFGS", options={"gtol": 1e-7})
    return np.asarray(L @ found.x)


@settings(max_examples=12)
@given(SHAPES, st.integers(0, len(MEMBERS) - 1), st.integers(0, 10**6))
def test_laplace_is_what_a_slow_twin_finds(shape: KernelShape, number: int, seed: int) -> None:
    """Mode, posterior and evidence of 8 places, against matrices inverted as the book writes them."""
    rng = np.random.default_rng(seed)
    one = process(shape, *MEMBERS[number])
    X, Y = places(shape, 8, rng), places(shape, 4, rng)
    games = rng.integers(1, 30, 8).astype(float)
    won = rng.binomial(games.astype(int), rng.random()).astype(float)
    one.settle(X, won, games)
    K = one.covariance.between(X, X, one.theta)
    f = slow_mode(K, one.mean(X), won, games)
    assert one.latent == pytest.approx(f, abs=5e-3)
    z = f + one.mean(X)
    W = np.diag(games * chance(z) * (1 - chance(z)))
    cross = one.covariance.between(Y, X, one.theta)
    mean = one.mean(Y) + cross @ (won - games * chance(z))
    sure = np.linalg.solve(K + np.linalg.inv(W), cross.T)
    covariance = one.covariance.between(Y, Y, one.theta) - cross @ sure
    told, joint = one.joint(Y)
    assert told == pytest.approx(mean, abs=5e-2)
    assert joint == pytest.approx(covariance, abs=2e-2 * covariance.max())
    assert one.predict(Y)[1] == pytest.approx(joint.diagonal(), abs=1e-6)
    likelihood = float((won * z - games * np.logaddexp(0, z)).sum())
    fit = f @ np.linalg.lstsq(K, f, rcond=1e-10)[0]
    evidence = likelihood - 0.5 * fit - 0.5 * np.linalg.slogdet(np.eye(8) + K @ W)[1]
    if one.covariance.jumps:
        evidence -= one.covariance.jumps.surprise
    assert one.evidence == pytest.approx(evidence, abs=2e-2)


def test_learning_raises_the_posterior_of_the_sizes() -> None:
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (40, 2))
    games = np.full(40, 20.0)
    won = rng.binomial(20, chance(1 - 3 * (X[:, 0] - 0.4) ** 2)).astype(float)
    for number in range(len(MEMBERS)):
        one = process(KernelShape(2), *MEMBERS[number])
        one.settle(X, won, games)
        before = one.evidence
        one.learn(20)
        one.settle(X, won, games)
        assert one.evidence > before
        assert np.all(one.theta[~one.free] == one.centre[~one.free])


def test_the_derivative_of_the_evidence_is_that_of_finite_differences() -> None:
    """What the optimizer is handed, cost and slope, seen where it is called."""
    rng = np.random.default_rng(5)
    shape = KernelShape(2, (3,))
    X, games = places(shape, 15, rng), np.full(15, 8.0)
    won = rng.binomial(8, 0.6, 15).astype(float)
    for number in range(len(MEMBERS)):
        one = process(shape, *MEMBERS[number])
        one.settle(X, won, games)
        with patch("joute.studies.tuner.model.gp.minimize", wraps=minimize) as seen:
            one.learn(1)
        cost, start = seen.call_args.args
        slope = cost(start)[1]
        for i in range(len(start)):
            step = np.zeros(len(start))
            step[i] = 1e-5
            one.theta = one.centre.copy()
            numeric = (cost(start + step)[0] - cost(start - step)[0]) / 2e-5
            assert slope[i] == pytest.approx(numeric, rel=1e-3, abs=1e-4)


def test_one_number_has_no_turn_and_seven_have_none() -> None:
    assert [KernelShape(d).turns for d in (1, 2, 6, 7)] == [0, 1, 15, 0]
    off = np.full(len(KernelShape(1).names), OFF)
    nothing = Covariance(KernelShape(1), "matern52", ()).between(
        np.ones((1, 1)), np.ones((1, 1)), off
    )
    assert nothing == pytest.approx(4.0)  # the level alone


def test_a_team_of_nothing_answers_with_its_prior() -> None:
    team = Team(KernelShape(2))
    team.learn_well(Counts(2))
    mean, low, high = team.quantiles(np.zeros(2), (0.025, 0.975))
    assert mean == pytest.approx(0.5, abs=0.05) and low < 0.1 and high > 0.9


def counted(X: np.ndarray) -> Counts:
    counts = Counts(X.shape[1])
    counts.X, counts.games = X.copy(), np.full(len(X), 2.0)
    counts.won = np.tile([0.0, 1.0, 2.0], len(X))[: len(X)]
    return counts


def test_places_of_different_choices_are_joined_last() -> None:
    rng = np.random.default_rng(1)
    shape = KernelShape(1, (2, 2))
    X = places(shape, 500, rng)
    counts = counted(X)
    counts.merge(np.eye(5), 1)
    assert len(counts) == AFTER and counts.games.sum() == 1000
    assert set(np.unique(counts.X[:, 1:])) == {0.0, 1.0}  # no place is half of each
    assert {tuple(row) for row in counts.X[:, 1:]} == {tuple(row) for row in X[:, 1:]}


def test_more_combinations_of_choices_than_places_are_joined_too() -> None:
    """Nothing may grow without end, or every fit takes longer than the one before."""
    rng = np.random.default_rng(2)
    shape = KernelShape(0, (30, 30, 30))
    X = np.unique(places(shape, 600, rng), axis=0)
    counts = counted(X)
    won = counts.won.sum()
    counts.merge(np.eye(90), 0, X[7])
    assert len(counts) == AFTER and counts.won.sum() == pytest.approx(won)
    assert (X[7] == counts.X).all(1).any()


def test_many_places_are_merged_as_few_at_a_time_are() -> None:
    X = np.random.default_rng(4).uniform(-1, 1, (1500, 2))
    at_once, in_parts = counted(X), counted(X)
    at_once.merge(np.eye(2), 2)
    with patch("joute.studies.tuner.model.counts.ROWS", 100):
        in_parts.merge(np.eye(2), 2)
    assert np.allclose(at_once.X, in_parts.X)


@pytest.mark.parametrize("gap", [slow(0.0), 0.045])
def test_a_weak_effect_among_many_parameters_is_not_denied(gap: float) -> None:
    """As a search of `tron-eval` was: 3,600 games, in which one choice of six parameters is worth 4.5
    points, 2.4 standard deviations. That is no proof, nor is it proof that nothing matters.
    """
    space = {f"x{i}": Float(0, 1) for i in range(4)} | {c: Choice("off", "on") for c in "ab"}
    domain = ParameterTable(space)
    gains = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        counts = Counts(domain.shape.columns)
        for place in domain.scattered(rng.random((600, len(domain.axes)))):
            on = domain.point(place)["a"] == "on"
            counts.add(place, rng.binomial(6, 0.51 + gap * on), 6)
        answer = TunerAnswer(domain, counts, 1.0, seed)
        point = dict.fromkeys([f"x{i}" for i in range(4)], 0.5) | {"b": "off"}
        places = domain.places([{**point, "a": "on"}, {**point, "a": "off"}])
        gains.append(answer.compare(*places))
    high = np.mean([gain.high for gain in gains])
    if gap:
        assert high > 0.04 and np.mean([gain.mean for gain in gains]) > 0.005
    else:
        assert high < 0.04 and all(gain.verdict != BETTER for gain in gains)


@pytest.mark.slow
def test_a_whole_number_and_a_fraction_that_go_together_are_found() -> None:
    domain = ParameterTable({"n": Int(1, 9), "x": Float(-1, 1)})

    def ridge(n: float, x: float) -> float:
        return 0.5 - 0.06 * (n - 6) ** 2 - 1.5 * (x - 0.2) ** 2 - 0.3 * (n - 6) * (x - 0.2)

    lost = []
    for seed in range(4):
        rng, counts = np.random.default_rng(seed), Counts(2)
        for place in domain.scattered(rng.random((200, 2))):
            point = domain.point(place)
            score = chance(ridge(float(point["n"]), float(point["x"])))
            counts.add(place, rng.binomial(10, score), 10)
        best = domain.point(TunerAnswer(domain, counts, 1.0, seed).best)
        lost.append(0.5 - ridge(float(best["n"]), float(best["x"])))
    assert np.mean(lost) < 0.05  # one off in n, and the best x for it, lose 0.045


def test_a_jump_is_trusted_among_few_parameters_alone() -> None:
    few, many = Team(KernelShape(2)), Team(KernelShape(9))
    for team in (few, many):
        team.weights = np.array([0.1, 0.2, 0.1, 0.5, 0.1])  # additive, ridge, kink, jump, nothing
    assert few.simple == pytest.approx(0.6) and many.simple == pytest.approx(0.1)


def test_intervals_of_many_games_are_wider_than_their_members_say() -> None:
    assert wider(10) == wider(1000) == 1.2 and wider(10_000) == pytest.approx(1.4)
    assert wider(10**5) == wider(10**7) == pytest.approx(1.6)


def test_what_fixes_a_level_counts_as_no_games() -> None:
    counts = Counts(1)
    counts.add_duels(np.array([0.5]), np.array([-0.5]), Blocks(1, 600, 330))
    anchored = counts.anchored(np.array([0.0]), 1.0)
    assert counts.played == anchored.played == anchored.copy().played == 600
    team = Team(KernelShape(1))
    team.settle(anchored)
    assert team._wider == 1.2


@pytest.mark.parametrize(("games", "places"), [(2, 170), (8, 320), (40, 500)])
def test_an_answer_keeps_a_place_for_every_ten_games(games: int, places: int) -> None:
    rng, counts = np.random.default_rng(5), Counts(2)
    for place in rng.uniform(-1, 1, (400 if games < 40 else 600, 2)):
        counts.add(place, games / 2, games)
    assert len(reduced(counts, KernelShape(2))) == places


def test_a_small_effect_is_never_ruled_out_by_a_constant() -> None:
    """9,000 games of a slope of 20 Elo from end to end, five parameters: a constant predicts best."""
    domain = ParameterTable({name: Float(-1, 1) for name in "abcde"})
    rng, counts = np.random.default_rng(1), Counts(5)
    for place in rng.uniform(-1, 1, (150, 5)):
        counts.add(place, rng.binomial(60, chance(0.06 * place[0])), 60)
    answer = TunerAnswer(domain, counts, 1.0, 1)
    assert answer.team.weights[-1] == pytest.approx(0.8)
    low, _, high = answer.estimate(np.array([1.0, 0, 0, 0, 0]))
    assert low < 0.515 < high
