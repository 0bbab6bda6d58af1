"""What the answer reads: all places, joined with care; records that contradict a member; no effect."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

from joute import Float
from joute.studies.tuner.answer import KNOWN, TunerAnswer
from joute.studies.tuner.model import decay
from joute.studies.tuner.model.counts import Counts
from joute.studies.tuner.model.gp import chance
from joute.studies.tuner.model.kernel import LEVEL, MATERN52, KernelShape
from joute.studies.tuner.model.team import SMOOTH_PARTS, Team, level, process
from joute.studies.tuner.parameters import ParameterTable


def test_the_exponential_is_that_of_the_library() -> None:
    x = -np.linspace(0, 39.9, 4001)
    assert max(abs(decay.decay(v) / math.exp(v) - 1) for v in x) < 1e-12
    assert decay.decay(-1e9) == pytest.approx(math.exp(-40), rel=1e-9)


@pytest.mark.parametrize(
    ("won", "games"), [(1, 1000), (0, 40), (12, 1000), (500, 1000), (40, 40), (3, 4)]
)
def test_the_evidence_of_no_effect_is_that_of_quadrature(won: int, games: int) -> None:
    """Laplace's approximation of the constant member, beside the integral over its one number."""
    member = level(KernelShape(2))
    places = np.array([[0.1, 0.2], [-0.5, 0.7]])
    split = np.array([won // 2, won - won // 2], float), np.array([games // 2, games - games // 2])
    member.settle(places, split[0], split[1].astype(float))
    p = (won + 0.5) / (games + 1)
    top = won * math.log(p) + (games - won) * math.log(1 - p)

    def density(z: float) -> float:
        likelihood = won * z - games * np.logaddexp(0, z) - top
        return math.exp(likelihood - z * z / (2 * LEVEL)) / math.sqrt(2 * math.pi * LEVEL)

    centre = math.log(p / (1 - p))
    exact = top + math.log(quad(density, -30, 30, points=[centre], limit=400)[0])
    assert member.evidence == pytest.approx(exact, abs=0.35)


def test_joining_moves_the_games_least() -> None:
    """Two lone games are joined with each other before two well-played places that lie nearer."""
    counts = Counts(1)
    for x, games in ((-0.5, 2), (-0.4, 2), (0.50, 100), (0.55, 100)):
        counts.add(np.array([x]), games / 2, games)
    counts.merge(np.eye(1), 1, left=3)
    assert sorted(counts.X[:, 0].round(3)) == [-0.45, 0.5, 0.55]
    assert counts.games.sum() == 204


def searched(d: int, places: int, seed: int) -> Counts:
    """A search along a narrow ridge of `d` numbers that has closed in on it."""
    rng, counts = np.random.default_rng(seed), Counts(d)
    for _ in range(places):
        x = rng.uniform(-1, 1, d) * 0.9
        x[0] = np.clip(x[1:].mean() + rng.normal(0, 0.25), -1, 1)
        counts.add(x, rng.binomial(2, ridge(x)), 2)
    return counts


def ridge(x: np.ndarray) -> float:
    """The true score: falls steeply off a slanted ridge."""
    return float(chance(np.array(0.1 - 25 * (x[0] - x[1:].mean()) ** 2)))


@pytest.mark.slow
def test_places_on_both_sides_of_a_ridge_are_not_averaged() -> None:
    domain, inside, bias = ParameterTable({f"x{i}": Float(-1, 1) for i in range(4)}), 0, []
    for seed in range(8):
        answer = TunerAnswer(domain, searched(4, 480, seed), 1.0, seed)
        top = np.full(4, 0.1)
        low, mean, high = answer.estimate(top)
        inside += low <= ridge(top) <= high
        bias.append(mean - ridge(top))
    assert inside >= 6 and abs(np.mean(bias)) < 0.04


def test_very_many_places_are_joined_before_they_are_read() -> None:
    domain = ParameterTable({"x": Float(-1, 1), "y": Float(-1, 1)})
    answer = TunerAnswer(domain, searched(2, KNOWN + 200, 1), 1.0, 1)
    assert len(answer.team.members[0].at_places()[0]) == KNOWN


def weights(record: tuple[int, int], elsewhere: int = 60) -> np.ndarray:
    """The team's weights where nearly all games are lost but for a record at one place."""
    counts, rng = Counts(2), np.random.default_rng(3)
    for x in rng.uniform(-1, 1, (elsewhere, 2)):
        counts.add(x, rng.binomial(8, 0.01), 8)
    counts.add(np.array([0.3, 0.3]), *record)
    team = Team(KernelShape(2), careful=True)
    team.learn_well(counts)
    team.read(counts)
    return team.weights


def test_a_record_that_contradicts_a_member_takes_its_weight() -> None:
    assert weights((40, 85))[-1] < 1e-6  # 47 % among 1 %: something matters
    assert weights((1, 85))[-1] > 0.05


def test_a_lucky_record_is_still_shrunk() -> None:
    """24 of 32 where all else is about even is luck, or a narrow peak: the estimate lies between."""
    domain, counts = ParameterTable({"x": Float(-1, 1)}), Counts(1)
    rng = np.random.default_rng(5)
    for x in np.linspace(-1, 1, 40):
        counts.add(np.array([x]), rng.binomial(32, 0.5), 32)
    counts.add(np.array([0.21]), 24, 32)
    low, mean, _ = TunerAnswer(domain, counts, 1.0, 1).estimate(np.array([0.21]))
    assert 0.5 < mean < 0.62 and low < 0.55


def test_a_default_that_is_better_than_what_lies_around_it_is_believed() -> None:
    """A default in a notch that 300 games show; a model without a place of its own smooths it away."""
    rng, counts, default = np.random.default_rng(3), Counts(2), np.array([-0.5, -0.5])
    for x in rng.uniform(-1, 1, (250, 2)):
        counts.add(x, rng.binomial(2, 0.40), 2)
    counts.add(default, 156, 300)
    domain = ParameterTable({"a": Float(-1, 1), "b": Float(-1, 1)})
    low, mean, high = TunerAnswer(domain, counts, 1.0, 1, default).estimate(default)
    assert mean > 0.48 and low < 0.52 < high
    assert TunerAnswer(domain, counts, 1.0, 1).estimate(default)[1] < mean - 0.01


def test_the_slope_of_a_covariance_holds_with_a_special_place() -> None:
    rng, special = np.random.default_rng(5), np.array([0.25, -0.5])
    X = np.vstack([special, rng.uniform(-1, 1, (6, 2)), special])
    member = process(KernelShape(2), MATERN52, SMOOTH_PARTS, special=special)
    covariance, theta = member.covariance, member.theta
    K, slope = covariance.with_slope(X, covariance.fixed(X), theta)
    plain = process(KernelShape(2), MATERN52, SMOOTH_PARTS).covariance.between(X, X, theta)
    assert np.allclose(K, covariance.between(X, X, theta))
    assert np.allclose(K.diagonal(), covariance.diagonal(X, theta))
    assert (K - plain > 0.05).sum() == 4  # the place with itself, written twice
    G = rng.normal(size=K.shape)
    G += G.T
    for i in np.flatnonzero(member.free):
        moved = [theta.copy(), theta.copy()]
        moved[0][i] -= 1e-5
        moved[1][i] += 1e-5
        low, high = (float((G * covariance.between(X, X, t)).sum()) for t in moved)
        assert slope(G)[i] == pytest.approx((high - low) / 2e-5, rel=1e-4, abs=1e-6)
