"""The runner: plays tasks on worker processes and survives their deaths.

Tasks travel in batches that last a fraction of a second. When a worker dies, the executor is
rebuilt and every block that was in hand is played alone in a fresh process: one that dies alone by
its own fault is a crash of the seat on turn; one that is killed from outside is void, and tried
again, three times at most.
"""

from __future__ import annotations

import shutil
import signal
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sized
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace

from joblib.externals.loky.process_executor import ProcessPoolExecutor

from engines.errors import JouteError
from engines.record import GameRecord
from harness.inflight import clear_slots, read_slots
from harness.isolated import play_alone
from harness.worker import Setting, Task, crashed, play_batch, start_worker

BATCH_SECONDS = 0.3
MOST_TASKS = 2000
TRIES = 3
OWN_FAULT = {signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL}

Batch = tuple[list[GameRecord], float]


class VoidGame(JouteError):
    """A game was killed from outside again and again; the run cannot go on."""


class Runner:
    """Plays tasks on `workers` processes; a context manager that leaves none of them behind."""

    def __init__(self, setting: Setting, workers: int) -> None:
        self._folder = tempfile.mkdtemp(prefix="joute-")
        self.setting = replace(setting, slots=self._folder)
        self.workers = workers
        self.stopping = False
        self.restarts = 0
        self._executor: ProcessPoolExecutor | None = None
        self._seconds, self._tasks = 0.0, 0

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *error: object) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=True, kill_workers=error[0] is not None)
        shutil.rmtree(self._folder, ignore_errors=True)

    def stop(self) -> None:
        """Hand out no more tasks; the batches in hand are finished and still come."""
        self.stopping = True

    def play(self, tasks: Iterable[Task]) -> Iterator[list[GameRecord]]:
        """Yield the records of finished batches, in the order in which they finish.

        `tasks` may be an iterator that has none for now and more after a batch was yielded; if it
        knows its length, what it has is shared out among the workers.
        """
        queue, source = deque[Task](), iter(tasks)
        self.stopping = False
        running: dict[Future[Batch], list[Task]] = {}
        while True:
            try:
                self._feed(running, queue, source)
                if not running:
                    return
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    records, seconds = future.result()
                    self._learn(seconds, len(running.pop(future)))
                    yield records
            except BrokenProcessPool:
                finished = [f for f in running if _succeeded(f)]
                for future in finished:
                    running.pop(future)
                    yield future.result()[0]
                lost = [task for batch in running.values() for task in batch]
                running.clear()
                yield from self._recover(lost, queue)

    def _feed(
        self, running: dict[Future[Batch], list[Task]], queue: deque[Task], source: Iterator[Task]
    ) -> None:
        while len(running) < self.workers + 1 and not (self.stopping and not queue):
            batch = []
            for _ in range(self._size(source)):
                task = queue.popleft() if queue else next(source, None)
                if task is None:
                    break
                batch.append(task)
            if not batch:
                return
            try:
                running[self._submit(batch)] = batch
            except BrokenProcessPool:
                queue.extendleft(reversed(batch))
                raise

    def _submit(self, batch: list[Task]) -> Future[Batch]:
        if self._executor is None:
            with interrupt_ignored():  # workers inherit that from their first moment on
                self._executor = ProcessPoolExecutor(
                    max_workers=self.workers, initializer=start_worker
                )
                return self._executor.submit(play_batch, self.setting, batch)  # type: ignore[no-any-return]
        return self._executor.submit(play_batch, self.setting, batch)  # type: ignore[no-any-return]

    def _size(self, source: Iterator[Task]) -> int:
        if not self._tasks:
            return 1
        each = self._seconds / self._tasks
        most = max(1, min(MOST_TASKS, int(BATCH_SECONDS / max(each, 1e-6))))
        if isinstance(source, Sized):
            most = min(most, -(-len(source) // self.workers))
        return max(1, most)

    def _learn(self, seconds: float, tasks: int) -> None:
        self._seconds, self._tasks = 0.7 * self._seconds + seconds, int(0.7 * self._tasks) + tasks

    def _recover(self, lost: list[Task], queue: deque[Task]) -> Iterator[list[GameRecord]]:
        """Play what dead workers had in hand alone; everything else goes back to the queue."""
        self.restarts += 1
        if self._executor is not None:
            self._executor.shutdown(wait=True, kill_workers=True)
            self._executor = None
        suspects = {doing.task for doing in read_slots(self._folder)}
        clear_slots(self._folder)
        queue.extendleft(reversed([t for t in lost if t.number not in suspects]))
        for task in lost:
            if task.number in suspects:
                yield self._alone(task)

    def _alone(self, task: Task) -> list[GameRecord]:
        found: list[GameRecord] = []
        left, tries = list(task.seatings), 0
        while left:
            part = replace(task, seatings=(left[0],))
            records, status, doing = play_alone(self.setting, part)
            if not records:
                own = status >= 0 or -status in OWN_FAULT
                if not own or doing is None:
                    tries += 1
                    if tries < TRIES:
                        continue
                    raise VoidGame(
                        f"block {task.block.id} was stopped {TRIES} times, the last time by "
                        f"{_cause(status)}; memory may be short (fewer workers: -j)"
                    )
                records = [crashed(self.setting, part, doing, f"died by {_cause(status)}")]
            found += records
            left.pop(0)
        return found


def _cause(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"


def _succeeded(future: Future[Batch]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


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
