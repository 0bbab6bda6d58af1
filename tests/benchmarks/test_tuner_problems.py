"""The benchmark's problems: their optima are where they are said to be, their games end as they should."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.tuners.problem import NEAR_ELO, Problem
from benchmarks.tuners.problems import ALL, PROBLEMS, find_problem
from benchmarks.tuners.space import Category, Real, Space, Whole, centre, places_of, point_of
from joute.engines.errors import Refused
from joute.results.statistics import elo_of

DENSE = {1: 20_001, 2: 161}
NAMES = list(PROBLEMS)


def dense(space: Space) -> np.ndarray:
    """Return places all over the box: a grid, and where that would be too large, random ones."""
    axes = len(space)
    if axes > 2:
        return np.random.default_rng(5).uniform(-1, 1, (20_000, axes))
    line = np.linspace(-1, 1, DENSE[axes])
    return np.stack(np.meshgrid(*[line] * axes), -1).reshape(-1, axes)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_better_than_the_best(name: str) -> None:
    problem = find_problem(name)
    rows = dense(problem.space)
    scores = np.array([problem.score(point_of(problem.space, row)) for row in rows])
    assert scores.max() <= problem.best_score + 1e-12
    around = places_of(problem.space, problem.best)
    rng = np.random.default_rng(6)
    for width in (0.3, 0.03, 0.003):
        for row in around + width * rng.normal(size=(300, len(around))):
            assert problem.regret(point_of(problem.space, row)) >= -1e-12


@pytest.mark.parametrize("name", [n for n in NAMES if len(find_problem(n).space) <= 2])
def test_a_dense_search_finds_the_best(name: str) -> None:
    problem = find_problem(name)
    rows = dense(problem.space)
    regrets = [problem.regret(point_of(problem.space, row)) for row in rows]
    assert min(regrets) < (1e-4 if len(problem.space) == 1 else 3e-3)


@pytest.mark.parametrize(
    ("name", "score"),
    [("LOG", 0.6192), ("LOG2", 0.6192), ("LOG5", 0.6192), ("ROSENBROCK", 0.7311),
     ("CORRELATED", 0.5250), ("DEAD2", 0.5)],
)  # fmt: skip
def test_published_best_scores(name: str, score: float) -> None:
    assert find_problem(name).best_score == pytest.approx(score, abs=5e-5)


@pytest.mark.parametrize("problem", ALL, ids=NAMES)
def test_games_end_as_the_chances_say(problem: Problem) -> None:
    rng = np.random.default_rng(3)
    high = point_of(problem.space, np.full(len(problem.space), 0.9))
    for point in (problem.best, centre(problem.space), high):
        wins, draws, losses = problem.outcomes(point, rng.random(20_000))
        assert wins + draws + losses == 20_000
        assert (wins + draws / 2) / 20_000 == pytest.approx(problem.score(point), abs=0.015)
        assert draws / 20_000 == pytest.approx(problem.draws(point), abs=0.015)


def test_wins_alone_mislead_where_the_top_is_drawish() -> None:
    problem = find_problem("DRAWISH")
    won = {x: problem.score({"x1": x}) - problem.draws({"x1": x}) / 2 for x in (-0.525, 0.0)}
    assert won[0.0] > won[-0.525] + 0.05
    assert problem.score({"x1": 0.0}) < problem.best_score - 0.1


@pytest.mark.parametrize("problem", ALL, ids=NAMES)
def test_defaults_lose_what_they_are_said_to(problem: Problem) -> None:
    assert problem.start("centre") == centre(problem.space)
    assert problem.regret(problem.start("best")) == 0
    lost = elo_of(problem.best_score) - elo_of(problem.score(problem.start("near")))
    assert 0 <= lost <= NEAR_ELO + 1e-6 < 5


def test_weak_is_worth_twenty_elo() -> None:
    problem = find_problem("WEAK")
    worst = min(problem.score({"x1": a, "x2": b}) for a in (-1, 1) for b in (-1, 1))
    assert elo_of(problem.best_score) - elo_of(worst) == pytest.approx(20, abs=0.1)


def test_places_and_values_agree() -> None:
    axes: Space = {"r": Real(2, 6), "w": Whole(1, 9), "c": Category(("a", "b", "c"))}
    assert point_of(axes, np.array([-1.0, -1.0, -1.0])) == {"r": 2.0, "w": 1, "c": "a"}
    assert point_of(axes, np.array([3.0, 1.0, 1.0])) == {"r": 6.0, "w": 9, "c": "c"}
    middle = {"r": 3.5, "w": 4, "c": "b"}
    assert point_of(axes, places_of(axes, middle)) == middle
    drawn = [axes["w"].at(place) for place in np.linspace(-1, 1, 9001)[:-1]]
    assert np.bincount(np.array(drawn, int))[1:].tolist() == [1000] * 9


def test_a_changed_problem_is_another_one() -> None:
    digests = {problem.digest for problem in ALL}
    assert len(digests) == len(ALL)


def test_an_unknown_problem_is_refused_with_the_nearest() -> None:
    with pytest.raises(Refused, match="did you mean 'ROSENBROCK'"):
        find_problem("ROSENBROK")
