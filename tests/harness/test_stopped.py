"""Workers that are stopped: a run goes on, who stops its own loses, and Ctrl-Z is nobody's fault."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from joblib.externals.loky.process_executor import ProcessPoolExecutor

from joute.harness import child, stopped
from joute.harness.loky import Loky
from joute.harness.match import Rules
from joute.harness.stopped import Stopped, is_stopped
from joute.harness.worker import Setting
from tests.support.processes import workers_of
from tests.support.runs import SLEEPY, play, played_by, rows, study_of, study_text

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")


@pytest.fixture
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a worker that is stopped be noticed within a moment."""
    monkeypatch.setattr(stopped, "LOOK", 0.02)
    monkeypatch.setattr(child, "LOOK", 0.02)
    monkeypatch.setattr(stopped, "STILL", 5)


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A process that sleeps."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        yield process
        process.kill()


def stop(process: subprocess.Popen[bytes]) -> None:
    """Stop a process, and wait until it is."""
    process.send_signal(signal.SIGSTOP)
    limit = time.monotonic() + 20
    while not is_stopped(process.pid) and time.monotonic() < limit:
        time.sleep(0.001)


def look_until(known: Stopped, pid: int, is_there: object) -> bool:
    """Look at a process until something is so, 20 seconds at most."""
    limit = time.monotonic() + 20
    while time.monotonic() < limit:
        known.look([pid])
        if is_there():  # type: ignore[operator]
            return True
        time.sleep(0.005)
    return False


@pytest.mark.usefixtures("quickly")
def test_a_stopped_worker_is_continued_once_and_ended_the_next_time(
    sleeper: subprocess.Popen[bytes],
) -> None:
    known, pid = Stopped(), sleeper.pid
    stop(sleeper)
    assert look_until(known, pid, lambda: not is_stopped(pid)) and not known.ended
    assert sleeper.poll() is None
    stop(sleeper)
    assert look_until(known, pid, lambda: sleeper.poll() is not None)
    assert known.ended == {pid} and sleeper.returncode == -signal.SIGKILL


def test_time_in_which_nobody_looked_does_not_count(
    sleeper: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after Ctrl-Z and `fg`, where this process was stopped with its workers."""
    known, now = Stopped(), time.monotonic()
    stop(sleeper)
    for hours in range(5):
        monkeypatch.setattr(stopped.time, "monotonic", lambda at=hours: now + 3600 * at)
        known.look([sleeper.pid])
    assert is_stopped(sleeper.pid) and not known.ended


@pytest.mark.usefixtures("quickly")
def test_an_engine_that_stops_its_worker_loses_and_the_run_ends(tmp_path: Path) -> None:
    good = SLEEPY.format(0)
    study = study_of(tmp_path, study_text([good, "bad:how=stop,after=1"], blocks=2))
    outcome = play(study, tmp_path / "run", 2)
    assert (outcome.played, outcome.missing) == (4, 0)
    failed = rows(tmp_path / "run", "SELECT kind, text FROM failures")
    assert len(failed) == 4 and {kind for kind, _ in failed} == {"crash"}
    assert all("was stopped (SIGSTOP)" in str(text) for _, text in failed)
    assert all(game.own.failure == "crash" for game in played_by(tmp_path / "run", "e1"))


@pytest.mark.usefixtures("quickly")
def test_a_worker_that_somebody_stops_costs_no_game_and_blames_nobody(tmp_path: Path) -> None:
    study = study_of(tmp_path, study_text([SLEEPY.format(0), SLEEPY.format(1)], blocks=6))
    done: list[int] = []

    def advance(games: int) -> None:
        for worker in workers_of(os.getpid()) if not done else ():
            done.append(worker)
            os.kill(worker, signal.SIGSTOP)

    outcome = play(study, tmp_path / "run", 2, advance)
    assert done and (outcome.failures, outcome.missing, outcome.played) == (0, 0, 12)


def test_the_pool_tells_its_workers() -> None:
    """It is a private attribute of joblib."""
    executor = Loky(1)
    try:
        executor.submit(Setting("connect4", {}, Rules()), []).result()
        assert isinstance(executor._pool, ProcessPoolExecutor)
        assert list(executor._pool._processes) == workers_of(os.getpid())
    finally:
        executor.close()
