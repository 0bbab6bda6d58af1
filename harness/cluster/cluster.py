"""The parent's side of a cluster: gives batches to workers, and to others when a worker is lost.

dask carries messages and runs one function; it decides nothing. Every batch goes to a named worker,
so that dask moves, merges and retries nothing. The batch of a lost worker goes to another one;
games that lose a second worker are played alone, as at home.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import pickle
import queue
import secrets
import threading
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future
from dataclasses import dataclass, field, replace
from typing import Any

from distributed import KilledWorker

from joute.harness.cluster.compatibility import Inspection, engines_here
from joute.harness.cluster.connection import Connection
from joute.harness.cluster.host import PLAYED, TROUBLE, HostRequest
from joute.harness.cluster.lost import ClusterLost
from joute.harness.cluster.shipping import carried, files_of
from joute.harness.cluster.worker_slots import WorkerSlot, WorkerSlots
from joute.harness.executor import Alone, Executor
from joute.harness.inflight import Doing
from joute.harness.worker import Batch, Setting, Work

LOOK = 1.0  # seconds between two looks at the workers
SUSPICIOUS = 2  # workers that games take with them before they are played alone
QUICK = 1.0  # seconds: of shorter batches a worker gets one ahead
KILLED = -9  # exit status of a lost process, as in `subprocess`


@dataclass
class Play:
    """A batch, the future that its results are promised to, and how it has fared."""

    setting: Setting
    tasks: Sequence[Work]
    future: Future[Batch]
    alone: bool = False
    seat: WorkerSlot | None = None
    carrying: dict[str, str] = field(default_factory=dict)
    answer: Future[Any] | None = None


class Cluster(Executor):
    """Workers on a dask cluster. `say` prints messages for the user; at most `most` slots are used,
    with `timed` also no more on a host than it has cores.
    """

    elsewhere = True
    shared_fate = False

    def __init__(
        self,
        connection: Connection,
        say: Callable[[str], None] = lambda text: None,
        most: int | None = None,
        timed: bool = False,
        files: Sequence[str] = (),
    ) -> None:
        self.connection = connection
        self.run = f"joute-{secrets.token_hex(6)}"
        self.worker_slots = WorkerSlots(connection, self.run, say, most, timed)
        self._files = tuple(files)
        self._events: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._waiting: deque[Play] = deque()
        self._playing: dict[str, Play] = {}
        self._told: dict[str, list[Doing]] = {}  # by key, the last that was heard of it
        self._losses: Counter[int] = Counter()  # by task
        self._suspects: list[Doing] = []
        self._numbers = itertools.count()
        self._closing = self._closed = False
        self._seconds = 0.0  # that a batch lasts, about
        self._dispatcher = threading.Thread(target=self._dispatch, daemon=True)

    @property
    def workers(self) -> int:
        """How many batches are played at once now; at least one is asked for."""
        return max(1, self.worker_slots.slots)

    def admit(self, setting: Setting) -> None:
        """Look at every worker that is there, before any game; raise Refused where one does not fit."""
        self.connection.client.subscribe_topic(self.run, self._hear)
        shared = replace(setting, engines=dict(setting.engines))
        files = self._news(shared, {})
        request = HostRequest(self.run, os.getcwd(), shared, carried(files), [Inspection()])
        self.worker_slots.admit(engines_here(shared), pickle.dumps(request), files)
        self._dispatcher.start()

    def submit(self, setting: Setting, tasks: Sequence[Work]) -> Future[Batch]:
        """Begin a batch, as soon as a worker has room."""
        return self._begin(Play(setting, tasks, Future()))

    def recover(self) -> list[Doing]:
        """Return the last reports of workers whose batches were lost more than once."""
        suspects, self._suspects = self._suspects, []
        return suspects

    def alone(self, setting: Setting, task: Work) -> Alone:
        """Play a task by itself, on any worker."""
        play = Play(setting, [task], Future(), alone=True)
        try:
            return Alone(self._begin(play).result().results)
        except BrokenExecutor:
            doing = [one for one in self.recover() if one.task == task.number]
            return Alone([], KILLED, doing[0] if doing else None)

    def close(self, kill: bool = False) -> None:
        """Withdraw the batches in play, and remove all that the run left on hosts."""
        if self._closed:
            return
        self._closing = self._closed = True
        self._post(lambda: None)
        if self._dispatcher.is_alive():
            self._dispatcher.join(5)
        for play in [*self._playing.values()]:
            if play.answer is not None:
                play.answer.cancel()
        self.worker_slots.forget()
        self.connection.close()

    # --- the dispatcher's thread: all that follows is done by it alone -------------------------

    def _begin(self, play: Play) -> Future[Batch]:
        self._post(lambda: self._waiting.append(play))
        return play.future

    def _post(self, event: Callable[[], None]) -> None:
        self._events.put(event)

    def _dispatch(self) -> None:
        try:
            while not self._closing:
                with contextlib.suppress(queue.Empty):
                    event = self._events.get(timeout=LOOK)
                    event()
                    while not self._events.empty():
                        self._events.get()()
                for gone in self.worker_slots.look():
                    self._gone(gone)
                self._hand_out()
        except BaseException as error:  # also a bug of ours: no future may be left waiting
            lost = error if isinstance(error, ClusterLost) else ClusterLost(repr(error))
            self._give_up(lost)

    def _give_up(self, error: ClusterLost) -> None:
        self._closing = True
        while not self._events.empty():
            self._events.get()()
        for play in [*self._playing.values(), *self._waiting]:
            if not play.future.done():
                play.future.set_exception(error)

    def _hand_out(self) -> None:
        ahead = 1 if 0 < self._seconds < QUICK else 0
        while self._waiting and (seat := self.worker_slots.free(ahead)) is not None:
            play = self._waiting.popleft()
            try:
                self._send(play, seat)
            except Exception as error:  # of its files: they cannot be read, or are too large
                play.future.set_exception(error)

    def _send(self, play: Play, seat: WorkerSlot) -> None:
        texts: dict[str, str] = {}
        for task in play.tasks:
            texts.update(task.texts(play.setting))
        setting = Setting(play.setting.game, texts, play.setting.rules, play.setting.plugins)
        play.carrying = self._news(setting, seat.has)
        files = carried(play.carrying)
        request = HostRequest(self.run, os.getcwd(), setting, files, list(play.tasks), play.alone)
        key = f"{self.run}-{next(self._numbers)}"
        play.seat = seat
        seat.keys.add(key)
        self._playing[key] = play
        play.answer = self.connection.send(seat.address, key, "play", pickle.dumps(request))
        play.answer.add_done_callback(lambda answer: self._post(lambda: self._ended(key, answer)))

    def _news(self, setting: Setting, known: dict[str, str]) -> dict[str, str]:
        """Return the files of a setting that a worker does not have."""
        needed = files_of(setting.engines.values(), setting.game, (*setting.plugins, *self._files))
        return {path: digest for path, digest in needed.items() if known.get(path) != digest}

    def _ended(self, key: str, answer: Future[Any]) -> None:
        """A batch has come back, or its answer will not come."""
        play = self._playing.pop(key, None)
        reported = self._told.pop(key, [])
        if play is None:  # it was given up before
            return
        assert play.seat is not None
        play.seat.keys.discard(key)
        error = CancelledError() if answer.cancelled() else answer.exception()
        if error is None:
            kind, content = answer.result()
            if kind == PLAYED:
                play.seat.has.update(play.carrying)
                results, seconds, starvation = content
                batch = Batch(results, seconds, str(play.seat), starvation)
                self._seconds = 0.7 * self._seconds + 0.3 * batch.seconds
                play.future.set_result(batch)
                return
            if kind == TROUBLE:
                self._waiting.appendleft(play)
                self.worker_slots.dismiss(play.seat, content)
                return
        elif not is_loss(error):
            play.future.set_exception(error)
            return
        self._lost(play, reported)

    def _gone(self, seat: WorkerSlot) -> None:
        """Take a worker out; its batches are lost."""
        for key in [*seat.keys]:
            play = self._playing.pop(key)
            if play.answer is not None:
                play.answer.cancel()
            self._lost(play, self._told.pop(key, []))

    def _lost(self, play: Play, reported: list[Doing]) -> None:
        """Hand a batch to another worker, or give it back, if it has taken several with it."""
        known = {doing.task for doing in reported}
        for task in play.tasks:
            if not known or task.number in known:
                self._losses[task.number] += 1
        suspects = {t.number for t in play.tasks if self._losses[t.number] >= SUSPICIOUS}
        if not suspects and not play.alone:
            self._waiting.appendleft(play)
            return
        unheard = suspects - known
        self._suspects += reported + [
            Doing(number, 0, 0, 0, []) for number in unheard if not play.alone
        ]
        play.future.set_exception(BrokenExecutor("its worker is gone"))

    async def _hear(self, event: tuple[float, Any]) -> None:
        """Note which games a worker reports to be in play."""
        said = event[1]
        doing = [
            Doing(task, seating, ply, seat, [(action, outcome) for action, outcome in moves])
            for task, seating, ply, seat, moves in said["doing"]
        ]
        self._post(lambda: self._note(said["key"], doing))

    def _note(self, key: str, doing: list[Doing]) -> None:
        if key in self._playing:
            self._told[key] = doing


def is_loss(error: BaseException) -> bool:
    """Whether an error means that a worker went away with its batch, and not that it raised something."""
    return isinstance(error, (KilledWorker, CancelledError, OSError)) or (
        type(error).__module__.startswith("distributed.")
    )
