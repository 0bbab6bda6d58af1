"""The bench's weak problems, and our tuner on them by duels."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.tuners import run
from benchmarks.tuners.problem import chance
from benchmarks.tuners.problems import find_problem
from benchmarks.tuners.rivals.duel_joute import BothJoute, DuelJoute
from benchmarks.tuners.run import Task, play, unable, version
from benchmarks.tuners.space import centre, point_of
from benchmarks.tuners.table import comparison_table
from joute.engines.errors import Refused
from joute.results.statistics import elo_of


@pytest.mark.parametrize("place", range(4))
def test_a_weak_problem_is_weak_and_drawish(place: int) -> None:
    problem = find_problem(f"CHESS-7-{place}")
    assert 5 <= len(problem.space) <= 12
    rng = np.random.default_rng(1)
    points = [point_of(problem.space, row) for row in rng.uniform(-1, 1, (300, len(problem.space)))]
    elo = [elo_of(problem.score(point)) for point in points]
    best = elo_of(problem.best_score)
    assert best - min(elo) < 75 and best - np.quantile(elo, 0.01) > 12 and max(elo) <= best + 1e-9
    assert np.mean([problem.draws(point) for point in points]) == pytest.approx(0.39, abs=0.03)
    assert find_problem(f"chess-7-{place}").digest == problem.digest


@pytest.mark.parametrize("name", ["CHESS-7", "CHESS-a-1", "CHESS-1-2-3"])
def test_what_is_none_is_refused(name: str) -> None:
    with pytest.raises(Refused, match="say CHESS-7-0"):
        find_problem(name)


def test_our_tuner_plays_duels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "_warm", lambda *task: None)
    row = play(Task("CHESS-7-1", DuelJoute.name, 1, 100))
    last = row["checkpoints"][-1]
    assert last["games"] == 100 and last["low"] <= last["mean"] <= last["high"]
    problem = find_problem("CHESS-7-1")
    middle = problem.log_odds(centre(problem.space))
    assert last["true"] <= chance(math.log(problem.best_score / (1 - problem.best_score)) - middle)
    judged = play(Task("CHESS-7-1", DuelJoute.name, 1, 100, "centre"))
    assert judged["verdict"] in ("better", "keep", "unknown")
    assert unable(Task("CHESS-7-1", DuelJoute.name, 1, 100, "best")) == "knows no default"
    assert version(DuelJoute.name) != version("joute")
    rows = [row, play(Task("CHESS-7-1", "random", 1, 100)), {**row, "tuner": "joute"}]
    assert DuelJoute.name not in comparison_table(rows, 100)  # it is ours, no rival


def test_our_tuner_plays_the_pool_and_duels_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "_warm", lambda *task: None)
    tuner = BothJoute(find_problem("CHESS-7-1").space, 1, 100)
    met = []
    for _ in range(6):
        for point, games in tuner.ask(4):
            met.append(tuner.against is not None)
            tuner.tell(point, games, 0, 0)
    assert met[0] is False and {*met} == {False, True}
    rows = [play(Task("CHESS-7-1", name, 1, 100)) for name in ("joute-both", "random")]
    last = rows[0]["checkpoints"][-1]
    assert last["low"] <= last["mean"] <= last["high"] and last["told"] > 0
    assert last["true"] == pytest.approx(find_problem("CHESS-7-1").best_score - last["regret"])
    assert not unable(Task("CHESS-7-1", "joute-both", 1, 100, "best"))
    assert "joute-both" not in comparison_table(rows, 100)


def test_our_tuner_takes_conditions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "_warm", lambda *task: None)
    row = play(Task("CONDITIONS-7-0", "joute-both", 1, 60))
    assert row["checkpoints"][-1]["regret"] >= 0
