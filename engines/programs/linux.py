"""What Linux alone can do about processes; elsewhere these do nothing."""

from __future__ import annotations

import ctypes
import signal
import sys

PDEATHSIG, CHILD_SUBREAPER = 1, 36  # of prctl


def die_with_parent() -> None:
    """Have this process killed as soon as the thread that started it ends, however it does."""
    _prctl(PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of every process below this one that loses its own."""
    _prctl(CHILD_SUBREAPER, 1)


def _prctl(what: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(what, ctypes.c_ulong(value), 0, 0, 0)
