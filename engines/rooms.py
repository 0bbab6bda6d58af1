"""The rooms of a zone on a Tron field: what lies behind which door.

A door is an articulation point: a cell without which the rest falls apart. A room is the cells that
hang together without passing a door, with the doors at its ends; it is entered through the head or a
door, and who goes on through one of its doors gives up what lies behind the others. Articulation
points by depth-first search (Tarjan 1972); the idea for Tron is a1k0n's (2010).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.games.tron import ONE, Tron
from engines.kernels import Kernel, U, Words, kernel
from engines.territory import DARK, Places, walkable

FIELDS = 9  # words a room: see `rooms_kernel`
PARENT, TOTAL, DARKS, TIGHT, TWO, THREE, EDGES, FRONTS, ENTRY = (U(i) for i in range(FIELDS))
NONE = U(0xFFFF)
POINT = 1048576.0  # worths are added up in fixed point


@dataclass(frozen=True)
class Scratch:
    """Where the work of this module lies, in words from the beginning of W.

    Boards here have an empty word before and after, so that a cell has a number 64 higher.
    """

    region: int
    free: int
    fringe: int
    seen: int
    doors: int
    number: int
    low: int
    before: int
    queue: int
    records: int
    best: int
    end: int

    @classmethod
    def of(cls, game: Tron, begin: int) -> Scratch:
        """Return the places from word `begin` on."""
        board, cells = game.parts + 2, 64 * (game.parts + 2)
        region, free, fringe, seen, doors = (begin + i * board for i in range(5))
        number, low, before, queue, records = (begin + 5 * board + i * cells for i in range(5))
        best = records + FIELDS * cells
        end = best + 4 * cells
        return cls(region, free, fringe, seen, doors, number, low, before, queue, records, best, end)


@kernel("u8(u8, u8)")
def next_to(cell: np.uint64, way: np.uint64) -> np.uint64:
    """Return the neighbour of a cell: 0 above, 1 below, 2 left, 3 right."""
    if way == U(0):
        return cell - U(32)
    if way == ONE:
        return cell + U(32)
    if way == U(2):
        return cell - ONE
    return cell + ONE


@kernel("b1(u8[::1], u8, u8)")
def has(W: Words, board: np.uint64, cell: np.uint64) -> bool:
    """Return whether a board has a cell."""
    return ((W[board + (cell >> U(6))] >> (cell & U(63))) & ONE) != U(0)  # type: ignore[no-any-return]


@kernel("void(u8[::1], u8, u8)")
def add(W: Words, board: np.uint64, cell: np.uint64) -> None:
    """Put a cell on a board."""
    W[board + (cell >> U(6))] |= ONE << (cell & U(63))


def doors_kernel(game: Tron, s: Scratch) -> Kernel:
    """Return `doors(W, root)`: mark the articulation points of the region, its root left out."""
    parts = game.parts
    region, seen, doors_at = U(s.region), U(s.seen), U(s.doors)
    number, low, before = U(s.number), U(s.low), U(s.before)

    @kernel("void(u8[::1], u8)")
    def doors(W: Words, root: np.uint64) -> None:
        for k in range(parts + 2):
            W[seen + U(k)], W[doors_at + U(k)] = U(0), U(0)
        clock, v = ONE, root
        W[number + v], W[low + v], W[before + v] = clock, clock, NONE
        add(W, seen, v)
        while True:
            tried = W[before + v] >> U(16)
            if tried < U(4):
                W[before + v] += U(1 << 16)
                c = next_to(v, tried)
                if not has(W, region, c):
                    continue
                if not has(W, seen, c):
                    clock += ONE
                    W[number + c], W[low + c], W[before + c] = clock, clock, v
                    add(W, seen, c)
                    v = c
                elif c != W[before + v] & U(0xFFFF):
                    W[low + v] = min(W[low + v], W[number + c])
            else:
                if v == root:
                    break
                above = W[before + v] & U(0xFFFF)
                W[low + above] = min(W[low + above], W[low + v])
                if W[low + v] >= W[number + above] and above != root:
                    add(W, doors_at, above)
                v = above

    return doors


def rooms_kernel(game: Tron, places: Places, s: Scratch) -> Kernel:
    """Return `rooms(W, at, zone, head) -> count`: list the rooms of a zone, each after its parent.

    A record holds: number of the parent room (NONE at the head), cells (the doors at its ends among
    them, not the cell it is entered from), cells with x + y even, cells with at most one, two, three
    free neighbours (the board must be up to date: `kinds`), the sum of all their free neighbours,
    cells on the fringe (the board must be filled), and the cell it is entered from.
    """
    parts, size = game.parts, U(game.parts)
    doors = doors_kernel(game, s)
    region, seen, doors_at, free = U(s.region), U(s.seen), U(s.doors), U(s.free)
    fringe, queue, entries, owner = U(s.fringe), U(s.queue), U(s.number), U(s.low)
    records, kinds_at, fields = U(s.records), U(places.kinds), U(FIELDS)

    @kernel("i8(u8[::1], u8, u8, u8)")
    def rooms(W: Words, at: np.uint64, zone: np.uint64, head: np.uint64) -> np.int64:
        for k in range(parts):
            W[region + U(k) + ONE] = W[zone + U(k)]
            W[free + U(k) + ONE] = ~W[at + U(k)]
        for k in (0, parts + 1):
            W[region + U(k)], W[free + U(k)] = U(0), U(0)
        root = head + U(64)
        add(W, region, root)
        doors(W, root)
        for k in range(parts + 2):
            W[seen + U(k)] = U(0)
        add(W, seen, root)
        W[entries], W[owner] = root, NONE
        waiting: Any = U(0)
        last: Any = ONE
        made: Any = U(0)
        while waiting < last:
            entry, parent = W[entries + waiting], W[owner + waiting]
            waiting += ONE
            for way in range(4):
                begin = next_to(entry, U(way))
                if not has(W, region, begin) or has(W, seen, begin):
                    continue
                r = records + made * fields
                for field in range(FIELDS):
                    W[r + U(field)] = U(0)
                W[r + PARENT], W[r + ENTRY] = parent, entry
                W[queue] = begin
                add(W, seen, begin)
                i: Any = U(0)
                n: Any = ONE
                while i < n:
                    c = W[queue + i]
                    i += ONE
                    word, bit = (c >> U(6)) - ONE, c & U(63)
                    W[r + TOTAL] += ONE
                    W[r + DARKS] += (DARK >> bit) & ONE
                    W[r + TIGHT] += (W[kinds_at + word] >> bit) & ONE
                    W[r + TWO] += (W[kinds_at + size + word] >> bit) & ONE
                    W[r + THREE] += (W[kinds_at + size + size + word] >> bit) & ONE
                    W[r + FRONTS] += (W[fringe + word + ONE] >> bit) & ONE
                    door = has(W, doors_at, c)
                    if door:
                        W[entries + last], W[owner + last] = c, made
                        last += ONE
                    for turn in range(4):
                        d = next_to(c, U(turn))
                        W[r + EDGES] += U(1) if has(W, free, d) else U(0)
                        if not door and has(W, region, d) and not has(W, seen, d):
                            add(W, seen, d)
                            W[queue + n] = d
                            n += ONE
                made += ONE
        return np.int64(made)

    return rooms


def best_walk_kernel(game: Tron, places: Places, s: Scratch) -> Kernel:
    """Return `best_walk(W, at, zone, head, parity, w1, w2, w3, w4)`: the worth of the best way through
    the rooms of a zone, the cells weighted by their free neighbours, every room capped by parity."""
    rooms = rooms_kernel(game, places, s)
    records, best, fields = U(s.records), U(s.best), U(FIELDS)

    @kernel("f8(u8[::1], u8, u8, u8, f8, f8, f8, f8, f8)")
    def best_walk(
        W: Words,
        at: np.uint64,
        zone: np.uint64,
        head: np.uint64,
        parity: np.float64,
        w1: np.float64,
        w2: np.float64,
        w3: np.float64,
        w4: np.float64,
    ) -> np.float64:
        made = rooms(W, at, zone, head)
        most = np.int64(0)
        for i in range(made):
            W[best + U(i)] = U(0)
        for back in range(made):
            k: Any = U(made - 1 - back)
            r = records + k * fields
            total, dark = np.int64(W[r + TOTAL]), np.int64(W[r + DARKS])
            tight, two, three = (
                np.int64(W[r + TIGHT]),
                np.int64(W[r + TWO]),
                np.int64(W[r + THREE]),
            )
            worth = w1 * tight + w2 * two + w3 * three + w4 * (total - tight - two - three)
            if parity != 0.0:
                light = total - dark
                if (DARK >> (W[r + ENTRY] & U(63))) & ONE:
                    worth *= np.float64(walkable(light, dark)) / np.float64(total)
                else:
                    worth *= np.float64(walkable(dark, light)) / np.float64(total)
            value = np.int64(worth * POINT) + np.int64(W[best + k])
            parent = W[r + PARENT]
            if parent == NONE:
                most = max(most, value)
            elif value > np.int64(W[best + parent]):
                W[best + parent] = U(value)
        return np.float64(most) / POINT  # type: ignore[return-value]

    return best_walk
