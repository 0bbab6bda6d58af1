"""Executors: where batches of tasks are played, and what is known of workers that die.

The runner needs no more than this: futures of batches; after a death, which tasks were in hand; and
one task alone, so that its death can be blamed on somebody. Processes of this machine are `Loky`;
`Here` plays in this process, one batch after the other.
"""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, NamedTuple

from joblib.externals.loky.process_executor import ProcessPoolExecutor

from engines.garbage import settle, uncollected
from engines.programs import strays
from harness.inflight import Doing, clear_files, new_folder, read_files
from harness.isolated import play_alone
from harness.worker import Setting, Work, play_batch, play_packed, start_worker

Batch = tuple[list[Any], float]  # results, and the seconds that they took


class Alone(NamedTuple):
    """What came of a task that was played alone: its results; without any, how its process ended (as
    `subprocess` says) and what it was doing.
    """

    results: list[Any]
    status: int = 0
    doing: Doing | None = None


class Executor(ABC):
    """A place with `workers` that play batches. A batch whose worker dies raises BrokenExecutor."""

    workers: int

    @abstractmethod
    def submit(self, setting: Setting, tasks: Sequence[Work]) -> Future[Any]:
        """Begin a batch."""

    def result(self, future: Future[Any]) -> Batch:
        """Return what came of a batch that has ended."""
        batch: Batch = future.result()
        return batch

    @abstractmethod
    def recover(self) -> list[Doing]:
        """After a death: start afresh, and say what each worker was doing."""

    @abstractmethod
    def alone(self, setting: Setting, task: Work) -> Alone:
        """Play one task by itself, where its death harms nobody."""

    @abstractmethod
    def close(self, kill: bool = False) -> None:
        """Leave no worker behind; `kill` those that play."""


class Loky(Executor):
    """Processes of this machine. What each is doing stands in a mapped file, readable after its death."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._folder = ""  # of this run's workers, once there are some
        self._pool: ProcessPoolExecutor | None = None

    def submit(self, setting: Setting, tasks: Sequence[Work]) -> Future[bytes]:
        """Begin a batch; the first one starts the processes.

        Batches travel as bytes that are made here: the pool's own way is made for functions that
        have no name, and takes twice as long.
        """
        packed = pickle.dumps((setting, tasks), pickle.HIGHEST_PROTOCOL)
        if self._pool is None:
            self._folder = self._folder or new_folder()
            strays.adopt()
            settle()
            with interrupt_ignored():  # workers inherit that from their first moment on
                self._pool = ProcessPoolExecutor(
                    max_workers=self.workers,
                    initializer=start_worker,
                    initargs=(self._folder, os.getpid()),
                )
                return self._pool.submit(play_packed, packed)  # type: ignore[no-any-return]
        return self._pool.submit(play_packed, packed)  # type: ignore[no-any-return]

    def result(self, future: Future[bytes]) -> Batch:
        """Return what came of a batch that has ended."""
        packed = future.result()
        with uncollected():
            batch: Batch = pickle.loads(packed)
        return batch

    def recover(self) -> list[Doing]:
        """End all processes; return what they were doing."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, kill_workers=True)
            self._pool = None
        strays.end_adopted()
        found = read_files(self._folder)
        clear_files(self._folder)
        return found

    def alone(self, setting: Setting, task: Work) -> Alone:
        """Play a task in a fresh process."""
        return Alone(*play_alone(setting, task))

    def close(self, kill: bool = False) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, kill_workers=kill)
        strays.end_adopted()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)


class Here(Executor):
    """This process: nothing is started or shared, and an engine that kills it kills the run."""

    workers = 1

    def submit(self, setting: Setting, tasks: Sequence[Work]) -> Future[Batch]:
        """Play a batch."""
        future: Future[Batch] = Future()
        future.set_result(play_batch(setting, tasks))
        return future

    def recover(self) -> list[Doing]:
        """Nothing dies here."""
        return []

    def alone(self, setting: Setting, task: Work) -> Alone:
        """Play a task."""
        return Alone(play_batch(setting, [task])[0])

    def close(self, kill: bool = False) -> None:
        """Nothing was started."""


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
