"""The drawn problems: nothing beats their best point, and they are the same everywhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import differential_evolution
from scipy.stats import ttest_1samp

from benchmarks.tuners import family, ours
from benchmarks.tuners.optimum import snapped
from benchmarks.tuners.problem import Problem
from benchmarks.tuners.problems import find_problem
from benchmarks.tuners.ratios import beyond_chance, interval, powers, ratios, verdicts
from benchmarks.tuners.space import Category, point_of
from joute.engines.errors import Refused
from joute.results.statistics import elo_of
from tests.support.marks import dear

KINDS = list(family.CLASSES)
SEED = 71
"""A training seed that tests alone use."""


def drawn(kind: str, place: int = 0) -> Problem:
    """Return a problem; the test is skipped where BBOB is not installed."""
    if kind == "BBOB":
        pytest.importorskip("ioh")
    return find_problem(family.family_name(kind, SEED, place))


def nothing_better(problem: Problem, count: int) -> None:
    """Look for a better point at random, and around the best one."""
    rng = np.random.default_rng(5)
    d = len(problem.space)
    around = family.places_of(problem.space, problem.best)
    rows = [rng.uniform(-1, 1, (count, d))]
    rows += [around + width * rng.normal(size=(count // 4, d)) for width in (0.3, 0.03, 0.003)]
    scores = [problem.score(point_of(problem.space, row)) for row in np.vstack(rows)]
    assert max(scores) <= problem.best_score + 1e-7


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_better_than_the_best(kind: str) -> None:
    nothing_better(drawn(kind), 400)


@dear
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", range(1, 4))
def test_another_search_finds_nothing_better(kind: str, place: int) -> None:
    problem = drawn(kind, place)
    nothing_better(problem, 2000)
    found = differential_evolution(
        lambda row: -problem.score(point_of(problem.space, row)),
        [(-1, 1)] * len(problem.space),
        maxiter=60,
        popsize=8,
        seed=1,
        polish=False,
    )
    assert -found.fun <= problem.best_score + 1e-7


@pytest.mark.parametrize("kind", KINDS)
def test_heights_draws_and_defaults_are_as_said(kind: str) -> None:
    for place in range(3):
        problem = drawn(kind, place)
        rng = np.random.default_rng(3)
        points = [
            point_of(problem.space, row) for row in rng.uniform(-1, 1, (50, len(problem.space)))
        ]
        for point in [*points, problem.best, problem.start("own"), problem.start("near")]:
            share = problem.draws(point)
            score = problem.score(point)
            assert 0 <= share <= 2 * min(score, 1 - score) * 0.6 + 1e-12
            assert 0 <= score <= problem.best_score + 1e-12
        assert 0.3 <= problem.best_score <= 0.8
        assert elo_of(problem.best_score) - elo_of(problem.score(problem.near)) <= 4 + 1e-6
        wins, draws, losses = problem.outcomes(problem.best, rng.random(4000))
        assert (wins + draws / 2) / 4000 == pytest.approx(problem.best_score, abs=0.04)
        assert wins + draws + losses == 4000


@dear
@pytest.mark.parametrize("kind", KINDS)
def test_our_tuner_plays_every_class(kind: str) -> None:
    problem = drawn(kind)
    tuner = ours.make(problem.space, 1, 60, problem.start("own"))
    for point, games in tuner.ask(20):
        tuner.tell(point, *problem.outcomes(point, np.random.default_rng(1).random(games)))
    assert 0 <= problem.regret(tuner.recommend()) < 1


def test_a_name_is_the_same_problem_in_another_process() -> None:
    names = [family.family_name(kind, SEED, 2) for kind in ("SMOOTH", "INTEGERS", "NAMES", "HILLS")]
    code = (
        "from benchmarks.tuners.problems import find_problem\n"
        f"print([find_problem(name).digest for name in {names}])"
    )
    other = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parents[2]
    )
    assert other.stdout.strip() == str([find_problem(name).digest for name in names])


def test_seeds_and_places_differ() -> None:
    names = [family.family_name("SMOOTH", seed, place) for seed in (1, 2) for place in (0, 1)]
    assert len({find_problem(name).digest for name in names}) == 4
    assert find_problem("smooth-1-0") is find_problem("SMOOTH-1-0")


def test_classes_have_what_they_are_named_after() -> None:
    windows = [drawn("WINDOW", i) for i in range(3)]
    for problem in windows:
        rows = np.random.default_rng(1).uniform(-1, 1, (1000, len(problem.space)))
        near = [problem.regret(point_of(problem.space, row)) < 0.02 for row in rows]
        assert np.mean(near) < 0.08
    for problem in (drawn("EDGE", i) for i in range(3)):
        assert any(abs(float(value)) == 1 for value in problem.best.values())
    for problem in (drawn("NAMES", i) for i in range(3)):
        assert any(isinstance(axis, Category) for axis in problem.space.values())
    nothing = drawn("NOTHING")
    assert nothing.regret(point_of(nothing.space, np.zeros(len(nothing.space)))) == 0


def test_snapped_rows_are_the_values_that_are_played() -> None:
    space = drawn("INTEGERS").space
    rows = np.random.default_rng(1).uniform(-1.2, 1.2, (50, len(space)))
    for row, onto in zip(rows, snapped(space, rows.copy()), strict=True):
        assert family.places_of(space, point_of(space, row)) == pytest.approx(onto)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("smoth-7-0", "unknown class 'SMOTH'"),
        ("smooth-7", "a drawn one is SMOOTH-SEED-PLACE"),
        ("smooth-x-1", "a drawn one is SMOOTH-SEED-PLACE"),
    ],
)
def test_other_names_are_refused(name: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        find_problem(name)


def test_landscapes_know_nothing_of_the_tuner() -> None:
    for file in ("family.py", "shapes.py", "optimum.py"):
        text = (Path(family.__file__).parent / file).read_text()
        assert "joute.studies" not in text and "joute import" not in text


def row(problem: str, tuner: str, seed: int, regret: float) -> dict[str, object]:
    """Return a run that ended so."""
    looks = [{"games": 100, "regret": regret}]
    return {"problem": problem, "tuner": tuner, "seed": seed, "games": 100, "default": "none",
            "checkpoints": looks}  # fmt: skip


def test_ratios_are_of_means_with_a_little_added() -> None:
    rows = [row("SMOOTH-1-0", "joute", 0, 0.01), row("SMOOTH-1-0", "joute", 1, 0.03),
            row("SMOOTH-1-0", "clop", 0, 0.04), row("KINKED-1-0", "joute", 0, 0.0)]  # fmt: skip
    assert ratios(rows, "joute", "clop", 100) == {"SMOOTH-1-0": pytest.approx(0.0205 / 0.0405)}
    low, middle, high = interval([0.5, 2.0, 0.5, 2.0])
    assert middle == pytest.approx(1) and low < 1 < high


def judged(problem: str, seed: int, verdict: str, lost: float, default: float) -> dict[str, object]:
    """Return a run with a default that ended with a verdict, both regrets known."""
    ended = {"verdict": verdict, "wrong": verdict == "better" and lost >= default,
             "ever_wrong": False, "recommended_regret": lost, "default_regret": default}  # fmt: skip
    return row(problem, "joute", seed, lost) | ended | {"default": "own"}


def test_verdicts_are_counted_by_class() -> None:
    rows = [judged("SMOOTH-1-0", 0, "better", 0.0, 0.1), judged("SMOOTH-1-0", 1, "unknown", 0.1, 0.0),
            judged("KINKED-1-0", 0, "keep", 0.02, 0.02)]  # fmt: skip
    lines = verdicts(rows, ["SMOOTH", "KINKED"]).splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    assert cells[0][:7] == ["SMOOTH", "2", "0.50", "0.00", "0.50", "0", "0"] and cells[0][8] == "1"
    assert cells[1][:5] == ["KINKED", "1", "0.00", "1.00", "0.00"]
    assert cells[2][:5] == ["all", "3", "0.33", "0.33", "0.33"]


def test_power_is_that_of_the_match_which_all_games_would_have_been() -> None:
    rows = [judged("SMOOTH-1-0", 0, "better", 0.0, 0.1)]
    [line] = powers(rows, 1000).splitlines()[2:]
    assert line.startswith("| 30 Elo and more") and "| 1.00" in line
    [small] = powers([judged("SMOOTH-1-0", 0, "unknown", 0.0, 0.01)], 1000).splitlines()[2:]
    found, match = [float(cell) for cell in small.strip("| ").split("|")[2:]]
    assert found == 0.0 and 0.02 < match < 0.2  # 7 Elo in 1,000 games: seldom


def test_a_rival_is_better_beyond_chance_after_correction_for_all_pairs() -> None:
    rng = np.random.default_rng(3)
    logs = {(f"K{k}", "clop"): rng.normal(0, 1, 12) for k in range(20)}
    logs |= {("SURE", "clop"): rng.normal(2, 0.5, 12), ("NOTHING", "clop"): np.zeros(12)}
    logs["FEW", "clop"] = np.array([3.0, 3.1])
    one_by_one = {
        pair: ttest_1samp(values, 0, alternative="greater").pvalue
        for pair, values in logs.items()
        if len(values) > 2 and values.any()
    }
    assert min(p for (kind, _), p in one_by_one.items() if kind != "SURE") < 0.05  # by chance
    [(pair, p)] = beyond_chance({pair: [*values] for pair, values in logs.items()})
    assert pair == ("SURE", "clop") and p == pytest.approx(22 * one_by_one[pair])
    assert beyond_chance({}) == []
