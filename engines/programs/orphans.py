"""Orphans of a program: processes that went into another group and outlive it.

Orphans below a process that starts programs become its children (on Linux), where they are found,
killed and waited for. A program and its descendants carry a mark in their environment, and a number
as a limit, inherited by fork and exec, so that no other process is taken for one.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import signal
import time
from collections.abc import Iterator, Set
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from joute.engines.programs.linux import adopt_orphans, is_branded

MARK = "JOUTE_PROGRAM"
PATIENCE = 5.0  # seconds that killed processes get to go

sole = False
worker = False  # set in workers: their children are programs and orphans only
_begun = f"{time.time_ns():x}"
_numbers = itertools.count(1)
_spared: set[int] = set()  # children of this process in groups of their own that it needs
_adopting: set[int] = set()  # this process, if it has asked for orphans: a forked one has not


class Mark(NamedTuple):
    """The mark of a program and its descendants: NAME=value in the environment, and a limit."""

    text: str
    limit: int


def token() -> str:
    """Return the common prefix of the marks of this process's programs."""
    return f"{MARK}={os.getpid()}-{_begun}-"


def family() -> int:
    """Return the common prefix of the limits of this process's programs: all but the last 20 bits."""
    return _family(os.getpid())


@lru_cache
def _family(pid: int) -> int:
    return 1 << 40 | secrets.randbits(40)


def new_mark() -> Mark:
    """Return a mark for a program that is about to be started."""
    if os.getpid() not in _adopting:
        _adopting.add(os.getpid())
        adopt_orphans()
    number = next(_numbers)
    return Mark(f"{token()}{number}.", family() << 20 | number % (1 << 20))


def end_orphans(group: int, mark: Mark, known: Set[int], alone: bool) -> None:
    """Kill what is left of a program that has ended, by its group and its mark, and wait for it.

    `known` are children of ours that are not its own. `alone`: no other program runs; a worker then
    kills all children outside its group, whatever their environment.
    """
    every, limit = alone and worker, time.monotonic() + PATIENCE
    while orphans := [
        p for p in _children() if p not in known and _is_orphan(p, group, mark, every)
    ]:
        for pid in orphans:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.0005)
        for pid in orphans:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        if time.monotonic() > limit:
            return


@contextlib.contextmanager
def only_ours() -> Iterator[None]:
    """Declare for a `with` block that this process's only children are workers and orphans."""
    global sole
    before, sole = sole, True
    try:
        yield
    finally:
        sole = before


def adopt() -> None:
    """Adopt the orphans of workers that die, where they can be told from other children."""
    if sole:
        adopt_orphans()


def spare(pid: int) -> None:
    """Take a child in a group of its own for no orphan. (Its command would tell, but not at once: after a
    start it is empty for some microseconds.)
    """
    _spared.add(pid)


def end_adopted() -> None:
    """Kill the adopted orphans of dead workers: programs that hid from their own reapers."""
    if not sole:
        return
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit and (adopted := [p for p in _children() if _left_us(p)]):
        reaping = [pid for pid in adopted if _reaps(pid)]
        for pid in adopted:
            if not reaping:  # they are at work
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.005)


def _left_us(pid: int) -> bool:
    """Whether a child is in another process group, as workers never are, and no reaper of our own."""
    try:
        return pid not in _spared and os.getpgid(pid) != os.getpgrp()
    except OSError:
        return False


def _reaps(pid: int) -> bool:
    try:
        return b"reaper.py" in _command(pid)
    except OSError:
        return False


def _command(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def _children() -> list[int]:
    """Return the children of this process, with those that have ended."""
    pids = []
    for lists in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            pids += [int(pid) for pid in lists.read_text().split()]
    return pids


def _is_orphan(pid: int, group: int, mark: Mark, every: bool) -> bool:
    try:
        its = os.getpgid(pid)
        if its == group or (every and its != os.getpgrp()) or is_branded(pid, mark.limit):
            return True
        return mark.text.encode() in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False
