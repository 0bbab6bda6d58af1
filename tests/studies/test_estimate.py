"""What a dry run tells of a machine that others use, too: what the games take, and not the others."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from joute.engines.programs.cpu_time import Usage, cpu_seconds
from joute.studies.play import estimate
from joute.studies.play.estimate import alone, blocks_tried, timed
from tests.support.here import Here
from tests.support.runs import here, study_of, study_text

linux = pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="Linux tells it")
OUTSIDE = """
name = "o"
kind = "tune"
game = "connect4"
seed = 1
budget = "300 games"
[engine]
search = "uct"
iterations = 5
k = {k}
[space]
k = {{ from = 0.1, to = 1.5 }}
"""
BURN = """
import os, time
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
while time.process_time() < SECONDS:
    pass
"""


@pytest.mark.parametrize(
    ("wall", "cpu", "waited", "workers", "seconds"),
    [
        (10.0, 20.0, 0.0, 2, 20.0),  # both cores are ours
        (10.0, 10.0, 10.0, 2, 10.0),  # half of each was taken by others
        (10.0, 1.0, 0.0, 2, 20.0),  # they sleep, or wait for a network
        (10.0, 20.0, 60.0, 8, 80.0),  # eight workers on two cores wait for each other
        (10.0, 10.0, 70.0, 8, 40.0),  # and for others
        (10.0, 0.0, 0.0, 2, 20.0),  # the system tells nothing
        (10.0, 30.0, 99.0, 2, 20.0),  # never more than what passed
    ],
)
def test_what_others_took_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
    wall: float, cpu: float, waited: float, workers: int, seconds: float,
) -> None:  # fmt: skip
    monkeypatch.setattr(estimate.os, "cpu_count", lambda: 2)
    assert alone(wall, cpu, waited, workers) == seconds


def test_games_are_timed_without_the_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a clock that others had for three quarters of the time."""
    now = [0.0]

    class Shared:
        told, cpu, waited = True, 0.0, 0.0

        def look(self) -> tuple[float, float]:
            now[0] += 4.0
            return now[0] / 4, now[0] * 3 / 4

    monkeypatch.setattr("joute.harness.runner.local", lambda workers: Here())
    monkeypatch.setattr(estimate, "Usage", Shared)
    monkeypatch.setattr(estimate.time, "perf_counter", lambda: now[0])
    study = study_of(tmp_path, study_text(["random", "uct:iterations=2"], 500))
    seconds, _ = timed(study, blocks_tried(study), 1)
    monkeypatch.setattr(estimate, "alone", lambda wall, cpu, waited, workers: wall)
    now[0] = 0.0
    assert timed(study, blocks_tried(study), 1)[0] == pytest.approx(4 * seconds)


@pytest.fixture
def burners() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Two processes that want the same core, for a second each."""
    with ExitStack() as stack:
        script = [sys.executable, "-S", "-c", BURN.replace("SECONDS", "1")]
        yield [stack.enter_context(subprocess.Popen(script)) for _ in range(2)]


@linux
def test_the_time_of_processes_and_their_waits_are_seen(
    burners: list[subprocess.Popen[bytes]],
) -> None:
    usage = Usage()
    begun = usage.cpu, usage.waited
    while any(burner.poll() is None for burner in burners):
        usage.look()
        time.sleep(0.1)
    cpu, waited = usage.look()
    assert usage.told and 1.5 < cpu - begun[0] < 3.5
    assert waited - begun[1] > 0.5


@linux
def test_children_that_have_ended_are_counted_where_that_is_asked() -> None:
    before = cpu_seconds("self"), cpu_seconds("self", ended=True)
    subprocess.run([sys.executable, "-S", "-c", BURN.replace("SECONDS", "0.5")], check=True)
    assert cpu_seconds("self") - before[0] < 0.4 <= cpu_seconds("self", ended=True) - before[1]
    assert cpu_seconds(os.getpid()) == pytest.approx(cpu_seconds("self"), abs=0.1)


def test_a_default_outside_the_space_is_told_before_any_game(tmp_path: Path) -> None:
    for k, told in (("1.0", False), ("3.0", True)):
        study_of(tmp_path, OUTSIDE.format(k=k))
        done = here("run", tmp_path / "s.toml", "--dry-run", "-j", "1")
        assert done.exit_code == 0, done.stderr
        assert ("lies outside [space] (k = 3)" in done.stdout) is told
