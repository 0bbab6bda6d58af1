"""The benchmark of real engines: tuners tune one, and what they recommend meets it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks import engines
from benchmarks.batches import Batches
from joute.engines.errors import Refused
from joute.studies.load import load_study

TUNE: dict[str, Any] = {
    "name": "small", "kind": "tune", "game": "connect4[columns=5,rows=4]", "seed": 3,
    "budget": "200 games",
    "engine": {"search": "alphabeta", "evaluation": "lines", "depth": 2, "width": 0.6},
    "space": {"width": {"from": 0.2, "to": 1.0}, "depth": {"from": 1, "to": 3}},
}  # fmt: skip
FILE = """
name = "small"
kind = "tune"
game = "connect4[columns=5,rows=4]"
seed = 3
budget = "200 games"
[engine]
search = "alphabeta"
evaluation = "lines"
depth = 2
width = 0.6
[space]
width = { from = 0.2, to = 1.0 }
depth = { from = 1, to = 3 }
"""


def test_an_interval_holds_the_luck_of_repetitions_and_of_openings() -> None:
    random = np.random.default_rng(7)
    repetitions, openings, held, narrow = 5, 60, 0, 0
    for _ in range(400):
        scores = 0.5 + 0.02 * random.normal(size=(repetitions, 1))
        scores = scores + 0.2 * random.normal(size=openings)
        scores = scores + 0.2 * random.normal(size=(repetitions, openings))
        mean, low, high = engines.interval(scores)
        assert mean == pytest.approx(float(np.mean(scores)))
        held += low <= 0.5 <= high
        spread = np.std(scores.mean(axis=1), ddof=1) / repetitions**0.5
        narrow += abs(mean - 0.5) <= 2.776445 * spread  # Student's over repetitions alone
    assert held >= 0.92 * 400
    assert narrow < 0.85 * 400


def test_an_interval_over_repetitions_alone_is_students() -> None:
    scores = np.repeat([[0.4], [0.5], [0.6]], 50, axis=1)  # every opening tells the same
    mean, low, high = engines.interval(scores)
    assert mean == pytest.approx(0.5)
    assert high - mean == pytest.approx(mean - low) == pytest.approx(4.302653 * 0.1 / 3**0.5)


def test_scores_that_are_all_alike_say_nothing_of_their_spread() -> None:
    assert engines.interval(np.ones((3, 10))) == (1.0, 0.0, 1.0)


def test_differences_are_those_on_the_same_openings() -> None:
    random = np.random.default_rng(5)
    others = random.choice([0.0, 0.5, 1.0], size=(4, 40))
    assert engines.difference(others, others) == "+0.0 in every pair"
    assert engines.difference(others + 0.05, others) == "+5.0 in every pair"
    shifted = others + 0.05 + 0.02 * random.choice([-1.0, 1.0], size=others.shape)
    mean, low, high = (
        float(word) for word in re.findall(r"[-+][\d.]+", engines.difference(shifted, others))
    )
    assert low < mean < high and low > 3 and high < 7  # the openings' own spread falls out


def test_starts() -> None:
    study = load_study(TUNE)
    assert engines.start_of(study, "own") == {"width": 0.6, "depth": 2}
    assert engines.start_of(study, "spoiled") == {"width": pytest.approx(0.4), "depth": 1}


def test_games_are_played_in_pairs_and_counted_for_the_first_engine() -> None:
    study = load_study(TUNE)
    space = engines.plan_of(study).space
    strong, weak = (space.engine({"width": 1.0, "depth": depth}) for depth in (3, 1))
    won = engines.Board(study, "search", 1).play(strong, [weak], 20)
    lost = engines.Board(study, "search", 1).play(weak, [strong], 20)
    assert won != lost
    for i in range(0, 20, 2):  # the same openings and seats, seen from the other side
        assert won[i : i + 2] == [1 - score for score in reversed(lost[i : i + 2])]
    board = engines.Board(study, "search", 1)
    one_by_one = [board.play(strong, [weak], 1)[0] for _ in range(20)]
    assert one_by_one == won
    assert engines.Board(study, "search", 1).play(strong, [strong], 4) == [0.5] * 4


def test_opponents_of_a_pool_are_met_in_turn_a_pair_each() -> None:
    study = load_study(TUNE)
    space = engines.plan_of(study).space
    strong, weak = (space.engine({"width": 1.0, "depth": depth}) for depth in (3, 1))
    won = engines.Board(study, "search", 1).play(strong, [weak], 20)
    mixed = engines.Board(study, "search", 1).play(strong, [strong, weak], 20)
    board = engines.Board(study, "search", 1)
    one_by_one = [board.play(strong, [strong, weak], 1)[0] for _ in range(20)]
    for i in range(0, 20, 2):
        pair = won[i : i + 2] if i % 4 else [0.5, 0.5]
        assert mixed[i : i + 2] == one_by_one[i : i + 2] == pair


@pytest.mark.parametrize("tuner", ["both", "clop", "tpe", "spsa-duel"])
def test_a_search_that_is_stopped_goes_on(
    tuner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "small.toml"
    file.write_text(FILE)
    key = {"tuner": tuner, "seed": 1, "start": "own", "games": 60, "looks": [60], "pool": False}
    played, play = list[int](), engines.Board.play

    def counted(board: engines.Board, ours: Any, pool: Any, count: int) -> list[float]:
        if len(played) == stop:
            raise KeyboardInterrupt
        played.append(count)
        return play(board, ours, pool, count)

    monkeypatch.setattr(engines.Board, "play", counted)
    stop = -1
    answer = engines.tune(str(file), (), tmp_path, key)
    batches = [*played]
    engines.under_way(tmp_path, key).unlink()
    played.clear()
    stop = len(batches) // 2
    with pytest.raises(KeyboardInterrupt):
        engines.tune(str(file), (), tmp_path, key)
    with open(engines.under_way(tmp_path, key), "a") as torn:
        torn.write('\n[[{"width": 0.')
    stop = -1
    assert engines.tune(str(file), (), tmp_path, key) == answer
    assert played == batches  # none twice


def test_games_of_another_version_of_a_tuner_are_played_again(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    first = Batches(path)
    for width in (0.2, 0.4, 0.6):
        assert first.take([{"width": width}, None, 2]) is None
        first.add([{"width": width}, None, 2], [1.0, 0.5])
    again = Batches(path)
    assert again.take([{"width": 0.2}, None, 2]) == [1.0, 0.5]
    assert again.take([{"width": 0.5}, None, 2]) is None
    again.add([{"width": 0.5}, None, 2], [0.0, 0.0])
    assert again.take([{"width": 0.6}, None, 2]) is None
    third = Batches(path)
    assert third.take([{"width": 0.2}, None, 2]) == [1.0, 0.5]
    assert third.take([{"width": 0.5}, None, 2]) == [0.0, 0.0]
    assert third.take([{"width": 0.6}, None, 2]) is None


TUNERS = ["joute", "itself", "both", "tpe", "clop", "spsa-duel", "spsa", "tree"]


@pytest.mark.parametrize("opponents", [0, 3])
@pytest.mark.parametrize("tuner", TUNERS)
def test_every_tuner_asks_is_told_and_answers(tuner: str, opponents: int) -> None:
    space = engines.plan_of(load_study(TUNE)).space
    start = {"width": 0.4, "depth": 1}
    made = (
        engines.Asked(space, tuner, 1, start, 8, opponents)
        if tuner in engines.OURS or tuner == engines.TPE
        else engines.Outsider(space, tuner, 1, 60, start)
    )
    played, duels = 0, list[bool]()
    while played < 60:
        asked = made.ask()
        duels.append(asked.other is not None)
        assert asked.count >= 1 and set(asked.point) == {"width", "depth"}
        if opponents and tuner in engines.OURS and asked.other is None:
            assert asked.count % (2 * opponents) == 0
        made.tell([1.0, 0.5, 0.0][: asked.count] + [0.5] * (asked.count - 3))
        played += asked.count
    every = tuner in ("itself", "spsa-duel")
    assert duels == [every or (tuner == "both" and bool(i % 2)) for i in range(len(duels))]
    assert set(made.recommend()) == {"width", "depth"}


def test_spsa_begins_where_it_is_told() -> None:
    space = engines.plan_of(load_study(TUNE)).space
    made = engines.Outsider(space, "spsa-duel", 1, 100, {"width": 0.25, "depth": 3})
    assert made.recommend() == {"width": pytest.approx(0.25), "depth": 3}


def test_rivals_see_a_number_by_logarithms_at_its_place_in_the_range() -> None:
    log = {**TUNE, "space": {"width": {"from": 0.01, "to": 1.0, "log": True}}}
    space = engines.plan_of(load_study(log)).space
    made = engines.Outsider(space, "spsa-duel", 1, 1000, {"width": 0.1})
    assert made.recommend() == {"width": pytest.approx(0.1)}
    asked = made.ask()
    assert asked.other is not None
    ahead, behind = float(asked.point["width"]), float(asked.other["width"])
    assert ahead * behind == pytest.approx(0.01, rel=0.01) and ahead != behind
    random = engines.Outsider(space, "random", 1, 1000, {"width": 0.1})
    drawn = set()
    for _ in range(400):
        asked = random.ask()
        random.tell([1.0] * asked.count)
        drawn.add(float(asked.point["width"]))
    assert len(drawn) > 20 and 0.25 < np.mean(np.array(sorted(drawn)) < 0.1) < 0.75


def test_what_cannot_be_tuned_is_one_line() -> None:
    stepped = {**TUNE, "space": {"width": {"from": 0.2, "to": 1.0, "step": 0.1}}}
    with pytest.raises(Refused, match="do not know steps"):
        engines.Outsider(engines.plan_of(load_study(stepped)).space, "clop", 1, 10, {})
    with pytest.raises(Refused, match="no tune study"):
        engines.plan_of(load_study("connect4-quick"))
    done = CliRunner().invoke(engines.main, ["connect4-tune", "--tuners", "clob"])
    assert "clop" in str(done.exception)


def test_a_line_that_a_kill_cut_short_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    engines.Stored(path, ("a",)).add({"a": 1, "b": 2})
    path.write_text(path.read_text() + '\n{"a": 2, "b"')
    again = engines.Stored(path, ("a",))
    assert list(again.rows.values()) == [{"a": 1, "b": 2}]
    again.add({"a": 2, "b": 3})
    assert len(engines.Stored(path, ("a",)).rows) == 2


@pytest.mark.slow
def test_tuners_tune_and_meet_and_nothing_is_played_twice(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(FILE)
    command = [str(tmp_path / "s.toml"), "--tuners", "joute,clop", "--games", "100", "--seeds", "2",
               "--looks", "60", "--blocks", "4", "--start", "spoiled", "--out", str(tmp_path / "runs")]  # fmt: skip
    first = CliRunner().invoke(engines.main, command)
    assert first.exit_code == 0, first.output
    assert "2 repetitions, 4 pairs each" in first.output and "the start," in first.output
    stored = {file.name: file.read_bytes() for file in (tmp_path / "runs").iterdir()}
    again = CliRunner().invoke(engines.main, command)
    assert again.output.splitlines()[-5:] == first.output.splitlines()[-5:]
    assert {file.name: file.read_bytes() for file in (tmp_path / "runs").iterdir()} == stored
