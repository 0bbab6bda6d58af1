"""How long processes waited for a processor: the time in which they could have run, and did not.

Linux tells it of every thread (`/proc/PID/task/TID/schedstat`, the second field, in nanoseconds; see
proc(5)), and of a group of processes whose share is spent (`cpu.stat` of its cgroup). Sleeping, or
waiting for an answer, is no such wait. Where the system does not tell, nobody has waited.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from functools import cache

FRESH = 0.005  # seconds for which an earlier look will do as the beginning of a turn,
SHARE = 0.005  # or the share of the turn's time
PATIENCE = 0.06  # seconds for a thread that waits to come up, so that its wait is told

clock = time.perf_counter


class RunQueue:
    """The waits of a process, its threads and its children since a turn began."""

    def __init__(self, pid: int | str = "self", children: bool = True) -> None:
        self._pid, self._children = pid, children
        self._looked = float("-inf")
        self._before = (0, 0)

    def begin(self, now: float, seconds: float = 0.0) -> None:
        """Begin a turn of so many seconds, at a time of `time.perf_counter()`.

        An earlier look costs nothing, and counts waits of before the turn, which do not matter while
        they are short for it.
        """
        if now - self._looked > max(FRESH, SHARE * seconds):
            self._before, self._looked = self._look(), now

    def waited_ms(self) -> float:
        """Return the milliseconds that it waited since the turn began, those of all threads in sum."""
        begun, waited = clock(), 0.0
        while True:
            now, spent = self._look(), clock() - begun
            waits, throttled = now[0] - self._before[0], now[1] - self._before[1]
            ready = sum(1 for pid in self._processes() for thread in states(pid) if thread == "R")
            # A wait is told when it is over: what came after the turn does not count.
            waited = max(waited, waits / 1e6 - spent * 1e3 * max(1, ready), throttled / 1e6)
            if not ready or self._pid == "self" or spent > PATIENCE:
                return max(0.0, waited)
            time.sleep(PATIENCE / 10)

    def _processes(self) -> list[int | str]:
        return [*descendants(self._pid)] if self._children else [self._pid]

    def _look(self) -> tuple[int, int]:
        return sum(map(waits_of, self._processes())), throttled_ns()


def waits_of(pid: int | str) -> int:
    """Return the nanoseconds that the threads of a process waited, all in all; 0 where none is told."""
    waits = 0
    for line in of_threads(pid, "schedstat"):
        with contextlib.suppress(ValueError, IndexError):
            waits += int(line.split()[1])
    return waits


def states(pid: int | str) -> Iterator[str]:
    """Yield the state of each thread of a process: R is one that runs, or would."""
    for line in of_threads(pid, "stat"):
        yield line.rpartition(")")[2].split()[0]


def descendants(pid: int | str) -> Iterator[int | str]:
    """Yield a process, its children, and theirs."""
    yield pid
    for line in of_threads(pid, "children"):
        for child in line.split():
            yield from descendants(int(child))


def of_threads(pid: int | str, name: str) -> Iterator[str]:
    """Yield the text of a file of each thread of a process; nothing of one that is gone."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return
    for thread in threads:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{thread}/{name}") as file:
            text = file.read()
            if text:
                yield text


def throttled_ns() -> int:
    """Return the nanoseconds for which our cgroup was held back; 0 where none is told."""
    stat = _cpu_stat()
    return (_throttled_in(stat) if stat is not None else None) or 0


SCALE = {b"throttled_usec": 1000, b"throttled_time": 1}  # cgroups of version 2, and 1
STAT = 1 << 12  # bytes that such a file has at most


def _throttled_in(stat: int) -> int | None:
    """Return the same of an open file; None if it does not tell."""
    with contextlib.suppress(OSError, ValueError):
        for line in os.pread(stat, STAT, 0).split(b"\n"):
            name, _, value = line.partition(b" ")
            if name in SCALE:
                return int(value) * SCALE[name]
    return None


@cache
def _cpu_stat() -> int | None:
    """Return the file of our cgroup's statistics, kept open; None if none tells of throttling."""
    places = ["/sys/fs/cgroup/cpu.stat", "/sys/fs/cgroup/cpu/cpu.stat"]
    with contextlib.suppress(OSError), open("/proc/self/cgroup") as file:
        for line in file:
            _, controllers, group = line.strip().split(":", 2)
            if not controllers:
                places.insert(0, f"/sys/fs/cgroup{group}/cpu.stat")
            elif "cpu" in controllers.split(","):
                places.insert(0, f"/sys/fs/cgroup/cpu{group}/cpu.stat")
    for path in places:
        with contextlib.suppress(OSError):
            stat = os.open(path, os.O_RDONLY)
            if _throttled_in(stat) is not None:
                return stat
            os.close(stat)
    return None
