"""A worker's slot: a small shared file that says what the worker is doing, readable after its death.

Layout: number of the task, seating, ply, seat, number of moves, then the moves (action, outcome).
"""

from __future__ import annotations

import mmap
import os
import struct
from pathlib import Path
from typing import NamedTuple

HEAD = struct.Struct("<qqqqq")
MOVE = struct.Struct("<qq")
MAX_MOVES = 4000
SIZE = HEAD.size + MOVE.size * MAX_MOVES
IDLE = -1


class Doing(NamedTuple):
    """What a slot says: the task (IDLE if none), seating, ply, seat and moves so far."""

    task: int
    seating: int
    ply: int
    seat: int
    moves: list[tuple[int, int]]


class Slot:
    """The slot of this process, in a folder shared with the parent."""

    def __init__(self, folder: str | Path) -> None:
        path = Path(folder) / f"{os.getpid()}.slot"
        with open(path, "w+b") as file:
            file.truncate(SIZE)
            self._map = mmap.mmap(file.fileno(), SIZE)
        self.task = self.seating = IDLE
        self._moves = 0
        self.idle()

    def idle(self) -> None:
        """Say that no game is being played."""
        HEAD.pack_into(self._map, 0, IDLE, 0, 0, 0, 0)

    def game(self, task: int, seating: int) -> None:
        """Say which game starts."""
        self.task, self.seating, self._moves = task, seating, 0

    def turn(self, ply: int, seat: int) -> None:
        """Say whose turn it is."""
        HEAD.pack_into(self._map, 0, self.task, self.seating, ply, seat, self._moves)

    def moved(self, action: int, outcome: int) -> None:
        """Note a move."""
        if self._moves < MAX_MOVES:
            MOVE.pack_into(
                self._map, HEAD.size + MOVE.size * self._moves, int(action), int(outcome)
            )
            self._moves += 1


def read_slots(folder: str | Path) -> list[Doing]:
    """Return what every worker that ever wrote to the folder was doing last, the idle ones left out."""
    found = []
    for path in sorted(Path(folder).glob("*.slot")):
        data = path.read_bytes()
        if len(data) < SIZE:
            continue
        task, seating, ply, seat, count = HEAD.unpack_from(data)
        if task == IDLE:
            continue
        moves = [MOVE.unpack_from(data, HEAD.size + MOVE.size * i) for i in range(count)]
        found.append(Doing(task, seating, ply, seat, moves))
    return found


def clear_slots(folder: str | Path) -> None:
    """Forget what dead workers were doing."""
    for path in Path(folder).glob("*.slot"):
        path.unlink(missing_ok=True)
