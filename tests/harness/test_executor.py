"""Executors: the same games wherever they are played, and nothing on disk where nobody may die."""

from __future__ import annotations

import errno
import os
import signal
import tempfile
import time
from dataclasses import dataclass
from multiprocessing import current_process
from pathlib import Path

import pytest
from joblib.externals.loky.backend import resource_tracker

from joute.engines.errors import JouteError, Refused
from joute.engines.programs import orphans, process
from joute.engines.programs.folders import SEMAPHORES
from joute.harness.child import Child
from joute.harness.inflight import InFlight
from joute.harness.loky import Loky, tracker
from joute.harness.match import Rules
from joute.harness.runner import Runner
from joute.harness.single import Single, local
from joute.harness.worker import Setting, ShortOfMemory
from joute.results.tables import write_tables
from joute.studies.play.study_run import run_study
from tests.support.here import Here
from tests.support.marks import slow
from tests.support.runs import csv_bytes, study_of, study_text
from tests.support.searches import tune_text

HOARD: list[bytes] = []
SPECS = ["random", "alphabeta:evaluation=static,depth=2", "uct:iterations=30"]


@pytest.mark.parametrize("kind", ["tournament", slow("tune")])
def test_this_process_plays_what_worker_processes_play(tmp_path: Path, kind: str) -> None:
    text = study_text(SPECS, 4) if kind == "tournament" else tune_text("200 games")
    study = study_of(tmp_path, text)
    for folder, executor in (("here", Here()), ("loky", Loky(2)), ("single", Single())):
        run_study(study, tmp_path / folder, 2, executor=executor)
        write_tables(tmp_path / folder)
    here, *others = (csv_bytes(tmp_path / folder) for folder in ("here", "loky", "single"))
    assert others == [here, here]


@dataclass(frozen=True)
class Hoard:
    """Work that keeps some bytes."""

    number: int
    size: int

    def pieces(self) -> list[Hoard]:
        return [self]

    def texts(self, setting: Setting) -> dict[str, str]:
        return {}

    def play(self, setting: Setting, inflight: InFlight) -> list[int]:
        HOARD.append(b"x" * self.size)
        time.sleep(1.1)  # the pool looks once a second
        return [self.size]


def test_a_worker_that_keeps_large_trees_is_not_taken_for_a_leak() -> None:
    pytest.importorskip("psutil")
    setting, pool, workers = Setting("connect4", {}, Rules()), Loky(1), set[str]()
    for number in range(4):
        hoard = Hoard(number, 400_000_000 if number == 1 else 1)
        workers.add(pool.result(pool.submit(setting, [hoard])).worker)
    pool.close()
    assert len(workers) == 1


@dataclass(frozen=True)
class Faulty(Hoard):
    """Work that fails by a fault of ours."""

    def play(self, setting: Setting, inflight: InFlight) -> list[int]:
        raise ZeroDivisionError("a fault")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_fault_of_ours_in_a_worker_is_raised_here_and_blames_no_engine(workers: int) -> None:
    setting = Setting("connect4", {}, Rules())
    with Runner(setting, workers) as runner, pytest.raises(ZeroDivisionError, match="a fault"):
        list(runner.play([Faulty(0, 0)]))


def test_the_end_does_not_wait_for_the_reaper_of_our_own_programs() -> None:
    with orphans.only_ours():
        reaper = process._keeper()
        begun = time.monotonic()
        orphans.end_adopted()
        assert time.monotonic() - begun < orphans.PATIENCE / 2
        assert reaper.poll() is None


def test_ctrl_c_does_not_end_a_process_that_starts() -> None:
    """It is for the parent; a process that imports would tell of it by a traceback."""
    child = Child()
    try:
        os.kill(child.pid, signal.SIGINT)
        assert child.ask(Setting("connect4", {}, Rules()), []).results == []
    finally:
        child.end()


@pytest.mark.skipif(not SEMAPHORES.is_dir(), reason="looks for semaphores in /dev/shm")
def test_a_tracker_of_semaphores_that_was_killed_prints_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pool = Loky(1)
    setting = Setting("connect4", {}, Rules())
    pool.submit(setting, []).result()
    before = tracker()
    os.kill(before, signal.SIGKILL)
    os.waitid(os.P_PID, before, os.WEXITED | os.WNOWAIT)
    pool.submit(setting, []).result()
    pool.close()
    assert tracker() != before  # which is another
    resource_tracker._resource_tracker._stop()  # waits until it has told what it has to tell
    assert capfd.readouterr().err == ""
    assert not [*SEMAPHORES.glob(f"sem.loky-{os.getpid()}-*")]


def test_this_process_shares_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> str:
        raise AssertionError("a folder is made")

    monkeypatch.setattr(tempfile, "mkdtemp", refused)
    monkeypatch.setattr("joute.harness.worker.MappedInFlight", refused)
    study = study_of(tmp_path, study_text(SPECS[:2], 2))
    assert run_study(study, tmp_path / "run", 1, executor=Here()).played == 4


def test_shared_memory_that_cannot_be_written_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(**_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("joute.harness.loky.ProcessPoolExecutor", refused)
    with pytest.raises(JouteError, match=rf"Read-only .*{SEMAPHORES}.*-j 1"):
        Loky(2).submit(Setting("connect4", {}, Rules()), [])


def test_memory_that_is_short_is_not_held_against_an_engine_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def short(*_: object) -> None:
        raise MemoryError((1_000_000,), "int64")

    monkeypatch.setattr("joute.harness.worker.player_of", short)
    study = study_of(tmp_path, study_text(SPECS[:2], 2))
    with pytest.raises(ShortOfMemory, match=r"no memory is left to seat .*fewer workers"):
        run_study(study, tmp_path / "run", 1, executor=Here())
    monkeypatch.setattr("joute.harness.worker.comes_with_joute", lambda _: False)
    study = study_of(tmp_path, study_text(SPECS[:2], 2))
    assert run_study(study, tmp_path / "other", 1, executor=Here()).played == 4  # it lost


def test_a_daemonic_process_may_start_one_worker_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(current_process()._config, "daemon", True)  # type: ignore[attr-defined]
    local(1).close()
    with pytest.raises(Refused, match=r"workers = 2 in a daemonic process.*; allowed: workers = 1"):
        local(2)
