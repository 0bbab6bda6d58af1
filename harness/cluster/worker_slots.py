"""The workers of a run on a cluster: those that were inspected and fit, each with its slots."""

from __future__ import annotations

import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as Late
from dataclasses import dataclass, field
from typing import Any

from joute.engines.errors import Refused
from joute.harness.cluster.compatibility import Engines, differences, disagreements, local_versions
from joute.harness.cluster.connection import Connection
from joute.harness.cluster.host import PLAYED
from joute.harness.cluster.lost import ClusterLost

LOOK = 1.0  # seconds between two looks at the workers
PATIENCE = 60.0  # seconds that the first worker has to come
TOLD = 4  # faults listed in one message


@dataclass
class WorkerSlot:
    """A worker: where it is, how many batches it plays at once, which ones, which files it has."""

    address: str
    id: str
    host: str
    threads: int
    cores: int  # of its host
    slots: int = 0
    keys: set[str] = field(default_factory=set)
    has: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.host} ({self.address})"


class WorkerSlots:
    """The workers of a run; `say` is called as workers come, go or do not fit. There are at most
    `most` slots, with `timed` also at most one per core of a host.
    """

    def __init__(
        self,
        connection: Connection,
        run: str,
        say: Callable[[str], None],
        most: int | None,
        timed: bool,
    ) -> None:
        self._connection, self._run, self._say = connection, run, say
        self._most, self._timed = most, timed
        self._seats: dict[str, WorkerSlot] = {}
        self._known: dict[str, str] = {}  # id by address, of all that were ever looked at
        self._hosts: set[str] = set()  # that were inspected
        self._looked, self._lonely = 0.0, False
        self._number = 0
        self._newcomers: threading.Thread | None = None
        self._arrived: queue.SimpleQueue[list[WorkerSlot]] = queue.SimpleQueue()  # from that thread
        self._lock = threading.Lock()
        self.slots = 0

    def admit(self, here: Engines, inspection: bytes, files: dict[str, str]) -> None:
        """Inspect all present workers, after waiting for the first one; raise Refused with what
        does not fit. `inspection` compiles the engines on a host and carries the files.
        """
        self._here, self._inspection, self._files = here, inspection, files
        begun, announced = time.monotonic(), False
        while not (there := self._connection.workers()):
            if time.monotonic() - begun > PATIENCE and not self._connection.patient:
                raise Refused(
                    f"no worker has connected to {self._connection.name}; start one with: dask "
                    f"worker {self._connection.name}"
                )
            if not announced:
                self._say(f"waiting for workers of {self._connection.name}")
                announced = True
            time.sleep(LOOK / 4)
        arrived, faults = self._look_at(there)
        if faults:
            more = f"; and {len(faults) - TOLD} more" if len(faults) > TOLD else ""
            raise Refused("; ".join(faults[:TOLD]) + more)
        self._take_in(arrived)
        if not self._seats:
            raise ClusterLost(f"the workers of {self._connection.name} left at once")
        hosts = Counter(seat.host for seat in self._seats.values())
        unused = sum(seat.threads for seat in self._seats.values()) - self.slots
        why = " (no more than cores, because time is measured)" if self._timed else " (-j)"
        self._say(
            f"{_counted(self.slots, 'slot')} on {_counted(len(self._seats), 'worker')} of "
            f"{_counted(len(hosts), 'host')}: {', '.join(sorted(hosts))}"
            + (f"; {unused} are not used{why}" if unused else "")
        )

    def look(self) -> list[WorkerSlot]:
        """Return the workers that have gone; at most every LOOK seconds. A thread inspects new ones."""
        if time.monotonic() - self._looked < LOOK:
            return []
        there = self._connection.workers()
        self._looked = time.monotonic()
        gone = [s for s in self._seats.values() if there.get(s.address, ("",))[0] != s.id]
        for seat in gone:
            del self._seats[seat.address]
            self._say(f"worker {seat} has left")
        while not self._arrived.empty():
            self._take_in(self._arrived.get())
        self._allot()
        new = {a: one for a, one in there.items() if self._known.get(a) != one[0]}
        if new and (self._newcomers is None or not self._newcomers.is_alive()):
            self._newcomers = threading.Thread(target=self._welcome, args=(new,), daemon=True)
            self._newcomers.start()
        if not self._seats and not self._lonely:
            self._say(
                f"no worker is left at {self._connection.name}; waiting for one (Ctrl-C twice "
                f"ends the run)"
            )
        self._lonely = not self._seats
        return gone

    def free(self, ahead: int) -> WorkerSlot | None:
        """Return the worker that has most room, if there is one; whole ones get some batches `ahead`."""
        room = [
            (len(seat.keys) / seat.slots, seat.address)
            for seat in self._seats.values()
            if seat.slots and len(seat.keys) < seat.slots + ahead * (seat.slots == seat.threads)
        ]
        return self._seats[min(room)[1]] if room else None

    def dismiss(self, seat: WorkerSlot, why: str) -> None:
        """Use a worker no more; raise ClusterLost if it was the last."""
        self._say(f"worker {seat} is no longer used: {why}")
        if self._seats.pop(seat.address, None) and not self._seats:
            raise ClusterLost(f"no worker of {self._connection.name} is left: {seat}: {why}")
        self._allot()

    def forget(self) -> None:
        """Make all workers end the run's processes; those that are gone need no message."""
        asked = [self._send(seat.address, "forget", self._run) for seat in self._seats.values()]
        until = time.monotonic() + 5
        for one in asked:
            try:
                one.result(max(0.1, until - time.monotonic()))
            except (Exception, CancelledError):
                continue

    # --- looking at workers --------------------------------------------------------------------

    def _welcome(self, new: dict[str, tuple[str, int]]) -> None:
        try:
            arrived, faults = self._look_at(new)
        except ClusterLost:
            return  # the dispatcher sees that by itself
        self._arrived.put(arrived)
        for fault in faults:
            self._say(f"{fault}: not used")

    def _take_in(self, arrived: Iterable[WorkerSlot]) -> None:
        self._seats.update({seat.address: seat for seat in arrived})
        self._allot()

    def _look_at(self, there: dict[str, tuple[str, int]]) -> tuple[list[WorkerSlot], list[str]]:
        """Return those of the workers that fit, and in words why others do not."""
        faults, versions = [], local_versions()
        asked = {address: self._send(address, "introduce") for address in there}
        arrived: list[WorkerSlot] = []
        for address, answer in asked.items():
            self._known[address] = there[address][0]
            try:
                host, cores, papers = self._wait(answer, address)
            except _Gone:
                continue
            except Exception as error:
                faults.append(f"worker {address}: {_said(error)}")
                continue
            seat = WorkerSlot(address, *there[address][:1], host, there[address][1], cores)
            if wrong := differences(papers, versions):
                faults.append(f"host {seat}: {', '.join(wrong)}")
            else:
                arrived.append(seat)
        firsts = {s.host: s for s in reversed(arrived) if s.host not in self._hosts}
        inspected = {
            host: self._send(seat.address, "play", self._inspection)
            for host, seat in firsts.items()
        }
        for host, answer in inspected.items():
            seat = firsts[host]
            reasons = self._inspected(seat, answer)
            if reasons is None:
                arrived = [one for one in arrived if one is not seat]
            elif reasons:
                faults.append(f"host {seat}: {'; '.join(reasons)}")
                arrived = [one for one in arrived if one.host != host]
            else:
                self._hosts.add(host)
                seat.has.update(self._files)
        for seat in arrived:
            if seat.host not in self._hosts:  # its inspecting worker is gone: look again
                del self._known[seat.address]
        return [seat for seat in arrived if seat.host in self._hosts], faults

    def _inspected(self, seat: WorkerSlot, answer: Future[Any]) -> list[str] | None:
        """Return the faults of a host's engines; None if it went away meanwhile."""
        try:
            kind, content = self._wait(answer, seat.address)
        except _Gone:
            return None
        except Exception as error:
            return [_said(error)]
        if kind != PLAYED:
            return [str(content)]
        return disagreements(content[0][0], self._here, exact=not self._timed)

    def _wait(self, answer: Future[Any], address: str) -> Any:
        """Return an answer; raise _Gone if its worker goes away meanwhile."""
        while True:
            try:
                return answer.result(LOOK)
            except Late:
                if self._connection.workers().get(address, ("",))[0] != self._known[address]:
                    answer.cancel()
                    raise _Gone from None
            except CancelledError:
                raise _Gone from None

    def _send(self, address: str, message: str, *arguments: Any) -> Future[Any]:
        with self._lock:
            self._number += 1
            key = f"{self._run}-{message}-{self._number}"
        return self._connection.send(address, key, message, *arguments)

    def _allot(self) -> None:
        """Share out slots: all threads of every worker, as far as hosts and the user allow."""
        left = self._most if self._most is not None else 1 << 30
        on_host: Counter[str] = Counter()
        for seat in sorted(self._seats.values(), key=_place):
            room = seat.cores - on_host[seat.host] if self._timed else seat.threads
            seat.slots = max(0, min(seat.threads, room, left))
            on_host[seat.host] += seat.slots
            left -= seat.slots
        self.slots = sum(seat.slots for seat in self._seats.values())


class _Gone(Exception):
    """A worker went away."""


def _place(seat: WorkerSlot) -> tuple[str, str]:
    return seat.host, seat.address


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + "s" * (number != 1)


def _said(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or repr(error)
