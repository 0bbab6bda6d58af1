"""In-flight marker of a worker: its task and seating, whose turn it is, and the moves so far.

Kept in memory, or, for a worker that may crash, in a mapped file that is readable afterwards.
Layout of the file: number of the task, seating, ply, seat, bytes of the moves, seconds of CPU time
that the turn may take (0: any number); then the moves, each a line with action and outcome, which may
be numbers of any length.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import struct
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

HEAD = struct.Struct("<qqqqqq")
SIZE = 1 << 17
IDLE = -1
HEARD = "heard"  # file name of the parent's confirmation
PATIENCE = 5.0  # seconds that a careful process waits


class Doing(NamedTuple):
    """State of a worker: the task (IDLE if none), seating, ply, seat and moves so far."""

    task: int
    seating: int
    ply: int
    seat: int
    moves: list[tuple[int, int]]


class InFlight:
    """A marker that writes nothing: for a process whose death is not investigated."""

    def idle(self) -> None:
        """Mark that nothing is being played."""

    def game(self, task: int, seating: int) -> None:
        """Mark which game starts."""

    def turn(self, ply: int, seat: int, seconds: int = 0) -> None:
        """Mark whose turn it is, and how much CPU time it may take at most, if that is known."""

    def moved(self, action: int, outcome: int) -> None:
        """Note a move."""


class MappedInFlight(InFlight):
    """The same in a file of this process, in a folder that its parent reads."""

    def __init__(self, folder: str | Path) -> None:
        path = Path(folder) / f"{os.getpid()}.inflight"
        with open(path, "w+b") as file:
            try:
                reserve(file.fileno(), SIZE)
                self._map = mmap.mmap(file.fileno(), SIZE)
            except OSError as error:
                raise OSError(error.errno, error.strerror, str(folder)) from None
        self.task = self.seating = IDLE
        self._used = 0
        self.idle()

    def idle(self) -> None:
        """Mark that nothing is being played."""
        HEAD.pack_into(self._map, 0, IDLE, 0, 0, 0, 0, 0)

    def game(self, task: int, seating: int) -> None:
        """Mark which game starts."""
        self.task, self.seating, self._used = task, seating, 0

    def turn(self, ply: int, seat: int, seconds: int = 0) -> None:
        """Mark whose turn it is, and how much CPU time it may take at most, if that is known."""
        HEAD.pack_into(self._map, 0, self.task, self.seating, ply, seat, self._used, seconds)

    def moved(self, action: int, outcome: int) -> None:
        """Note a move."""
        line = b"%d %d\n" % (action, outcome)
        at = HEAD.size + self._used
        if at + len(line) <= SIZE:
            self._map[at : at + len(line)] = line
            self._used += len(line)


class CarefulInFlight(MappedInFlight):
    """A marker whose turns begin only when the parent has passed them on: a turn may kill the
    parent too.
    """

    def __init__(self, folder: str | Path) -> None:
        self._heard = Path(folder) / HEARD
        super().__init__(folder)

    def turn(self, ply: int, seat: int, seconds: int = 0) -> None:
        """Mark whose turn it is, and wait until the parent has read it."""
        super().turn(ply, seat, seconds)
        limit = time.monotonic() + PATIENCE
        while time.monotonic() < limit:
            with contextlib.suppress(OSError):
                if self._heard.read_text() == turn_text(self.task, self.seating, ply):
                    return
            time.sleep(0.002)


def reserve(fd: int, size: int) -> None:
    """Give a new file its size, and its place on the disk, where the system can: else a write to its
    mapping on a disk that is full by then kills the process (SIGBUS), and an engine would be blamed.
    """
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(fd, 0, size)
    else:
        os.truncate(fd, size)


def turn_text(task: int, seating: int, ply: int) -> str:
    """Return the text that identifies a turn."""
    return f"{task} {seating} {ply}"


def hear(folder: str | Path, doing: Sequence[Doing]) -> None:
    """Confirm to a careful process that its state was passed on."""
    for one in doing:
        part = Path(folder) / f"{HEARD}.part"
        part.write_text(turn_text(one.task, one.seating, one.ply))
        part.replace(Path(folder) / HEARD)


def read_files(folder: str | Path) -> list[Doing]:
    """Return the last state of every worker that ever wrote to the folder; idle ones are left out."""
    records = []
    for path in sorted(Path(folder).glob("*.inflight")):
        data = path.read_bytes()
        if len(data) < SIZE:
            continue
        task, seating, ply, seat, used, _ = HEAD.unpack_from(data)
        if task == IDLE:
            continue
        lines = data[HEAD.size : HEAD.size + used].splitlines()
        moves = [(int(action), int(outcome)) for action, outcome in map(bytes.split, lines)]
        records.append(Doing(task, seating, ply, seat, moves))
    return records


def turn_of(folder: str | Path, worker: int) -> tuple[bytes, int]:
    """Return what tells the turn of a worker from its others, and the seconds of CPU time that it may
    take: 0 for any number, and where nothing is known.
    """
    try:
        with open(Path(folder) / f"{worker}.inflight", "rb") as file:
            head = file.read(HEAD.size)
    except OSError:
        return b"", 0
    if len(head) < HEAD.size or HEAD.unpack(head)[0] == IDLE:
        return b"", 0
    return head, HEAD.unpack(head)[-1]


def clear_files(folder: str | Path) -> None:
    """Delete the files of dead workers."""
    for path in Path(folder).glob("*.inflight"):
        path.unlink(missing_ok=True)
