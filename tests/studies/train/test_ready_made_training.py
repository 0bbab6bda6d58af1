"""The studies of training that come with Joute, from end to end with a few games."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs torch")
pytest.importorskip("onnx", reason="training needs onnx")
pytest.importorskip("onnxruntime", reason="networks need onnxruntime")

from joute.engines.engine import parse_engine
from joute.engines.errors import Refused
from joute.engines.nets.net import Net
from joute.engines.position import Position
from joute.reports.replay import action_of, opened, replay
from joute.studies.kinds.train.archive import games_kept, iterations_kept
from joute.studies.load import load_study
from joute.studies.play.estimate import estimate_run
from tests.support.marks import dear
from tests.support.runs import here, play

VAMPIRES = (
    *("engine.iterations=3", "net.blocks=1", "selfplay.games=3", "selfplay.iterations=2"),
    *("selfplay.most_plies=40", "learn.epochs=1", "gate.blocks=1", "ladder.blocks=1"),
    *("ladder.generations=1", 'anchors=["random"]'),
)
GO = (
    *("engine.iterations=3", "records.epochs=1", "ladder.blocks=1"),
    'anchors=["random"]',
)


@pytest.mark.slow
@dear
def test_vamperouge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joute.studies.kinds.train.estimate.SECONDS", 0.1)
    study = load_study("vamperouge", VAMPIRES)
    assert estimate_run(study, 2).data["self_play"] == 6
    assert not play(study, tmp_path / "run").stopped
    net = Net(tmp_path / "run/nets/0002.onnx", study.game)
    assert (net.shape.planes, net.shape.rows, net.shape.policy) == (3, 16, 2048)
    games = games_kept(iterations_kept(tmp_path / "run")[1])
    assert sorted(games) == [0, 1, 2]
    for number, told in games.items():  # battles as they were drawn
        found = replay(tmp_path / "run", f"selfplay:1:{number}")
        position = Position(study.game, found.record.opening)
        for text, drawn in zip(found.record.actions.split(), told["outcomes"], strict=True):
            assert position.is_legal(action_of(study.game, text))
            position.play(action_of(study.game, text), drawn)
        assert not opened(found.record) and position.draw() == found.steps[-1].drawing
        assert told["termination"] == "max_plies" or position.over
        assert not position.over or list(told["returns"]) == position.returns()
    assert here("report", tmp_path / "run").exit_code == 0
    assert "replays/0001-0.html" in (tmp_path / "run/report.html").read_text("utf-8")


@pytest.mark.slow
@dear
def test_littlego_learns_from_its_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        Refused, match=r"there is no run in .*littlego-games.*joute run littlego-games"
    ):
        estimate_run(load_study("littlego", GO), 2)
    few = ('a.spec="uct:iterations=3"', 'b.spec="uct:iterations=3"', "blocks=10")
    play(load_study("littlego-games", few), tmp_path / "runs/littlego-games")
    study = load_study("littlego", GO)
    assert "records: 20 games, learning about" in estimate_run(study, 2).text
    assert not play(study, tmp_path / "run").stopped
    net = Net(tmp_path / "run/nets/0000.onnx", study.game)
    assert (net.shape.planes, net.shape.rows, net.shape.policy) == (5, 9, 82)
    assert "Taught by records, the first network finds" in here("report", tmp_path / "run").stdout
    engine = parse_engine(f"go[size=9]/greedy:network={tmp_path / 'run/nets/0000.onnx'}")
    assert engine.game.label == study.game.label


def test_a_run_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = here("run", "littlego", "--set", 'records.run="nowhere"', "--out", tmp_path / "run")
    assert done.exit_code == 2 and not (tmp_path / "run").exists()
    said = done.stderr.splitlines()[-1]
    assert re.fullmatch(r"joute: records\.run: there is no run in \S*nowhere \(no run\.db\)", said)
