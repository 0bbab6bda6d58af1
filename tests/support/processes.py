"""Other processes: who is left behind, who works for whom, and what a script prints."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PLAYERS = (b"popen_loky_posix", b"joute.harness.child")


def marked(mark: str) -> Iterator[tuple[Path, bytes]]:
    """Yield the folder below /proc and the command line of each process that carries a mark, but of this one."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):  # it has ended meanwhile
            if mark.encode() in (command := (entry / "cmdline").read_bytes()):
                yield entry, command


def left_behind(mark: str) -> list[str]:
    """Return the command lines of the processes that carry a mark."""
    return [command.replace(b"\0", b" ").decode() for _, command in marked(mark)]


def state_of(mark: str) -> str:
    """Return the state of the process that carries a mark, T is stopped."""
    for entry, _ in marked(mark):
        return (entry / "stat").read_text().rpartition(")")[2].split()[0]
    return ""


def nobody_left(mark: str) -> bool:
    """Whether all are gone, or will be in a moment."""
    limit = time.monotonic() + 5
    while left_behind(mark) and time.monotonic() < limit:
        time.sleep(0.02)
    return not left_behind(mark)


def lives(pid: int) -> bool:
    """Whether a process goes on; one that has ended may wait to be noticed by whoever adopted it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def workers_of(parent: int) -> list[int]:
    """Return the ids of the processes that play below a process: loky's, or a host's."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text().rpartition(")")[2].split()
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if int(stat[1]) == parent and stat[0] != "Z" and any(name in command for name in PLAYERS):
            found.append(int(entry.name))
    return found


def killing_one(kills: list[int]) -> Callable[[int], None]:
    """Return what kills one of our workers when games come in, and notes its id."""

    def advance(games: int) -> None:
        workers = workers_of(os.getpid())
        if workers and not kills:
            kills.append(workers[0])
            os.kill(workers[0], signal.SIGKILL)

    return advance


def run_script(script: str, path: Path, **variables: str) -> Any:
    """Run Python code that has `path` and ours at hand, and return the JSON that it prints."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": f"{path}{os.pathsep}{ROOT}", **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def carrying(mark: str, where: str = "environ") -> list[int]:
    """Return the living processes that have a mark in their environment (or command line)."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if mark.encode() in (entry / where).read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def nobody_carries(mark: str, seconds: float = 10.0) -> bool:
    """Whether all that carry a mark are gone, or will be in a moment."""
    limit = time.monotonic() + seconds
    while carrying(mark) and time.monotonic() < limit:
        time.sleep(0.05)
    return not carrying(mark)
