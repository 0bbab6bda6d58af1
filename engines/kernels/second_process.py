"""Compiles kernels with a second process: a copy of this one, which begins at the other end.

Numba compiles one kernel at a time. What a first move needs is a big kernel, into which many small ones
are inlined, and some others beside it: this process begins with the first of the small ones, the copy
with the last. Each finds on the disk what the other has made. Which is by whom changes nothing.
"""

from __future__ import annotations

import dis
import mmap
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

WORTH = 1500  # bytes of bytecode from which a copy pays: it takes 10 ms
OPEN, OURS, THEIRS, DONE = 0, 1, 2, 3  # what the shared bytes say of a kernel
WAIT = 0.002  # seconds between two looks

_active: Helper | None = None


class Helper:
    """A copy of this process that compiles what it can of `kernels`, the biggest of which comes first."""

    def __init__(self, kernels: list[Any], parts: Parts) -> None:
        bodies = [body for one in kernels for body in parts.of(one)]
        self._kernels, self._parts, self._own, self._other = kernels, parts, OURS, THEIRS
        names = [*((id(one), False) for one in bodies), *((id(one), True) for one in kernels)]
        self._places = {name: i for i, name in enumerate(dict.fromkeys(names))}
        self._state = mmap.mmap(-1, len(self._places))
        self._parent = os.getpid()
        self._pid = os.fork()
        if self._pid == 0:
            self._help()

    def claim(self, one: Any, whole: bool) -> None:
        """Say that a kernel, or its body, is being compiled here. If the other process is at it, compile parts
        of it meanwhile, or wait. Both never wait for each other, as long as this is for parts alone: what a
        process is at does not need what waits for it.
        """
        if (place := self._places.get((id(one), whole))) is None:
            return
        while self._state[place] == self._other and self._alive():
            if not self._made_a_part(one):
                time.sleep(WAIT)
        if self._state[place] == OPEN:
            self._state[place] = self._own

    def done(self, one: Any, whole: bool) -> None:
        """Say that a kernel, or its body, is on the disk."""
        if (place := self._places.get((id(one), whole))) is not None:
            self._state[place] = DONE

    def end(self) -> None:
        """End the copy."""
        if self._pid:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
            self._pid = 0
        self._state.close()

    def _alive(self) -> bool:
        """Whether the other process is there."""
        if self._own == THEIRS:
            return os.getppid() == self._parent
        if self._pid and os.waitpid(self._pid, os.WNOHANG)[0]:
            self._pid = 0
        return self._pid > 0

    def _help(self) -> None:
        """Compile from the other end, and end: what fails here is told by the process itself."""
        global _active
        _active, self._own, self._other = self, THEIRS, OURS
        try:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            # Locks and pipes of the process are not to outlive it.
            os.closerange(0, os.sysconf("SC_OPEN_MAX"))
            for _ in range(3):
                os.open(os.devnull, os.O_RDWR)
            while self._alive() and self._made_a_part(self._kernels[0]):
                pass
            for one in self._kernels[1:]:
                if self._alive() and self._state_of(one, True) == OPEN:
                    whole(one)
        finally:
            os._exit(0)

    def _made_a_part(self, one: Any) -> bool:
        """Compile the body of the last kernel inlined into another that is open, and of which the other process
        is at no part; return whether there was one.
        """
        for body in reversed(self._parts.of(one)):
            near = self._other in map(self._state_of, self._parts.of(body))
            if self._state_of(body) == OPEN and hasattr(body, "inlinable") and not near:
                body.inlinable()
                return True
        return False

    def _state_of(self, one: Any, whole: bool = False) -> int:
        place = self._places.get((id(one), whole))
        return DONE if place is None else self._state[place]


def compile_all(kernels: list[Any], helped: bool) -> None:
    """Compile kernels that Python calls: the biggest here, the others where there is time."""
    global _active
    parts = Parts()
    if not (helped and possible() and sum(map(parts.size, kernels)) >= WORTH):
        for one in kernels:
            whole(one)
        return
    kernels = sorted(kernels, key=parts.size, reverse=True)
    _active = Helper(kernels, parts)
    try:
        for one in (kernels[0], *reversed(kernels[1:])):
            whole(one)
    finally:
        _active.end()
        _active = None


def whole(one: Any) -> None:
    """Compile a kernel that Python calls; one that another has just needed, and found on the disk, is ready."""
    if hasattr(one, "prepare"):
        one.prepare()


def possible() -> bool:
    """Whether a copy of this process can be made, and has a processor of its own."""
    alone = threading.active_count() == 1 and _active is None
    return alone and sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1


@contextmanager
def by_one(one: Any, whole: bool) -> Iterator[None]:
    """Keep both processes from compiling a kernel at once."""
    if _active is None:
        yield
        return
    _active.claim(one, whole)
    yield
    if _active is not None:
        _active.done(one, whole)


class Parts:
    """The kernels that are inlined into others: of each in the order in which numba comes to them, those that
    it needs before it, each once.
    """

    def __init__(self) -> None:
        self._known = dict[int, list[Any]]()

    def of(self, one: Any) -> list[Any]:
        """Return the kernels that are inlined into one, also by way of others."""
        if id(one) not in self._known:
            parts = dict[int, Any]()
            for part in used(one):
                for inner in (*self.of(part), part):
                    parts.setdefault(id(inner), inner)
            self._known[id(one)] = [*parts.values()]
        return self._known[id(one)]

    def size(self, one: Any) -> int:
        """Return the bytes of bytecode of a kernel and of all that is inlined into it."""
        return sum(len(part.py_func.__code__.co_code) for part in (one, *self.of(one)))


def used(one: Any) -> list[Any]:
    """Return the kernels that a kernel names and that can be inlined, in the order of its text."""
    function = one.py_func
    code, cells = function.__code__, function.__closure__ or ()
    known = dict(zip(code.co_freevars, (cell.cell_contents for cell in cells), strict=True))
    loads = (i for i in dis.get_instructions(code) if i.opname in ("LOAD_DEREF", "LOAD_GLOBAL"))
    names = dict.fromkeys(load.argval for load in loads)
    values = (known.get(name, function.__globals__.get(name)) for name in names)
    return [value for value in values if hasattr(value, "inlinable")]
