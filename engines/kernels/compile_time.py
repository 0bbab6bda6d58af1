"""How long kernels take to compile: measured, and remembered for the next time."""

from __future__ import annotations

import atexit
import time
from collections.abc import Iterator
from contextlib import contextmanager

from joute.engines.garbage import uncollected
from joute.engines.kept_lines import keep, kept

LIST = "compile_seconds.txt"
_running = False
_seconds: dict[str, float] = {}  # by the kernel that came first; at most one in a process


def begin(kernel: str) -> str:
    """Note the first kernel that a process compiles; return how long that took the last time, in
    words.
    """
    _seconds[kernel] = 0.0
    atexit.register(_remember)
    for line in reversed(kept(LIST)):
        name, _, seconds = line.rpartition(" ")
        if name == kernel and seconds.isdigit():
            return f"the last time it took {seconds} s"
    return "up to half a minute"


@contextmanager
def measured() -> Iterator[None]:
    """Count the time within, also where it is entered again within."""
    global _running
    if _running:
        yield
        return
    begun, _running = time.perf_counter(), True
    try:
        with uncollected():  # a fifth of the time else
            yield
    finally:
        _running = False
        for kernel in _seconds:
            _seconds[kernel] += time.perf_counter() - begun


def _remember() -> None:
    for kernel, seconds in _seconds.items():
        keep(LIST, f"{kernel} {max(1, round(seconds))}")
