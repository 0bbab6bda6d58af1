"""The rooms of a zone on a Tron field, and the doors between them.

A door is an articulation point: a cell without which the rest falls apart. A room is a block: cells
of which no single one cuts the others apart, with the doors at its ends; it is entered through the
head or a door, and a player who goes through one of its doors gives up the rooms behind the others.
Found by depth-first search (Hopcroft and Tarjan 1973); the idea for Tron is a1k0n's (2010).

The search goes over few nodes. A cell whose neighbours are joined around it, by the eight cells beside
it, is no door; cells like that which touch lie in one room, and are one node, a hall. Boards tell both
for all cells at once. The other cells, the narrow ones, are nodes of their own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from joute.engines.games.tron.territory import DARK, Boards, along, beside, walk_from
from joute.engines.games.tron.tron import ONE, Tron
from joute.engines.kernels.bits import lowest, popcount
from joute.engines.kernels.compile import Kernel, U, kernel

FIELDS = 8  # words a room: see `rooms_kernel`
ENTRY, BEGIN, END, TOTAL, DARKS, TIGHT, TWO, THREE = (U(i) for i in range(8))
EDGES, FRONTS = TIGHT, TWO  # in the place of the numbers of free neighbours
NONE = U(0xFFFF)
POINT = 1e6  # worths are added up in fixed point, exactly for weights of six decimals


@dataclass(frozen=True)
class Scratch:
    """Where the work of this module lies, in words from the beginning of W.

    Boards here have an empty word before and after, so that a cell has a number 64 higher. A hall has
    two cells or more, and as a node a number beyond those of the cells.
    """

    region: int
    free: int
    fringe: int
    left: int
    narrow: int
    wide: int
    doors: int
    block: int
    front: int
    number: int
    low: int
    before: int
    stack: int
    ways: int
    best: int
    distance: int
    records: int
    halls: int
    end: int

    @classmethod
    def of(cls, game: Tron, begin: int) -> Scratch:
        """Return the boards, of cells and nodes (cells and halls) the lists, from word `begin` on."""
        board, cells = game.parts + 2, 64 * (game.parts + 2)
        region, free, fringe, left, narrow, wide, doors, block, front = (
            begin + i * board for i in range(9)
        )
        number, low, before, stack = (front + board + i * 2 * cells for i in range(4))
        ways = stack + 2 * cells
        best = ways + cells
        distance = best + 2 * cells
        records = distance + cells
        halls = records + FIELDS * cells
        end = halls + board * cells // 2
        return cls(
            region, free, fringe, left, narrow, wide, doors, block, front, number, low, before, stack,
            ways, best, distance, records, halls, end,
        )  # fmt: skip


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


def nodes_kernel(game: Tron, s: Scratch) -> Kernel:
    """Return `sort(W, root)`: sort the cells of the region, the root among them, into narrow and wide.

    Narrow are the root, cells whose neighbours are not all joined by cells beside it, and wide ones
    that would be alone.
    """
    parts = game.parts
    region, narrow, wide = U(s.region), U(s.narrow), U(s.wide)

    @kernel("void(u8[::1], u8)")
    def sort(W, root):
        before, word = U(0), W[region + ONE]
        for i in range(parts):
            k = U(i) + ONE
            after = W[region + k + ONE]
            up, down = (word << U(32)) | (before >> U(32)), (word >> U(32)) | (after << U(32))
            left, right = word << ONE, word >> ONE
            # Neighbours, clockwise, that are not joined to the next one by the corner between them.
            a, b = up & ~((up >> ONE) & right), right & ~((down >> ONE) & down)
            c, d = down & ~((down << ONE) & left), left & ~((up << ONE) & up)
            cut = word & ((a & b) | (c & d) | ((a | b) & (c | d)))
            W[narrow + k], W[wide + k] = cut, word & ~cut
            before, word = word, after
        bit = ONE << (root & U(63))
        W[narrow + (root >> U(6))] |= bit
        W[wide + (root >> U(6))] &= ~bit
        for i in range(parts):
            k = U(i) + ONE
            word = W[wide + k]
            alone = word & ~beside(W[wide + k - ONE], word, W[wide + k + ONE])
            W[narrow + k] |= alone
            W[wide + k] = word & ~alone

    return sort


def hall_kernel(game: Tron, s: Scratch) -> Kernel:
    """Return `fill(W, hall, seed)`: fill a board with the wide cells joined to a wide cell."""
    parts, wide = game.parts, U(s.wide)

    @kernel("void(u8[::1], u8, u8)")
    def fill(W, hall, seed):
        for k in range(parts + 2):
            W[hall + U(k)] = U(0)
        add(W, hall, seed)
        growing = True
        while growing:
            growing = False
            for i in range(2 * parts):  # down, then up
                k = U(i + 1) if i < parts else U(2 * parts - i)
                word, mask = W[hall + k], W[wide + k]
                new = beside(W[hall + k - ONE], word, W[hall + k + ONE]) & mask & ~word
                if new:
                    W[hall + k] = along(word | new, mask)
                    growing = True

    return fill


def rooms_kernel(game: Tron, boards: Boards, s: Scratch, weighed: bool) -> Kernel:
    """Return `rooms(W, at, zone, head) -> count`: list the rooms of a zone, each before its parent.

    A record holds the cell that the room is entered from (the head or a door), where the doors to
    others among its cells begin and end in `ways`, how many cells there are (the doors among them, the
    entry not), and those with x + y even. If `weighed`, it goes on with those with at most one, two, three
    free neighbours (the boards must be up to date: `kinds`); else with the sum of all their free
    neighbours and the cells on the fringe (that board must be filled). Cells have numbers 64 higher.
    """
    parts, size = game.parts, U(game.parts)
    board, cells = U(game.parts + 2), U(64 * (game.parts + 2))
    region, left, free, fringe = U(s.region), U(s.left), U(s.free), U(s.fringe)
    narrow, wide, doors, block = U(s.narrow), U(s.wide), U(s.doors), U(s.block)
    number, low, before, stack = U(s.number), U(s.low), U(s.before), U(s.stack)
    ways, records, halls = U(s.ways), U(s.records), U(s.halls)
    kinds_at, fields = U(boards.kinds), U(FIELDS)
    sort, fill = nodes_kernel(game, s), hall_kernel(game, s)

    @kernel("void(u8[::1], u8, u8, u8)")
    def describe(W, r, first, last):
        # Counts the cells of a record on the board `block`, between two words, and clears it.
        total, dark = np.int64(0), np.int64(0)
        a, b, c = np.int64(0), np.int64(0), np.int64(0)
        k = first
        while k <= last:
            word = W[block + k]
            W[block + k] = U(0)
            total += popcount(word)
            dark += popcount(word & DARK)
            if weighed:
                kind = kinds_at + k - ONE
                a += popcount(word & W[kind])
                b += popcount(word & W[kind + size])
                c += popcount(word & W[kind + size + size])
            else:
                here = W[free + k]
                up = (here << U(32)) | (W[free + k - ONE] >> U(32))
                down = (here >> U(32)) | (W[free + k + ONE] << U(32))
                a += popcount(word & up) + popcount(word & down)
                a += popcount(word & (here << ONE)) + popcount(word & (here >> ONE))
                b += popcount(word & W[fringe + k])
            k += ONE
        W[r + TOTAL], W[r + DARKS] = U(total), U(dark)
        W[r + TIGHT], W[r + TWO], W[r + THREE] = U(a), U(b), U(c)

    @kernel("u8(u8[::1], u8, u8)")
    def number_of(W, cell, found):
        # The number of the node that a cell belongs to; a wide one is in one of the halls found.
        if has(W, narrow, cell):
            return W[number + cell]
        hall = found - ONE
        while not has(W, halls + hall * board, cell):
            hall -= ONE
        return W[number + cells + hall]

    @kernel("void(u8[::1], u8, u8, u8, u8)")
    def arrive(W, v, above, clock, found):
        # Number a node, and look how far up its neighbours reach.
        least = clock
        if v < cells:
            W[left + (v >> U(6))] &= ~(ONE << (v & U(63)))
            for way in range(4):
                c = next_to(v, U(way))
                if has(W, region, c) and not has(W, left, c):
                    least = min(least, number_of(W, c, found))
        else:
            hall = halls + (v - cells) * board
            for i in range(parts):
                k = U(i) + ONE
                word = W[hall + k]
                W[left + k] &= ~word
                near = beside(W[hall + k - ONE], word, W[hall + k + ONE])
                near &= W[narrow + k] & ~W[left + k]
                while near:
                    least = min(least, W[number + (k << U(6)) + lowest(near)])
                    near &= near - ONE
        W[number + v], W[low + v], W[before + v] = clock, least, above

    @kernel("u8(u8[::1], u8)")
    def onward(W, v):
        # A neighbour that has not been reached, or 0.
        if v < cells:
            for way in range(4):
                c = next_to(v, U(way))
                if has(W, left, c):
                    return c
            return U(0)
        hall = halls + (v - cells) * board
        for i in range(parts):
            k = U(i) + ONE
            near = beside(W[hall + k - ONE], W[hall + k], W[hall + k + ONE])
            near &= W[narrow + k] & W[left + k]
            if near:
                return (k << U(6)) + lowest(near)
        return U(0)

    # Called, not inlined: for each player it would be compiled anew.
    @kernel("i8(u8[::1], u8, u8, u8)", inline=False)
    def rooms(W, at, zone, head):
        root = head + U(64)
        for k in range(parts + 2):
            W[region + U(k)], W[free + U(k)] = U(0), U(0)
            W[narrow + U(k)], W[wide + U(k)] = U(0), U(0)
            W[doors + U(k)], W[block + U(k)] = U(0), U(0)
        for k in range(parts):
            W[region + U(k) + ONE], W[free + U(k) + ONE] = W[zone + U(k)], ~W[at + U(k)]
        add(W, region, root)
        for k in range(parts + 2):
            W[left + U(k)] = W[region + U(k)]
        sort(W, root)
        clock, found, high, listed, made = ONE, U(0), U(0), U(0), U(0)
        v = root
        arrive(W, v, NONE, clock, found)
        while True:
            c = onward(W, v)
            if c:
                if has(W, wide, c):
                    fill(W, halls + found * board, c)
                    c = cells + found
                    found += ONE
                clock += ONE
                arrive(W, c, v, clock, found)
                W[stack + high] = c
                high += ONE
                v = c
                continue
            if v == root:
                break
            above = W[before + v]
            W[low + above] = min(W[low + above], W[low + v])
            # A room, entered from the cell above: no cell of a hall is a door.
            if above < cells and W[low + v] >= W[number + above]:
                r = records + made * fields
                W[r + BEGIN] = listed
                first, last = size, ONE
                while True:
                    high -= ONE
                    c = W[stack + high]
                    if c >= cells:
                        for k in range(1, parts + 1):
                            W[block + U(k)] |= W[halls + (c - cells) * board + U(k)]
                        first, last = ONE, size
                    else:
                        add(W, block, c)
                        first, last = min(first, c >> U(6)), max(last, c >> U(6))
                        if has(W, doors, c):
                            W[ways + listed] = c
                            listed += ONE
                    if c == v:
                        break
                W[r + ENTRY], W[r + END] = above, listed
                describe(W, r, first, last)
                add(W, doors, above)
                made += ONE
            v = above
        return np.int64(made)

    return rooms


def best_walk_kernel(game: Tron, boards: Boards, s: Scratch) -> Kernel:
    """Return `best_walk(W, at, zone, head, parity, w1, w2, w3, w4)`: the worth of the best way through
    the rooms of a zone, the cells weighted by their free neighbours, every room capped by parity."""
    rooms, fields = rooms_kernel(game, boards, s, weighed=True), U(FIELDS)
    records, ways, best = U(s.records), U(s.ways), U(s.best)

    @kernel("f8(u8[::1], u8, u8, u8, f8, f8, f8, f8, f8)")
    def best_walk(W, at, zone, head, parity, w1, w2, w3, w4):
        made = rooms(W, at, zone, head)
        W[best + head + U(64)] = U(0)  # of each door: the best of the rooms entered from it
        for i in range(made):
            W[best + W[records + U(i) * fields + ENTRY]] = U(0)
        for i in range(made):
            r = records + U(i) * fields
            total, dark = np.int64(W[r + TOTAL]), np.int64(W[r + DARKS])
            tight, two = np.int64(W[r + TIGHT]), np.int64(W[r + TWO])
            three = np.int64(W[r + THREE])
            worth = w1 * tight + w2 * two + w3 * three + w4 * (total - tight - two - three)
            if parity != 0.0:
                worth *= np.float64(walk_from(W[r + ENTRY], total, dark)) / np.float64(total)
            beyond, k = U(0), W[r + BEGIN]
            while k < W[r + END]:
                beyond = max(beyond, W[best + W[ways + k]])
                k += ONE
            value, entry = U(np.int64(worth * POINT + 0.5)) + beyond, W[r + ENTRY]
            W[best + entry] = max(W[best + entry], value)
        return np.float64(W[best + head + U(64)]) / POINT

    return best_walk
