"""Games of self-play are looked at like stored games."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs torch")
pytest.importorskip("onnx", reason="training needs onnx")
pytest.importorskip("onnxruntime", reason="networks need onnxruntime")

from joute.engines.engine import parse_game
from joute.engines.errors import Refused
from joute.engines.position import parse_position
from joute.reports.kinds._selfplay_samples import chosen
from joute.reports.replay import replay
from joute.results.store import Store
from joute.studies.kinds.train.archive import iterations_kept, record_of, spans
from joute.studies.learning.sample_file import read_about
from tests.support.pages import Checker
from tests.support.runs import here, play, study_of
from tests.support.training import TINY


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept")
    play(study_of(folder, TINY, "selfplay.random_plies=3", "selfplay.iterations=3"), folder / "run")
    return folder / "run"


def test_every_game_is_replayed_to_its_end(run: Path) -> None:
    for told in read_about(run / "samples/0002.npz"):
        found = replay(run, f"selfplay:2:{told['number']}")
        assert found.record.id == f"selfplay:0002:{told['number']}"
        assert len(found.steps) == told["plies"] - told["opened"] + 1
        end = parse_position(parse_game(found.game), told["line"])
        assert found.steps[-1].drawing == end.draw() and end.over
        assert [seat.returns for seat in found.record.seats] == end.returns()
        wins = {1.0: "first wins", 0.0: "second wins", 0.5: "a draw"}
        assert found.result()[0].endswith(wins[told["returns"][0]])
        assert found.names[0] == found.names[1] and found.names[0].startswith("generation ")


def test_the_command_shows_one_writes_its_page_and_lists_them(run: Path, tmp_path: Path) -> None:
    done = here("replay", run, "selfplay:0001:3")
    assert done.exit_code == 0, done.stderr
    assert (
        "self-play, iteration 1, number 3" in done.stdout and "first: generation 0" in done.stdout
    )
    told = json.loads(here("replay", run, "selfplay:1:3", "--json").stdout)
    assert told["id"] == "selfplay:0001:3" and told["engines"] == ["generation 0"] * 2
    here("replay", run, "selfplay:1:3", "--html", tmp_path / "x.html")
    assert "selfplay:0001:3" in (tmp_path / "x.html").read_text("utf-8")
    assert here("replay", run).stdout.splitlines()[-1] == (
        "36 games of self-play in the iterations 1 to 3: selfplay:0001:0 is one"
    )
    assert json.loads(here("replay", run, "--json").stdout)["self_play"] == {
        "1": 12, "2": 12, "3": 12
    }  # fmt: skip


FAULTS = {
    "selfplay:7:1": "selfplay:7:1: there are games of the iterations 1 to 3",
    "selfplay:1:99": "selfplay:1:99: iteration 1 has the games 0 to 11",
    "selfplay:one": "'selfplay:one' names no game of self-play; allowed: selfplay:ITERATION:NUMBER",
}


@pytest.mark.parametrize("name", FAULTS)
def test_where_there_is_none_a_line_says_so(run: Path, name: str) -> None:
    done = here("replay", run, name)
    assert done.exit_code == 2 and done.stderr.splitlines()[-1] == f"joute: {FAULTS[name]}"


def test_a_run_of_another_kind_keeps_none(tmp_path: Path) -> None:
    with Store.create(tmp_path) as store:
        store.set_meta({"game": "connect4[columns=7,rows=6]"})
    with pytest.raises(Refused, match="keeps no games of self-play"):
        replay(tmp_path, "selfplay:1:1")


def test_an_iteration_in_hand_shows_what_it_has(run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "run")
    (tmp_path / "run/samples/0003.npz").rename(tmp_path / "run/samples/0003-000000.npz")
    assert [file.name for file in iterations_kept(tmp_path / "run")[3]] == ["0003-000000.npz"]
    assert replay(tmp_path / "run", "selfplay:3:5").steps


def test_the_report_leads_to_the_first_game_of_some_iterations(run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "run")
    assert here("report", tmp_path / "run").exit_code == 0
    text = (tmp_path / "run/report.html").read_text("utf-8")
    pages = re.findall(r'href="(replays/[^"]+)"', text)
    assert pages == [f"replays/000{k}-0.html" for k in (1, 2, 3)]
    for page in pages:
        checker = Checker()
        checker.feed((tmp_path / "run" / page).read_text("utf-8"))
        assert not checker.open
    (tmp_path / "run/samples/0002.npz").write_bytes(b"damaged")
    assert here("report", tmp_path / "run").exit_code == 0
    assert "0002.npz cannot be read as samples" in (tmp_path / "run/report.html").read_text("utf-8")
    assert chosen([1]) == [1] and chosen([1, 2]) == [1, 2] and chosen([*range(1, 16)]) == [1, 8, 15]


@pytest.mark.slow
def test_games_of_go_are_written_as_sgf_and_positions_of_them_kept(tmp_path: Path) -> None:
    text = TINY.replace("connect4[columns=5,rows=4]", "go[size=5,ko=superko]")
    few = ("selfplay.iterations=1", "selfplay.games=2", "selfplay.most_plies=12")
    play(study_of(tmp_path, text, *few, "ladder.generations=0", "gate.blocks=1"), tmp_path / "run")
    written = here("replay", tmp_path / "run", "selfplay:1:1", "--to", "sgf").stdout
    assert written.startswith("(;") and "SZ[5]" in written and "PB[generation 0]" in written
    words = ("--from-game", tmp_path / "run", "selfplay:1:1", 3, tmp_path / "mine.toml")
    done = here("suite", *words)
    assert done.exit_code == 0, done.stderr
    assert "selfplay:0001:1-3" in (tmp_path / "mine.toml").read_text("utf-8")


def test_chance_is_kept(tmp_path: Path) -> None:
    told = {
        "number": 4, "returns": [1.0, 0.0], "termination": "normal", "line": "start text moves a b c",
        "plies": 3, "opened": 1, "calls": 9, "outcomes": [0, 5, 2],
    }  # fmt: skip
    record = record_of(told, "selfplay:0002:4", 2)
    assert (record.opening, record.actions, record.outcomes) == (
        "start text moves a",
        "b c",
        "0 5 2",
    )
    assert [seat.rank for seat in record.seats] == [1.0, 2.0] and record.plies == 2
    assert spans({0, 1, 2, 5, 7, 8}) == "0 to 2, 5, 7 to 8"
