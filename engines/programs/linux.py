"""System calls for processes that only Linux has; elsewhere these functions do nothing."""

from __future__ import annotations

import contextlib
import ctypes
import signal
import sys
from pathlib import Path

PDEATHSIG, CHILD_SUBREAPER = 1, 36  # of prctl


def die_with_parent() -> None:
    """Have this process killed as soon as the thread that started it ends, however it does."""
    _prctl(PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of every process below this one that loses its own."""
    _prctl(CHILD_SUBREAPER, 1)


def brand(pid: int, number: int) -> None:
    """Mark a process and all its descendants by a number that no environment, session or exec can
    change: as its limit of realtime, in microseconds, too high to be reached.
    """
    if sys.platform == "linux":
        import resource

        with contextlib.suppress(OSError, ValueError):  # it has ended, or has such a limit already
            resource.prlimit(pid, resource.RLIMIT_RTTIME, (number, number))


def is_branded(pid: int, number: int) -> bool:
    """Whether a process has that mark."""
    try:
        return b" %d " % number in Path(f"/proc/{pid}/limits").read_bytes()
    except OSError:
        return False


def limit_files(pid: int, most: int) -> None:
    """Have a process and all that it starts killed where they write a file of more bytes."""
    if sys.platform == "linux":
        import resource

        with contextlib.suppress(OSError, ValueError):  # it has ended, or has a lower limit
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, ctypes.c_ulong(value), 0, 0, 0)
