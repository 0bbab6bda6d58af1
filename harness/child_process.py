"""A Python process of ours that is sent objects and sends objects back: pickled frames through its pipes.

Each frame is its length and then the pickle. `ChildProcess` is the parent's side; `Pipes`, made before
anything is printed, the child's.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

from joute.engines.programs.python_children import python_command

LENGTH = struct.Struct("<q")
CHUNK = 1 << 20
PATIENCE = 5.0  # seconds that it gets to end by itself


class Died(Exception):
    """The process has ended: its exit status, as `subprocess` gives it."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class ChildProcess:
    """The process of a module of ours. `variables` are added to its environment; `errors` takes its
    stderr, by default ours.
    """

    def __init__(
        self,
        module: str,
        *arguments: str,
        cwd: str | None = None,
        variables: Mapping[str, str] | None = None,
        errors: IO[bytes] | None = None,
    ) -> None:
        with interrupt_ignored():  # so does it, from its first moment on
            self._process = subprocess.Popen(
                python_command(module, *arguments),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=cwd,
                env={**os.environ, **(variables or {})},
            )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        self._received = bytearray()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def send(self, thing: Any) -> None:
        """Send an object; one that has ended is found out by `ready`."""
        with contextlib.suppress(BrokenPipeError):
            self._in.write(frame(pickle.dumps(thing, pickle.HIGHEST_PROTOCOL)))
            self._in.flush()

    def ready(self, seconds: float) -> bool:
        """Wait so long for an object; return whether one has come. Raises Died."""
        fd, received = self._out.fileno(), self._received
        while len(received) < LENGTH.size or len(received) < self._size():
            if not select.select([fd], [], [], seconds)[0]:
                return False
            if not (chunk := os.read(fd, CHUNK)):  # an engine may end the process with status 0
                raise Died(self._process.wait())
            received += chunk
        return True

    def received(self) -> Any:
        """Return the object that has come."""
        size = self._size()
        thing = pickle.loads(self._received[LENGTH.size : size])
        del self._received[:size]
        return thing

    def _size(self) -> int:
        return LENGTH.size + int(LENGTH.unpack_from(self._received)[0])

    def end(self, kill: bool = False) -> None:
        """End it: when it has seen that nothing more comes, or at once."""
        with contextlib.suppress(BrokenPipeError):
            self._in.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            if not kill:
                self._process.wait(PATIENCE)
        self._process.kill()
        self._process.wait()
        self._out.close()


class Pipes:
    """The child's side: stdin has what the parent sends, stdout takes the answers. What engines print
    goes to stderr from now on. `send` may be called by several threads.
    """

    def __init__(self) -> None:
        self._out, self._lock = os.fdopen(os.dup(1), "wb"), threading.Lock()
        os.dup2(2, 1)

    def packed(self) -> bytes | None:
        """Return the next object, pickled; None when no more come."""
        head = sys.stdin.buffer.read(LENGTH.size)
        if len(head) < LENGTH.size:
            return None
        return sys.stdin.buffer.read(*LENGTH.unpack(head))

    def send(self, packed: bytes) -> None:
        """Send an object that is pickled."""
        with self._lock:
            self._out.write(frame(packed))
            self._out.flush()


def frame(packed: bytes) -> bytes:
    """Return a pickle with its length before it."""
    return LENGTH.pack(len(packed)) + packed


def ending(status: int) -> str:
    """Say how a process ended, from its exit status as `subprocess` gives it."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"


@contextmanager
def interrupt_ignored() -> Iterator[None]:
    """Ignore Ctrl-C for a moment, in the main thread."""
    if threading.current_thread() is not threading.main_thread() or sys.platform == "win32":
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
