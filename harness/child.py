"""A child process that plays batches one after the other, and whose death is reported to its parent.

Its arguments are FOLDER PARENT MIRROR CAREFUL. A batch comes in, and its results go out. What it is
doing is in FOLDER.
"""

from __future__ import annotations

import os
import pickle
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Future
from typing import IO

from joute.engines import files
from joute.engines.errors import JouteError
from joute.engines.programs.folders import new_folder
from joute.engines.programs.python_children import last_lines
from joute.harness.child_process import ChildProcess, Died, Pipes, ending
from joute.harness.executor import Alone, Executor
from joute.harness.inflight import Doing, hear, read_files
from joute.harness.overlong import Overlong
from joute.harness.stopped import STOPPED, Stopped
from joute.harness.worker import Batch, Setting, Work, play_packed, start_worker

LOOK = 0.5  # seconds between two looks around while it plays
CAREFUL_LOOK = 0.02  # while it plays carefully
TRAVEL = 0.03  # seconds that a message gets to leave this machine

Watch = Callable[[list[Doing]], None]


class Child(ChildProcess):
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
        self._stopped, self._overlong = Stopped(), Overlong(self.folder)
        arguments = (self.folder, str(os.getpid()), mirror, "yes" * careful)
        super().__init__("joute.harness.child", *arguments, cwd=cwd, errors=errors)

    def ask(self, setting: Setting, tasks: Sequence[Work], watch: Watch | None = None) -> Batch:
        """Return what came of a batch; raise Died, or what the batch raised. `watch` is told now and
        then what it is doing, and may raise.
        """
        self.send((setting, tasks))
        while not self.ready(CAREFUL_LOOK if self._careful else LOOK):
            self._stopped.look([self.pid])
            self._overlong.look([self.pid])
            if watch is not None:
                self._tell(watch)
        played = self.received()
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

    def why_ended(self) -> str:
        """Return why we have ended it; "" if we have not."""
        return STOPPED if self._stopped.ended else "".join(self._overlong.ended.values())

    def doing(self) -> list[Doing]:
        """Return what it is doing, or was doing when it died."""
        return read_files(self.folder)

    def end(self, kill: bool = False) -> None:
        """End it, and leave nothing of it: as soon as it has seen its players off, or at once."""
        super().end(kill)
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
        doing = self._child.doing() if self._child is not None else []
        self._end(kill=True)
        return doing

    def alone(self, setting: Setting, task: Work) -> Alone:
        """Play a task in a fresh process."""
        return alone(setting, task, *self._place, watch=self.watch)

    def start_failure(self, setting: Setting) -> str:
        """Say why a process does not even start."""
        return start_failure(setting, *self._place)

    def close(self, kill: bool = False) -> None:
        """End the process."""
        self._end(kill)

    def _end(self, kill: bool) -> None:
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
        played = Alone(child.ask(setting, [task], watch)[0])
        kill = False
        return played
    except Died as died:
        doing = child.doing()
        return Alone([], died.status, doing[0] if doing else None, child.why_ended())
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


def main() -> None:
    """Play the batches that come, until there are no more."""
    folder, parent, files.mirror, careful = sys.argv[1], int(sys.argv[2]), *sys.argv[3:]
    files.host = files.host_name() if files.mirror else ""
    pipes = Pipes()
    start_worker(folder, parent, bool(careful))
    while (packed := pipes.packed()) is not None:
        pipes.send(_played(packed))


def _played(packed: bytes) -> bytes:
    """Return what came of a batch, or the error that says why nothing did."""
    try:
        return play_packed(packed)
    except Exception as error:
        if not isinstance(error, JouteError):
            error.add_note(traceback.format_exc())
        try:
            return pickle.dumps(error, pickle.HIGHEST_PROTOCOL)
        except Exception:
            return pickle.dumps(RuntimeError(traceback.format_exc()), pickle.HIGHEST_PROTOCOL)


if __name__ == "__main__":
    main()
