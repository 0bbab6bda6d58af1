"""The rivals: better than chance on LOG, functions of their seed, deaf to nonsense."""

from __future__ import annotations

import importlib.util
import math

import numpy as np
import pytest

from benchmarks.tuners.problems import PROBLEMS, find_problem
from benchmarks.tuners.rivals import RIVALS, bask
from benchmarks.tuners.rivals.clop import constant, expected, features, regression
from benchmarks.tuners.rivals.tree import Tree
from benchmarks.tuners.run import Task, luck, play
from joute.engines.errors import Refused
from tests.support.marks import dear_case

# Two are slow, the others need more games.
NO_HURRY = ("random", "gp", "bask", "spsa-duel", "spsa-duel-10")
NEEDED = {"gp": "torch", "bask": "bask"}
ABLE = [n for n in RIVALS if n not in NEEDED or importlib.util.find_spec(NEEDED[n])]


def regret(name: str, problem: str, seeds: int, games: int) -> float:
    runs = [play(Task(problem, name, seed, games)) for seed in range(seeds)]
    return float(np.mean([run["checkpoints"][-1]["regret"] for run in runs]))


@pytest.mark.parametrize("name", [name for name in ABLE if name not in NO_HURRY])
def test_tuning_beats_no_tuning_and_a_random_point(name: str) -> None:
    problem = find_problem("LOG")
    anywhere = np.mean([problem.regret({"x1": x}) for x in np.linspace(-1, 1, 201)])
    found = regret(name, "LOG", 4, 600)
    assert found < 0.5 * problem.regret({"x1": 0.0})
    assert found < 0.3 * anywhere


@pytest.mark.slow
@pytest.mark.skipif("bask" not in ABLE, reason="needs the extra bench")
def test_bask_tunes_and_draws_from_its_own_seed_alone() -> None:
    runs = []
    for global_seed in (3, 4):
        np.random.seed(global_seed)
        before = np.random.get_state()[1]
        runs.append([c["regret"] for c in play(Task("LOG", "bask", 1, 400))["checkpoints"]])
        assert (np.random.get_state()[1] == before).all()  # what others draw is as it was
    assert runs[0] == runs[1]
    assert runs[0][-1] < 0.5 * find_problem("LOG").regret({"x1": 0.0})


def test_bask_s_priors_are_those_of_chess_tuning_tools() -> None:
    """Its lengths lie between .1 and .5 in 98 %; densities of logarithms come to 1."""
    signal, length, noise = bask.priors(1)
    x = np.linspace(-40.0, 12.0, 40_001)
    for density in (signal, length, noise):
        assert np.trapezoid([np.exp(density(v)) for v in x], x) == pytest.approx(1, abs=1e-3)
    inside = x[(x > np.log(0.1)) & (x < np.log(0.5))]
    assert np.trapezoid([np.exp(length(v)) for v in inside], inside) == pytest.approx(
        0.98, abs=3e-3
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["clop", "spsa", "tree", "tpe"])
def test_tuning_beats_random_search(name: str) -> None:
    assert regret(name, "LOG2", 12, 1000) < 0.8 * regret("random", "LOG2", 12, 1000)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("problem", "published"),
    [
        ("LOG", 0.0049),
        dear_case("LOG2", 0.0181),
        dear_case("ROSENBROCK", 0.0112),
        dear_case("CORRELATED", 0.0046),
    ],
)
def test_clop_is_as_good_as_the_original(problem: str, published: float) -> None:
    """The original's mean regrets over 20 to 40 seeds, themselves known to 10 or 15 %."""
    assert 0.6 * published < regret("clop", problem, 24, 1000) < 1.6 * published


BOXES = ("LOG2", "INTEGER", "CATEGORY", "WIDE")
# CLOP has 231 coefficients on WIDE, which takes long where BLAS has many threads on a busy machine.
CASES = [(n, p) for n in ABLE for p in BOXES if (n, p) != ("clop", "WIDE")]


@pytest.mark.parametrize(("name", "problem"), CASES)
def test_points_are_in_the_box_and_follow_from_the_seed(name: str, problem: str) -> None:
    known, whole = find_problem(problem), 100
    if RIVALS[name].unable(known.space, whole):
        with pytest.raises(Refused, match="cannot tune names"):
            RIVALS[name](known.space, 1, whole)
        return

    def run(seed: int) -> list[object]:
        tuner, chances, seen = RIVALS[name](known.space, seed, whole), luck(problem, 1, whole), []
        while len(seen) < whole:
            asked = tuner.ask(min(20, whole - len(seen)))
            assert asked and sum(games for _, games in asked) <= 20
            for point, games in asked:
                for axis, value in point.items():
                    values = getattr(known.space[axis], "values", None)
                    assert value in values if values else -1 <= float(value) <= 1
                tuner.tell(point, *known.outcomes(point, chances[len(seen) : len(seen) + games]))
                seen += [sorted(point.items())] * games
        return [*seen, sorted(tuner.recommend().items())]

    first = run(5)
    assert run(5) == first
    assert run(6) != first


@pytest.mark.parametrize("name", ABLE)
def test_nonsense_is_refused(name: str) -> None:
    tuner = RIVALS[name](find_problem("LOG").space, 1, 100)
    with pytest.raises(Refused, match="at least 1, not 0"):
        tuner.ask(0)
    ((point, _),) = tuner.ask(1)
    for told in ((-1, 0, 2), (0, 0, 0)):
        with pytest.raises(Refused, match="no outcomes"):
            tuner.tell(point, *told)
    with pytest.raises(Refused, match="a point has x1"):
        tuner.tell({"y": 0.0}, 1, 0, 0)


def test_the_gaussian_process_says_why_it_is_left_out() -> None:
    space = find_problem("LOG").space
    missing = importlib.util.find_spec("torch") is None
    said = RIVALS["gp"].unable(space, 3000)
    assert said == ("needs torch, which is not installed" if missing else "too slow for more than 1,000 games")  # fmt: skip


def test_clop_finds_a_planted_quadratic_with_draws() -> None:
    rng = np.random.default_rng(4)
    places = rng.uniform(-1, 1, (4000, 1))
    planted, margin = np.array([0.4, 0.8, -1.2]), 0.7
    value = features(places) @ planted
    u = rng.random(4000)
    win, loss = 1 / (1 + np.exp(margin - value)), 1 / (1 + np.exp(margin + value))
    told = np.stack([u < win, (u >= win) & (u < 1 - loss), u >= 1 - loss], 1).astype(float)
    assert regression(features(places), told, margin, np.zeros(3)) == pytest.approx(
        planted, abs=0.25
    )
    level, found, _ = constant(told.sum(0))
    assert expected(level, found) == pytest.approx(float((told @ [1, 0.5, 0]).mean()), abs=1e-3)
    assert constant(np.array([30.0, 0.0, 10.0]))[1] == pytest.approx(0, abs=1e-12)


def test_the_tree_grows_where_the_games_are_won() -> None:
    tree = Tree(PROBLEMS["STEP"].space, 1, 600)
    for _ in range(600):
        ((point, games),) = tree.ask(1)
        won = float(point["x1"]) >= 0.3
        tree.tell(point, games * won, 0, games * (not won))
    assert float(tree.recommend()["x1"]) > 0.3
    low, _, high = tree.estimate(tree.recommend()) or (0.0, 0.0, 0.0)
    assert 0.5 < low < high <= 1


def test_a_duel_is_won_as_often_as_the_scores_say() -> None:
    problem = find_problem("DRAWS")
    good, bad = problem.best, {"x1": -0.2}
    luck = np.random.default_rng(1).random(20_000)
    wins, draws, losses = problem.duel(good, bad, luck)
    odds = problem.log_odds(good) - problem.log_odds(bad)
    assert (wins + draws / 2) / 20_000 == pytest.approx(1 / (1 + np.exp(-odds)), abs=0.01)
    assert draws / 20_000 == pytest.approx(0.6, abs=0.02)
    back = problem.duel(bad, good, 1 - luck)
    assert (back[2], back[1], back[0]) == pytest.approx((wins, draws, losses), abs=2)


def test_duels_may_go_in_circles() -> None:
    """Around the corners of a square each beats the next one, by what the name says."""
    plain, cyclic = find_problem("ROSENBROCK"), find_problem("ROSENBROCK~100")
    corners = [{"x1": x, "x2": y} for x, y in ((1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0))]
    for one, other in zip(corners, [*corners[1:], corners[0]], strict=True):
        gap = plain.log_odds(one) - plain.log_odds(other) + math.log(10) / 4  # 100 Elo
        wins, draws, losses = cyclic.duel(one, other, np.arange(10_000) / 10_000)
        assert (wins + draws / 2) / 10_000 == pytest.approx(1 / (1 + math.exp(-gap)), abs=0.001)
        assert cyclic.duel(other, one, 1 - np.arange(10_000) / 10_000)[0] == pytest.approx(
            losses, abs=2
        )
    assert cyclic.score(corners[0]) == plain.score(corners[0])  # a pool knows nothing of it
    assert cyclic.digest != plain.digest and cyclic.name == "ROSENBROCK~100"
    for name, said in (
        ("LOG~50", "has no cycles"),
        ("LOG2~0", "1 to 1000"),
        ("LOG2~x", "1 to 1000"),
    ):
        with pytest.raises(Refused, match=said):
            find_problem(name)


def test_a_step_goes_to_the_winner_as_far_as_fishtest_goes() -> None:
    spsa = RIVALS["spsa-duel"](find_problem("LOG").space, 1, 1000)
    [(ahead, games)] = spsa.ask(20)
    assert games == 2 and float(spsa.against["x1"]) == pytest.approx(-float(ahead["x1"]))
    spsa.tell(ahead, 2, 0, 0)
    width = 0.1 * 500**0.101
    step = 0.002 * 0.1**2 * ((50 + 500) / (50 + 1)) ** 0.602 / width * 2
    assert float(spsa.recommend()["x1"]) == pytest.approx(np.sign(float(ahead["x1"])) * step)
    assert abs(float(ahead["x1"])) == pytest.approx(width)
