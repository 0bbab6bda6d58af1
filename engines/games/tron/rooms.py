"""The rooms of a zone on a Tron field, and the doors between them.

A door is an articulation point: a cell without which the rest falls apart. A room is a block: cells
of which no single one cuts the others apart, with the doors at its ends; it is entered through the
head or a door, and a player who goes through one of its doors gives up the rooms behind the others.
Found by depth-first search (Hopcroft and Tarjan 1973); the idea for Tron is a1k0n's (2010).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from joute.engines.games.tron.territory import DARK, Boards, walkable
from joute.engines.games.tron.tron import ONE, Tron
from joute.engines.kernels.compile import Kernel, U, kernel

FIELDS = 9  # words a room: see `rooms_kernel`
ENTRY, BEGIN, TOTAL, DARKS, TIGHT, TWO, THREE, EDGES, FRONTS = (U(i) for i in range(FIELDS))
NONE = U(0xFFFF)
POINT = 1e6  # worths are added up in fixed point, exactly for weights of six decimals


@dataclass(frozen=True)
class Scratch:
    """Where the work of this module lies, in words from the beginning of W.

    Boards here have an empty word before and after, so that a cell has a number 64 higher.
    """

    region: int
    free: int
    fringe: int
    seen: int
    number: int
    low: int
    before: int
    stack: int
    members: int
    best: int
    distance: int
    records: int
    end: int

    @classmethod
    def of(cls, game: Tron, begin: int) -> Scratch:
        """Return the boards from word `begin` on."""
        board, cells = game.parts + 2, 64 * (game.parts + 2)
        region, free, fringe, seen = (begin + i * board for i in range(4))
        number, low, before, stack, members, best = (
            begin + 4 * board + i * cells for i in range(6)
        )
        distance = best + 2 * 4 * cells
        records = distance + cells
        return cls(region, free, fringe, seen, number, low, before, stack, members, best, distance,
                   records, records + FIELDS * cells)  # fmt: skip


@kernel("u8(u8, u8)")
def next_to(cell, way):
    """Return the neighbour of a cell: 0 above, 1 below, 2 left, 3 right."""
    if way == U(0):
        return cell - U(32)
    if way == ONE:
        return cell + U(32)
    if way == U(2):
        return cell - ONE
    return cell + ONE


@kernel("b1(u8[::1], u8, u8)")
def has(W, board, cell):
    """Return whether a board has a cell."""
    return ((W[board + (cell >> U(6))] >> (cell & U(63))) & ONE) != U(0)


@kernel("void(u8[::1], u8, u8)")
def add(W, board, cell):
    """Put a cell on a board."""
    W[board + (cell >> U(6))] |= ONE << (cell & U(63))


def rooms_kernel(game: Tron, boards: Boards, s: Scratch) -> Kernel:
    """Return `rooms(W, at, zone, head) -> count`: list the rooms of a zone, each before its parent.

    A record holds the cell that the room is entered from (the head or a door), where its cells begin
    in `members`, how many there are (the doors to others among them, the entry not), those with x + y
    even, those with at most one, two, three free neighbours (the board must be up to date: `kinds`),
    the sum of all their free neighbours, and the cells on the fringe (that board must be filled).
    Cells have numbers 64 higher here.
    """
    parts, size = game.parts, U(game.parts)
    region, seen, free, fringe = U(s.region), U(s.seen), U(s.free), U(s.fringe)
    number, low, before = U(s.number), U(s.low), U(s.before)
    stack, members, records = U(s.stack), U(s.members), U(s.records)
    kinds_at, fields = U(boards.kinds), U(FIELDS)

    @kernel("void(u8[::1], u8, u8, u8)")
    def describe(W, r, begin, end):
        # Fills in a record, but for its entry.
        for field in range(1, FIELDS):
            W[r + U(field)] = U(0)
        W[r + BEGIN], W[r + TOTAL] = begin, end - begin
        i = begin
        while i < end:
            c = W[members + i]
            i += ONE
            word, bit = (c >> U(6)) - ONE, c & U(63)
            W[r + DARKS] += (DARK >> bit) & ONE
            W[r + TIGHT] += (W[kinds_at + word] >> bit) & ONE
            W[r + TWO] += (W[kinds_at + size + word] >> bit) & ONE
            W[r + THREE] += (W[kinds_at + size + size + word] >> bit) & ONE
            W[r + FRONTS] += (W[fringe + word + ONE] >> bit) & ONE
            for way in range(4):
                W[r + EDGES] += ONE if has(W, free, next_to(c, U(way))) else U(0)

    @kernel("i8(u8[::1], u8, u8, u8)")
    def rooms(W, at, zone, head):
        for k in range(parts):
            W[region + U(k) + ONE] = W[zone + U(k)]
            W[free + U(k) + ONE] = ~W[at + U(k)]
            W[seen + U(k) + ONE] = U(0)
        for k in (0, parts + 1):
            W[region + U(k)], W[free + U(k)], W[seen + U(k)] = U(0), U(0), U(0)
        root = head + U(64)
        clock = ONE
        v = root
        high = U(0)
        listed = U(0)
        made = U(0)
        W[number + v], W[low + v], W[before + v] = clock, clock, NONE
        add(W, seen, v)
        while True:
            tried = W[before + v] >> U(16)
            if tried < U(4):
                W[before + v] += U(1 << 16)
                c = next_to(v, tried)
                if not (has(W, region, c) or c == root):
                    continue
                if not has(W, seen, c):
                    clock += ONE
                    W[number + c], W[low + c], W[before + c] = clock, clock, v
                    add(W, seen, c)
                    W[stack + high] = c
                    high += ONE
                    v = c
                elif c != W[before + v] & U(0xFFFF):
                    W[low + v] = min(W[low + v], W[number + c])
                continue
            if v == root:
                break
            above = W[before + v] & U(0xFFFF)
            W[low + above] = min(W[low + above], W[low + v])
            if W[low + v] >= W[number + above]:  # a room, entered from the cell above
                begin = listed
                while True:
                    high -= ONE
                    c = W[stack + high]
                    W[members + listed] = c
                    listed += ONE
                    if c == v:
                        break
                r = records + made * fields
                describe(W, r, begin, listed)
                W[r + ENTRY] = above
                made += ONE
            v = above
        return np.int64(made)

    return rooms


def best_walk_kernel(game: Tron, boards: Boards, s: Scratch) -> Kernel:
    """Return `best_walk(W, at, zone, head, parity, w1, w2, w3, w4)`: the worth of the best way through
    the rooms of a zone, the cells weighted by their free neighbours, every room capped by parity."""
    rooms, room = rooms_kernel(game, boards, s), U(64 * (game.parts + 2))
    records, members, best, fields = U(s.records), U(s.members), U(s.best), U(FIELDS)

    @kernel("f8(u8[::1], u8, u8, u8, f8, f8, f8, f8, f8)")
    def best_walk(W, at, zone, head, parity, w1, w2, w3, w4):
        made = rooms(W, at, zone, head)
        for i in range(room):  # of each cell: the best of the rooms entered from it
            W[best + U(i)] = U(0)
        for i in range(made):
            r = records + U(i) * fields
            total, dark = np.int64(W[r + TOTAL]), np.int64(W[r + DARKS])
            tight, two = np.int64(W[r + TIGHT]), np.int64(W[r + TWO])
            three = np.int64(W[r + THREE])
            worth = w1 * tight + w2 * two + w3 * three + w4 * (total - tight - two - three)
            if parity != 0.0:
                light = total - dark
                if (DARK >> (W[r + ENTRY] & U(63))) & ONE:
                    worth *= np.float64(walkable(light, dark)) / np.float64(total)
                else:
                    worth *= np.float64(walkable(dark, light)) / np.float64(total)
            beyond = U(0)
            for k in range(total):
                beyond = max(beyond, W[best + W[members + W[r + BEGIN] + U(k)]])
            value, entry = U(np.int64(worth * POINT + 0.5)) + beyond, W[r + ENTRY]
            W[best + entry] = max(W[best + entry], value)
        return np.float64(W[best + head + U(64)]) / POINT

    return best_walk
