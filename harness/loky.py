"""Worker processes of this machine."""

from __future__ import annotations

import math
import os
import pickle
import shutil
import sys
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager

from joblib.externals.loky import process_executor
from joblib.externals.loky.backend import resource_tracker
from joblib.externals.loky.process_executor import ProcessPoolExecutor

from joute.engines.errors import JouteError
from joute.engines.garbage import settle, uncollected
from joute.engines.programs import orphans as orphans
from joute.engines.programs.folders import SEMAPHORES, new_folder
from joute.engines.programs.python_children import safe_start
from joute.harness.child import alone, start_failure
from joute.harness.child_process import interrupt_ignored
from joute.harness.executor import Alone, Executor
from joute.harness.inflight import Doing, clear_files, read_files
from joute.harness.stopped import Guard
from joute.harness.worker import Batch, Setting, Work, play_packed, start_worker


class Loky(Executor):
    """Processes of this machine. Each one's state is in a mapped file, readable after its death."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._folder = ""  # of this run's workers, once there are some
        self._pool: ProcessPoolExecutor | None = None
        self._guard: Guard | None = None
        self._tracker = 0

    @property
    def workers(self) -> int:
        """How many processes play."""
        return self._workers

    def submit(self, setting: Setting, tasks: Sequence[Work]) -> Future[bytes]:
        """Begin a batch; the first one starts the processes.

        Batches travel as bytes that are made here: the pool's own way is made for functions that
        have no name, and takes twice as long.
        """
        packed = pickle.dumps((setting, tasks), pickle.HIGHEST_PROTOCOL)
        if self._pool is None:
            self._folder = self._folder or new_folder()
            orphans.adopt()
            settle()
            # Workers ignore Ctrl-C from their first moment on.
            with interrupt_ignored(), safe_start(), quiet():
                try:
                    self._pool = ProcessPoolExecutor(
                        max_workers=self._workers,
                        initializer=start_pooled,
                        initargs=(self._folder, os.getpid()),
                    )
                except OSError as error:
                    raise JouteError(
                        f"workers cannot be started: {error.strerror or error}. They need room in "
                        f"{SEMAPHORES} that can be written; one worker (-j 1) does without"
                    ) from error
                processes = (
                    self._pool._processes
                )  # a private attribute of joblib, checked by a test
                self._tracker = tracker()
                self._guard = Guard(lambda: list(processes), self._folder)
                return self._pool.submit(play_packed, packed)  # type: ignore[no-any-return]
        return self._pool.submit(play_packed, packed)  # type: ignore[no-any-return]

    def result(self, future: Future[bytes]) -> Batch:
        """Return the result of a batch that has ended."""
        packed = future.result()
        with uncollected():
            batch: Batch = pickle.loads(packed)
        return batch

    def recover(self) -> list[Doing]:
        """End all processes; return what they were doing."""
        if self._pool is not None:
            self._end(kill=True)
            self._pool = None
        orphans.end_adopted()
        doing = read_files(self._folder)
        clear_files(self._folder)
        return doing

    def alone(self, setting: Setting, task: Work) -> Alone:
        """Play a task in a fresh process."""
        return alone(setting, task)

    def start_failure(self, setting: Setting) -> str:
        """Return why a process does not even start; "" if it does."""
        return start_failure(setting)

    def close(self, kill: bool = False) -> None:
        """End the processes."""
        if self._pool is not None:
            self._end(kill)
        orphans.end_adopted()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _end(self, kill: bool) -> None:
        assert self._pool is not None and self._guard is not None
        if tracker() != self._tracker:
            register_anew()
        self._pool.shutdown(wait=True, kill_workers=kill)  # looked after until they are gone
        self._guard.end()


def tracker() -> int:
    """Return the process id of the tracker of the pool's semaphores, which is started if it has died.
    (A private attribute of joblib, checked by a test.)
    """
    resource_tracker.ensure_running()
    return int(resource_tracker._resource_tracker._pid)


def register_anew() -> None:
    """Let a tracker that was started in place of a dead one know what there is: it would print a
    traceback for every name that it does not know when that goes.
    """
    for semaphore in SEMAPHORES.glob(f"sem.loky-{os.getpid()}-*"):
        resource_tracker.register("/" + semaphore.name.removeprefix("sem."), "semlock")


def start_pooled(folder: str, parent: int) -> None:
    """Prepare a worker of the pool, and let it keep its memory.

    With psutil installed the pool ends a worker that has grown by 300 MB since its first batch;
    ours keep trees and tables. (The limit is a private attribute of joblib, checked by a test.)
    """
    process_executor._MAX_MEMORY_LEAK_SIZE = math.inf
    start_worker(folder, parent)


@contextmanager
def quiet() -> Iterator[None]:
    """Let the pool, and the tracker of its semaphores, which is started in the meantime, not warn of
    processes that were killed: the tracker cleans up, and the runner plays on or says why it does not.
    """
    for message in ("resource_tracker", "A worker stopped while some jobs"):
        warnings.filterwarnings("ignore", message, UserWarning)
    sys.warnoptions.append("ignore:resource_tracker:UserWarning")  # handed on to new processes
    try:
        yield
    finally:
        sys.warnoptions.pop()
