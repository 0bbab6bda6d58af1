"""Turns that do not end, as in a compiled loop without end: their worker is ended, and the seat blamed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from joute.engines.errors import Refused
from joute.engines.player import Move, Player
from joute.engines.position import Position
from joute.engines.programs.cpu_time import cpu_seconds
from joute.harness import child, overlong
from joute.harness.inflight import MappedInFlight
from joute.harness.overlong import VARIABLE, Overlong, allowed
from tests.support.runs import SLEEPY, joute, play, played_by, rows, study_of, study_text

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
ENDLESS = """
from joute import Evaluation, U, rule


class Endless(Evaluation):
    name = "endless"
    summary = "never returns once discs lie above each other"
    games = ("connect4",)

    def build(self, game, base):
        heights = game.state.heights

        @rule
        def value(W, at, P):
            n = W[at + heights]  # four bits a column
            while n > U(4):
                n = (n * U(3)) | U(8)
            return 0.0

        return (value,)
"""


class Idle(Player):
    def choose(self, position: Position) -> Move:
        return Move(0)


def test_a_turn_with_a_limit_of_time_may_take_less_than_one_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    player = Idle()
    assert allowed(player) == allowed() == overlong.LONGEST
    assert allowed(player, 2000.0) == overlong.AFTER_LIMIT + 20
    player.limit_ms = 100.0
    assert allowed(player, 2000.0) == overlong.AFTER_LIMIT + 1
    monkeypatch.setenv(VARIABLE, "7")
    assert allowed(player) == allowed() == 7
    for wrong in ("0", "1.5", "x", "9" * 30):
        monkeypatch.setenv(VARIABLE, wrong)
        with pytest.raises(Refused, match=f"{VARIABLE}={wrong}: allowed: a whole number"):
            allowed()


def test_only_cpu_time_within_one_turn_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that waits is left alone, and one whose turns go on."""
    spent = {1: 0.0}
    monkeypatch.setattr(overlong, "LOOK", 0.0)
    monkeypatch.setattr(overlong, "cpu_seconds", spent.__getitem__)
    ended: list[int] = []
    monkeypatch.setattr(overlong.os, "kill", lambda pid, number: ended.append(pid))
    notes = MappedInFlight(tmp_path)
    (tmp_path / f"{os.getpid()}.inflight").rename(tmp_path / "1.inflight")
    known = Overlong(str(tmp_path))

    def look(seconds: float) -> bool:
        spent[1] += seconds
        known.look([1])
        return bool(ended)

    assert not look(0) and not look(99)  # idle
    notes.game(3, 0)
    notes.turn(4, 0)
    assert not look(0) and not look(99)  # may take any time
    notes.turn(4, 0, 10)
    assert not look(0) and not look(9)
    notes.turn(5, 1, 10)
    assert not look(9) and not look(9) and not look(0)
    assert look(2) and ended == [1] and "more than 10 s of CPU time" in known.ended[1]


def test_cpu_time_is_that_of_the_process_and_not_of_the_clock() -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        time.sleep(0.5)
        assert cpu_seconds(process.pid) < 0.5
        process.kill()
    assert cpu_seconds(os.getpid()) == pytest.approx(time.process_time(), abs=0.1)
    assert cpu_seconds(process.pid) == 0.0


def test_an_engine_that_never_answers_loses_and_the_run_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    monkeypatch.setattr(overlong, "LOOK", 0.05)
    monkeypatch.setattr(child, "LOOK", 0.05)
    study = study_of(tmp_path, study_text([SLEEPY.format(0), "bad:how=spin,after=1"], blocks=1))
    outcome = play(study, tmp_path / "run", 2)
    assert (outcome.played, outcome.missing) == (2, 0)
    assert [game.own.failure for game in played_by(tmp_path / "run", "e1")] == ["crash"] * 2
    [*texts] = rows(tmp_path / "run", "SELECT text FROM failures")
    assert all("took more than 1 s of CPU time: an endless loop?" in str(t) for (t,) in texts)


@pytest.mark.slow
def test_a_compiled_loop_without_end_is_ended_too(tmp_path: Path) -> None:
    """It holds Python's lock: no thread of the worker itself could do it."""
    (tmp_path / "endless.py").write_text(ENDLESS)
    done = joute(
        *("--plugin", tmp_path / "endless.py", "match"),
        *("connect4/alphabeta:evaluation=endless,depth=1", "random", "--blocks", 1, "-j", 2),
        *("--out", tmp_path / "run", "--no-report"),
        env={**os.environ, VARIABLE: "8"},
    )
    assert done.returncode == 1, done.stderr
    assert "took more than 8 s of CPU time" in done.stderr
    assert rows(tmp_path / "run", "SELECT kind FROM failures") == [("crash",)] * 2
