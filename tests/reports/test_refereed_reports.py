"""A run of games that a referee played: its report, replay, watched page, exports, and its use in Python."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import joute
from joute.reports.watch.boards import Boards
from joute.results.store import Store
from tests.support.runs import here
from tests.support.watching import ask, served

REFEREE = Path(__file__).parents[1] / "support" / "referee.py"
WORDS = f"{sys.executable} -S {REFEREE}"
GAME = f'referee[command="{WORDS} dice {{seed}} {{bots}}"]'
BLAMES = f'referee[command="{WORDS} blames {{seed}} {{bots}}"]'
STRONG, WEAK = 'bot:command="echo {k}",k=1.7', 'bot:command="echo {k}",k=1.1'


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match that one bot wins surely."""
    folder = tmp_path_factory.mktemp("refereed") / "run"
    done = here("match", f"{GAME}/{STRONG}", WEAK, "--blocks", 10, "--out", folder)
    assert done.exit_code == 0, done.stderr
    return folder


def first_log(run: Path) -> str:
    """Return the log of the first game."""
    with Store.open(run) as store:
        return next(store.games()).log


def test_a_replay_is_the_referees_log(run: Path, tmp_path: Path) -> None:
    log = first_log(run)
    assert log.startswith("seed ") and "echo 1.7 | echo 1.1" in log
    told = here("replay", run, 1).stdout
    assert log in told and "margins " in told and "0 moves" not in told
    page = tmp_path / "page.html"
    assert here("replay", run, 1, "--html", page).exit_code == 0
    assert "echo 1.7 | echo 1.1" in page.read_text()
    data = json.loads(here("replay", run, 1, "--json").stdout)
    assert data["steps"][0]["drawing"] == log and len(data["steps"]) == 1
    assert sum(data["margins"]) == 0
    assert "20" in here("replay", run).stdout


def test_reports_and_the_watched_page_show_the_log(run: Path) -> None:
    assert first_log(run).split(":")[0] in (run / "report.html").read_text()
    shown = Boards().game(run, "1")
    assert shown is not None and "fault" not in shown["game"]
    with Store.open(run) as store:
        log = store.numbered(1).log  # type: ignore[union-attr]
    assert shown["game"]["turns"] == [[None, "", None, "", "", log]]
    with served(run) as server:
        assert "k=1.7" in ask(server, "/").text


def test_a_failure_is_told_without_a_move(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert here("match", f"{BLAMES}/{STRONG}", WEAK, "--blocks", 2, "--out", run).exit_code == 1
    told = here("replay", run, 1).stdout
    assert "k=1.7 failed: timeout\nthe referee says: timeout" in told
    assert "no log is kept" in told and "margins" not in told
    assert "the referee says: timeout" in (run / "report.html").read_text()


def test_a_winner_is_exported_as_data_and_plays_again(run: Path, tmp_path: Path) -> None:
    for target, name, part in [
        ("toml", "w.toml", "k = 1.7"),
        ("json", "w.json", '"k": 1.7'),
        ("header", "w.h", "K = 1.7"),
        ("params", "w.txt", "k = 1.7"),
    ]:
        done = here("export", run, "--to", target, "-o", tmp_path / name)
        assert done.exit_code == 0, done.stderr
        assert part in (tmp_path / name).read_text()
        assert "joute play" not in done.stdout
    again = here("match", tmp_path / "w.toml", WEAK, "--blocks", 2, "--out", tmp_path / "again")
    assert again.exit_code == 0, again.stderr
    refused = here("export", run, "--to", "python", "-o", tmp_path / "w.py")
    assert refused.exit_code == 2 and "cannot write a player of bot" in refused.stderr


def test_python_has_seats_with_margins_and_no_moves(run: Path) -> None:
    loaded = joute.load(run)
    assert {"margin", "returns"} <= {*loaded.seats.columns}
    assert len(loaded.moves) == 0
    assert loaded.answer.winner == "k=1.7"
