"""Who dies, and who dies with it: workers with their parent, daemons with their bot, folders with all."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from joute.cli import Terminated, terminable
from joute.engines.programs import orphans as orphans
from joute.engines.programs.folders import FOLDERS, new_folder
from joute.engines.programs.linux import brand
from joute.engines.programs.process import Program
from joute.harness.worker import die_with
from tests.support.marks import dear, dear_case
from tests.support.processes import carrying, nobody_carries
from tests.support.runs import (
    JOUTE,
    ROOT,
    SLEEPY,
    joute,
    play,
    rows,
    stored,
    study_of,
    study_text,
    wait_for_games,
)

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
DAEMON = """
import os, sys, time
child = os.fork()
if child == 0:
    os.setsid()
    if os.fork() == 0:
        environment = {{}} if {clean} else dict(os.environ)
        os.execve(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(60)", {mark!r}], environment)
    os._exit(0)
os.waitpid(child, 0)  # the daemon has no parent before the bot answers
for line in sys.stdin:
    print(line.strip(), flush=True)
"""


def forked(work: Callable[[], None]) -> int:
    """Do something in a forked process, and return its id."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(0)
    return pid


def ended(pid: int) -> bool:
    """Whether a process has ended or does so within a moment."""
    limit = time.monotonic() + 0.4
    while time.monotonic() < limit:
        try:
            if "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text():
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


def test_a_worker_whose_parent_is_dead_already_ends() -> None:
    pid = forked(lambda: (die_with(os.getpid()), time.sleep(5))[0])  # not its parent's id
    assert ended(pid)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1


def test_a_worker_dies_with_its_parent_at_once() -> None:
    out, into = os.pipe()

    def parent() -> None:
        own = os.getpid()

        def worker() -> None:
            die_with(own)
            os.write(into, b"%d\n" % os.getpid())
            time.sleep(20)

        forked(worker)
        time.sleep(0.15)

    pid = forked(parent)
    worker = int(os.read(out, 100))
    os.waitpid(pid, 0)
    assert ended(worker)


def with_its_daemon(program: Program, mark: str) -> None:
    """Wait until a program has left its daemon."""
    assert program.ask(b"hello\n", 5000) == "hello"
    limit = time.monotonic() + 3
    while not carrying(mark, "cmdline") and time.monotonic() < limit:
        time.sleep(0.01)
    assert carrying(mark, "cmdline")


def daemonic(folder: Path, clean: bool) -> tuple[list[str], str]:
    """Return the command of a bot that leaves a daemon, and what the daemon is known by."""
    mark = uuid.uuid4().hex
    bot = folder / f"{mark}.py"
    bot.write_text(DAEMON.format(clean=clean, mark=f"daemon {mark}"))
    return [sys.executable, "-S", str(bot)], f"daemon {mark}"


@pytest.mark.parametrize(("clean", "worker"), [(False, False), (True, False), (True, True)])
def test_a_daemon_of_a_bot_ends_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clean: bool, worker: bool
) -> None:
    """Also one with a session of its own, no parent and no environment."""
    monkeypatch.setattr(orphans, "worker", worker)
    monkeypatch.setattr(
        "joute.engines.programs.process.brand", brand if not worker else lambda *_: None
    )
    command, mark = daemonic(tmp_path, clean)
    other = subprocess.Popen(["sleep", "30"], start_new_session=not worker)
    try:
        program = Program(command, {})
        with_its_daemon(program, mark)
        program.kill()
        assert not carrying(mark, "cmdline")
        assert other.poll() is None  # somebody else's child
    finally:
        other.kill()
        other.wait()


def test_the_daemon_of_a_bot_that_goes_on_is_left_alone(tmp_path: Path) -> None:
    commands, marks = zip(*(daemonic(tmp_path, True) for _ in range(2)), strict=True)
    programs = [Program(command, {}) for command in commands]
    for program, mark in zip(programs, marks, strict=True):
        with_its_daemon(program, mark)
    programs[0].kill()
    assert not carrying(marks[0], "cmdline") and carrying(marks[1], "cmdline")
    programs[1].kill()
    assert not carrying(marks[1], "cmdline")


STARTER = """
import json, os, signal, sys, time
from joute.engines.programs.process import Program
program = Program(json.loads(sys.argv[1]), {})
assert program.ask(b"hello\\n", 5000) == "hello"
time.sleep(0.5)
os.kill(os.getpid(), signal.SIGKILL)
"""


@dear
def test_a_daemon_that_hides_does_not_outlive_who_is_killed(tmp_path: Path) -> None:
    command, mark = daemonic(tmp_path, True)
    path = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", STARTER, json.dumps(command)], env=path, check=False
    )
    assert done.returncode == -signal.SIGKILL
    limit = time.monotonic() + 5
    while (left := carrying(mark, "cmdline")) and time.monotonic() < limit:
        time.sleep(0.05)
    assert not left


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="looks for semaphores in /dev/shm")
def test_folders_and_semaphores_of_killed_processes_are_removed() -> None:
    gone = forked(lambda: None)
    os.waitpid(gone, 0)
    mine = Path(new_folder())
    left = mine.with_name(f"{FOLDERS}{gone}-abc")
    left.mkdir()
    (left / "1.inflight").touch()
    theirs, ours = (Path(f"/dev/shm/sem.loky-{pid}-joutetest") for pid in (gone, os.getpid()))
    theirs.touch()
    ours.touch()
    other = Path(new_folder())
    try:
        assert not theirs.exists() and ours.exists()
    finally:
        theirs.unlink(missing_ok=True)
        ours.unlink()
    assert not left.exists() and mine.is_dir() and other.is_dir()
    mine.rmdir()
    other.rmdir()


def begun(tmp_path: Path, mark: str) -> subprocess.Popen[str]:
    """Start a run with two workers that takes long."""
    study = tmp_path / "s.toml"
    study.write_text(
        study_text([SLEEPY.format(i) for i in range(3)], blocks=500, more="[openings]\nplies = 8\n")
    )
    return subprocess.Popen(
        [*JOUTE, "run", str(study), "-j", "2", "--out", str(tmp_path / "run")],
        env={**os.environ, "JOUTE_TEST": mark, "TMPDIR": str(tmp_path)},
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("delay", [0.0, dear_case(0.2), dear_case(0.5)])
def test_nobody_is_left_of_a_run_that_dies_while_its_workers_start(
    tmp_path: Path, number: int, delay: float
) -> None:
    mark = uuid.uuid4().hex
    run = begun(tmp_path, mark)
    while len(carrying(mark)) < 3 and run.poll() is None:
        time.sleep(0.01)
    time.sleep(delay)
    os.kill(run.pid, number)
    said = run.communicate(timeout=30)[1]
    assert "Traceback" not in said
    assert nobody_carries(mark)
    if number == signal.SIGTERM:
        assert run.returncode in (130, 143)
        assert not list(tmp_path.glob(f"{FOLDERS}*"))


def test_the_tracker_of_a_killed_run_says_nothing(tmp_path: Path) -> None:
    run = begun(tmp_path, uuid.uuid4().hex)
    wait_for_games(tmp_path / "run", 2, run)
    run.kill()
    _, told = run.communicate(timeout=60)  # as long as anybody may write
    assert "resource_tracker" not in str(told) and "warn" not in str(told)


@pytest.mark.slow
def test_sigterm_stops_a_run_as_ctrl_c_does(tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    run = begun(tmp_path, mark)
    wait_for_games(tmp_path / "run", 5, run)
    os.killpg(run.pid, signal.SIGTERM)  # as a terminal or a service manager does: to all of them
    said = run.communicate(timeout=60)[1]
    assert (
        run.returncode == 130
        and "finishing the games in progress" in said
        and "to continue:" in said
    )
    assert stored(tmp_path / "run") >= 5 and rows(tmp_path / "run", "SELECT * FROM failures") == []
    assert nobody_carries(mark) and not list(tmp_path.glob(f"{FOLDERS}*"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_that_a_callback_swallows_comes_again(number: signal.Signals) -> None:
    class Swallows:
        def __del__(self) -> None:
            signal.raise_signal(number)
            time.sleep(0.01)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt) as stopped, terminable():
            del (thing := [Swallows()])[0]
            time.sleep(5)
        assert isinstance(stopped.value, Terminated) == (number == signal.SIGTERM)
        assert not thing
    finally:
        signal.signal(signal.SIGINT, before)


def test_sigterm_lets_the_games_in_hand_finish(tmp_path: Path) -> None:
    study = study_of(tmp_path, study_text(["random", SLEEPY.format(1)], 20))
    sent: list[int] = []

    def advance(games: int) -> None:
        if not sent:
            sent.append(games)
            signal.raise_signal(signal.SIGTERM)

    outcome = play(study, tmp_path / "run", advance=advance)
    assert outcome.stopped == "interrupted" and 0 < outcome.played < 40


HIDDEN = """
import json, os, signal, sys
for line in sys.stdin:
    if '"turn"' in line:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                null = os.open(os.devnull, os.O_RDWR)
                for end in (0, 1, 2):
                    os.dup2(null, end)
                os.execve(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(60)", {mark!r}], {{}})
            os._exit(0)
        os.kill(os.getppid(), signal.SIGKILL)
"""


@pytest.mark.slow
@dear
def test_a_daemon_that_hides_does_not_outlive_the_worker_that_its_bot_kills(tmp_path: Path) -> None:
    """It has no mark, no group and no parent: it comes to the run itself."""
    mark = uuid.uuid4().hex
    bot = tmp_path / "bot.py"
    bot.write_text(HIDDEN.format(mark=mark))
    spec = f'connect4/process:command="{sys.executable} -S {bot}"'
    done = joute("match", spec, "random", "--blocks", 1, "-j", 1, "--out", tmp_path / "run")
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    assert not carrying(mark, "cmdline")
