"""A child process that plays batches one after the other, and whose death is reported to its parent.

Its arguments are FOLDER PARENT MIRROR CAREFUL. Frames go in by stdin and come out by stdout, each
with its length before it: a pickled batch, then what came of it. What it is doing stands in FOLDER.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Future
from typing import IO, Any

from joute.engines import files
from joute.engines.errors import JouteError
from joute.engines.programs.python_children import last_lines, python_command
from joute.harness.executor import Alone, Executor
from joute.harness.inflight import Doing, hear, new_folder, read_files
from joute.harness.worker import Batch, Setting, Work, play_packed, start_worker

LENGTH = struct.Struct("<q")
LOOK = 0.5  # seconds between two looks around while it plays
CAREFUL_LOOK = 0.02  # while it plays carefully
TRAVEL = 0.03  # seconds that a message gets to leave this machine
CHUNK = 1 << 20
PATIENCE = 5.0  # seconds that it gets to see its players off

Watch = Callable[[list[Doing]], None]


class Died(Exception):
    """The process has ended: its exit status, as `subprocess` says it."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Child:
    """The process. It works in `cwd` (by default where we do); copies of files are below `mirror`. If
    `careful`, it begins no turn before `watch` was told of it. `errors` takes its stderr, by default ours.
    """

    def __init__(
        self,
        cwd: str | None = None,
        mirror: str = "",
        careful: bool = False,
        errors: IO[bytes] | None = None,
    ) -> None:
        self.folder, self._careful = new_folder(), careful
        arguments = (self.folder, str(os.getpid()), mirror, "yes" * careful)
        self._process = subprocess.Popen(
            python_command("joute.harness.child", *arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=cwd,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout

    def ask(self, setting: Setting, tasks: Sequence[Work], watch: Watch | None = None) -> Batch:
        """Return what came of a batch; raise Died, or what the batch raised. `watch` is told now and
        then what it is doing, and may raise.
        """
        packed = pickle.dumps((setting, tasks), pickle.HIGHEST_PROTOCOL)
        with contextlib.suppress(BrokenPipeError):
            self._in.write(LENGTH.pack(len(packed)) + packed)
            self._in.flush()
        fd, found, wanted = self._out.fileno(), bytearray(), LENGTH.size
        while len(found) < wanted:
            if not select.select([fd], [], [], CAREFUL_LOOK if self._careful else LOOK)[0]:
                if watch is not None:
                    self._tell(watch)
                continue
            if not (chunk := os.read(fd, CHUNK)):  # an engine may end the process with status 0
                raise Died(self._process.wait())
            found += chunk
            if len(found) >= LENGTH.size:
                wanted = LENGTH.size + LENGTH.unpack_from(found)[0]
        played = pickle.loads(found[LENGTH.size :])
        if isinstance(played, Exception):
            raise played
        batch: Batch = played
        return batch

    def _tell(self, watch: Watch) -> None:
        doing = self.doing()
        watch(doing)
        if self._careful:
            time.sleep(TRAVEL)
            hear(self.folder, doing)

    def doing(self) -> list[Doing]:
        """Return what it is doing, or was doing when it died."""
        return read_files(self.folder)

    def end(self, kill: bool = False) -> None:
        """End it, and leave nothing of it: as soon as it has seen its players off, or at once."""
        with contextlib.suppress(BrokenPipeError):
            self._in.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            if not kill:
                self._process.wait(PATIENCE)
        self._process.kill()
        self._process.wait()
        self._out.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Companion(Executor):
    """One such process, started when there is work and again after a death. Batches are played while
    they are submitted, so that `watch` is called in the submitting thread.
    """

    workers = 1

    def __init__(
        self,
        cwd: str | None = None,
        mirror: str = "",
        watch: Watch | None = None,
        careful: bool = False,
    ) -> None:
        self._place = (cwd, mirror, careful)
        self.watch = watch
        self._child: Child | None = None

    def submit(self, setting: Setting, tasks: Sequence[Work]) -> Future[Batch]:
        """Play a batch."""
        self._child = self._child or Child(*self._place)
        future: Future[Batch] = Future()
        try:
            future.set_result(self._child.ask(setting, tasks, self.watch))
        except Died as died:
            future.set_exception(BrokenExecutor(f"exit status {died.status}"))
        return future

    def recover(self) -> list[Doing]:
        """Return what it was doing when it died."""
        if self._child is None:
            return []
        found = self._child.doing()
        self.close(kill=True)
        return found

    def alone(self, setting: Setting, task: Work) -> Alone:
        """Play a task in a fresh process."""
        return alone(setting, task, *self._place, watch=self.watch)

    def start_failure(self, setting: Setting) -> str:
        """Say why a process does not even start."""
        return start_failure(setting, *self._place)

    def close(self, kill: bool = False) -> None:
        """End the process."""
        if self._child is not None:
            self._child.end(kill)
            self._child = None


def alone(
    setting: Setting,
    task: Work,
    cwd: str | None = None,
    mirror: str = "",
    careful: bool = False,
    watch: Watch | None = None,
) -> Alone:
    """Play a task in a fresh process: its results, or without them how the process ended and what it
    was doing.
    """
    child, kill = Child(cwd, mirror, careful), True
    try:
        found = Alone(child.ask(setting, [task], watch)[0])
        kill = False
        return found
    except Died as died:
        doing = child.doing()
        return Alone([], died.status, doing[0] if doing else None)
    finally:
        child.end(kill)


def start_failure(
    setting: Setting, cwd: str | None = None, mirror: str = "", careful: bool = False
) -> str:
    """Start a process that plays nothing; return how it ended and its last lines, "" if it did not."""
    with tempfile.TemporaryFile() as errors:
        child = Child(cwd, mirror, careful, errors)
        try:
            child.ask(setting, [])
        except Died as died:
            child.end(kill=True)
            errors.seek(0)
            said = last_lines(errors.read().decode(errors="replace"))
            return f"{ending(died.status)}{': ' if said else ''}{said}"
        finally:
            child.end(kill=True)
    return ""


def ending(status: int) -> str:
    """Say how a process ended, from its exit status as `subprocess` gives it."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"


def main() -> None:
    """Play the batches that come, until there are no more."""
    folder, parent, files.mirror, careful = sys.argv[1], int(sys.argv[2]), *sys.argv[3:]
    files.host = files.host_name() if files.mirror else ""
    out = os.fdopen(os.dup(1), "wb")
    start_worker(folder, parent, bool(careful))
    while (packed := _frame(sys.stdin.buffer)) is not None:
        played = _played(packed)
        out.write(LENGTH.pack(len(played)) + played)
        out.flush()


def _played(packed: bytes) -> bytes:
    """Return what came of a batch, or the error that says why nothing did."""
    try:
        return play_packed(packed)
    except JouteError as error:
        return pickle.dumps(error, pickle.HIGHEST_PROTOCOL)


def _frame(stream: IO[Any]) -> bytes | None:
    head = stream.read(LENGTH.size)
    return stream.read(LENGTH.unpack(head)[0]) if len(head) == LENGTH.size else None


if __name__ == "__main__":
    main()
