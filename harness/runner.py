"""The runner: plays tasks on worker processes and survives their deaths.

Tasks travel in batches that last a fraction of a second. When a worker dies, the executor starts
afresh and every task that was in hand is played alone: one that dies alone by its own fault is a
crash of the seat on turn; one that is killed from outside is tried again, and is a crash too when
that comes three times. A worker that is stopped is continued once, and then ended in the same way; so is
one whose turn takes CPU time without end.
"""

from __future__ import annotations

import math
import signal
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sized
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from typing import Any, NamedTuple, TypeVar

from joute.engines.errors import JouteError, cut
from joute.harness.child_process import ending
from joute.harness.executor import Executor
from joute.harness.inflight import Doing
from joute.harness.single import local
from joute.harness.worker import REPLAYS, Setting, Starvation, Work

BATCH_SECONDS = 0.3
BATCHES = 300
"""A second, that one process can hand out and take in: of more workers each gets longer ones."""
MOST_TASKS = 2000
TRIES = 3
LEAST_STARVED = 5  # blocks begun again before their share counts
STARVED_SHARE = 0.1
MOST_BARREN = 20  # starts that bring nothing, though a worker started to see why does not end
OWN_FAULT = {signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL}


class VoidGame(JouteError):
    """A worker dies again and again before it plays; the run cannot go on."""


class NoWorker(JouteError):
    """Workers end before they play anything."""


class TooBusy(JouteError):
    """Turns end late for want of a processor: a result would be one of this machine, not of engines."""


T = TypeVar("T", bound=Work)


class Numbered(Iterator[T]):
    """Tasks that know how many are left, at most."""

    def __init__(self, tasks: Iterable[T], count: int) -> None:
        self._tasks, self._left = iter(tasks), count

    def __next__(self) -> T:
        self._left -= 1
        return next(self._tasks)

    def __len__(self) -> int:
        return max(0, self._left)


class RunPace(NamedTuple):
    """A worker's output: the number of results (games, mostly), and the seconds that they took."""

    results: int
    seconds: float


class Runner:
    """Plays tasks on an executor (by default on `workers` processes of this machine); a context
    manager that leaves nothing of it behind.
    """

    def __init__(self, setting: Setting, workers: int, executor: Executor | None = None) -> None:
        self.setting, self.executor = setting, executor or local(workers)
        self.stopping = False
        self.paces: dict[str, RunPace] = {}
        """Results and seconds of each worker, by its name; without tasks that were played alone."""
        self._seconds, self._tasks = 0.0, 0
        self._barren = 0  # starts of workers, one after the other, that brought nothing
        self._all_tasks, self.starvation = 0, Starvation()

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *error: object) -> None:
        self.executor.close(kill=error[0] is not None)

    @property
    def workers(self) -> int:
        """How many batches are played at once, for now."""
        return self.executor.workers

    def stop(self) -> None:
        """Hand out no more tasks; the batches in hand are finished and still come."""
        self.stopping = True

    def play(self, tasks: Iterable[Work]) -> Iterator[list[Any]]:
        """Yield the results of finished batches, in the order in which they finish.

        `tasks` may be an iterator that has none for now and more after a batch was yielded. If it
        knows its length (`Numbered`), its tasks are shared out evenly, so that no worker waits for
        the others at the end.
        """
        queue, source = deque[Work](), iter(tasks)
        self.stopping = False
        running: dict[Future[Any], list[Work]] = {}
        while True:
            try:
                self._feed(running, queue, source)
                if not running:
                    return
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield self._taken(future, running)
                self._check_processors()
            except BrokenExecutor:
                finished = [f for f in running if _succeeded(f)]
                for future in finished:
                    yield self._taken(future, running)
                broken = [f for f in running if self.executor.shared_fate or _broke(f)]
                lost = [task for future in broken for task in running.pop(future)]
                yield from self._recover(lost, queue)

    def _feed(
        self, running: dict[Future[Any], list[Work]], queue: deque[Work], source: Iterator[Work]
    ) -> None:
        short = max(BATCH_SECONDS / 2, self.workers / BATCHES)
        quick = self._tasks and self._seconds / self._tasks < short
        waiting = self.workers if quick else 1  # so that no worker waits for this process
        while len(running) < self.workers + waiting and not (self.stopping and not queue):
            batch = []
            for _ in range(self._size(source, len(queue))):
                task = queue.popleft() if queue else next(source, None)
                if task is None:
                    break
                batch.append(task)
            if not batch:
                return
            try:
                running[self.executor.submit(self.setting, batch)] = batch
            except BrokenExecutor:
                queue.extendleft(reversed(batch))
                raise

    def _size(self, source: Iterator[Work], waiting: int) -> int:
        if not self._tasks:
            return 1
        each = self._seconds / self._tasks
        lasting, least = BATCH_SECONDS, self.workers / BATCHES
        count = lasting / max(each, 1e-6) if least < lasting else math.ceil(least / max(each, 1e-6))
        most = max(1, min(MOST_TASKS, int(count)))
        if isinstance(source, Sized):
            most = min(most, -(-(len(source) + waiting) // self.workers))
        return max(1, most)

    def _taken(self, future: Future[Any], running: dict[Future[Any], list[Work]]) -> list[Any]:
        """Return the results of a batch, which is in hand no longer; raise if its worker is gone."""
        batch = self.executor.result(future)
        tasks = len(running.pop(future))
        self._barren = 0
        known = self.paces.get(batch.worker, RunPace(0, 0.0))
        done = RunPace(known.results + len(batch.results), known.seconds + batch.seconds)
        self.paces[batch.worker] = done
        self._seconds = 0.7 * self._seconds + batch.seconds
        self._tasks = int(0.7 * self._tasks) + tasks
        self._all_tasks += tasks
        self.starvation = self.starvation.and_then(batch.starvation)
        return batch.results

    def _check_processors(self) -> None:
        """Raise TooBusy where a block was starved again and again, or a tenth of the blocks was."""
        starved, text, given_up = self.starvation
        if given_up or starved >= max(LEAST_STARVED, STARVED_SHARE * self._all_tasks):
            again = f"; {given_up[0]} was, {1 + REPLAYS} times" if given_up else ""
            raise TooBusy(
                f"this machine is too busy: {starved} of {self._all_tasks} blocks had turns that were "
                f"late while they waited for a processor{again} (the last: {shorter(text)}). Use "
                f"fewer workers (-j) or end other programs: these blocks are not stored, and the same "
                f"command plays them; longer turns, a larger margin or fixed work make it another study"
            )

    def _recover(self, lost: list[Work], queue: deque[Work]) -> Iterator[list[Any]]:
        """Play the dead workers' tasks alone, one by one; put everything else back into the queue."""
        suspects = {doing.task for doing in self.executor.recover()}
        self._barren = 0 if suspects & {task.number for task in lost} else self._barren + 1
        if self._barren >= TRIES:
            why = self.executor.start_failure(self.setting)
            if why or self._barren >= MOST_BARREN:
                raise NoWorker(
                    f"workers ended before they played anything, {self._barren} times"
                    + (
                        f", by {why}"
                        if why
                        else "; a new worker started to find out why did not end"
                    )
                )
        queue.extendleft(reversed([t for t in lost if t.number not in suspects]))
        for task in lost:
            if task.number in suspects:
                yield [self._alone(piece) for piece in task.pieces()]

    def _alone(self, task: Work) -> Any:
        """Return the result of a piece of work that is done by itself."""
        seen: list[Doing] = []
        for _ in range(TRIES):
            results, status, doing, why = self.executor.alone(self.setting, task)
            if results:
                return results[0]
            if why and doing is not None:
                return task.crashed(self.setting, doing, why)
            own_fault = status >= 0 or -status in OWN_FAULT
            if own_fault and doing is not None:
                return task.crashed(self.setting, doing, f"died by {ending(status)}")
            seen += [doing] if doing is not None else []
        how = f"{TRIES} times, the last time by {ending(status)}; memory may be short"
        if len(seen) < TRIES:  # not in a game: no seat was on turn
            raise VoidGame(f"{task} was stopped {how} (fewer workers: -j)")
        (seating, seat), _ = Counter((one.seating, one.seat) for one in seen).most_common(1)[0]
        last = next(one for one in reversed(seen) if (one.seating, one.seat) == (seating, seat))
        text = f"its process was killed while it played alone, {how}, or this engine kills it"
        return task.crashed(self.setting, last, text)


def shorter(text: str) -> str:
    """Return the first line of a text, cut."""
    return cut(text.partition("\n")[0], 200)


def _broke(future: Future[Any]) -> bool:
    return future.done() and isinstance(future.exception(), BrokenExecutor)


def _succeeded(future: Future[Any]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None
