"""`chambers`: the tree of rooms behind articulation points, as a1k0n's winning bot of 2010 valued it.

Each player's zone falls into rooms (`rooms.py`). Seen from a room, every door leads to what its
rooms are worth, valued first; of the doors the one with most steps counts, if it has more than the room
itself. Where no cell behind a door touches foreign ground, the steps are those behind it and those of
the room on the way to it, and both areas count; where one does, the player would hurry to the border:
the steps are those behind it and the way to the door, and the area behind the door alone counts. (In
the original a way to the border counts even if it is shorter than the room. There cells at equal
distance are nobody's; here they are the mover's and hang at the border as rooms of one cell, for which
whole areas would be forgotten.) The value of the area is
k1 * (1 if it touches foreign ground + cells that a walk can fill) + k2 * free neighbours of its cells.

Source: a1k0n, "Google AI Challenge post-mortem" (2010), with k1 = 55 and k2 = 194 from a regression
over 11,691 games. Here, as moves are sequential, a cell at equal distance belongs to who moves first,
and with players apart (no foreign ground in reach of anybody) a cell that can be filled counts 10,000.
"""

from __future__ import annotations

import numpy as np

from joute.engines.evaluation import Evaluation
from joute.engines.game import Game
from joute.engines.games.tron.rooms import (
    BEGIN,
    DARKS,
    EDGES,
    END,
    ENTRY,
    FIELDS,
    FRONTS,
    TOTAL,
    Scratch,
    rooms_kernel,
)
from joute.engines.games.tron.territory import (
    DARK,
    Boards,
    beside,
    flood_kernel,
    grow_kernel,
    kinds_kernel,
    pick,
    returns_kernel,
    walk_from,
)
from joute.engines.games.tron.tron import NOWHERE, ONE, Tron
from joute.engines.kernels.arithmetic import logistic
from joute.engines.kernels.bits import lowest, popcount
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import Offsets, places, rule
from joute.engines.parameter import Parameter

WALK, AROUND, CELLS = U(48), U(32), U(16)  # where a word of `tree_kernel` holds walk, edges, cells
PLAIN = U(1 << 63)
APART = 10_000.0  # of a cell that can be filled, where no player can meet another


class Chambers(Evaluation):
    """a1k0n's evaluation, for any number of players."""

    name = "chambers"
    summary = "Tron: a1k0n's tree of rooms behind articulation points, fillable cells and edges"
    games = ("tron",)
    parameters = (
        Parameter(
            "k1",
            "float",
            55.0,
            0.0,
            1000.0,
            meaning="value of a cell that can be filled, and of touching foreign ground",
            source="a1k0n 2010: 55",
        ),
        Parameter(
            "k2",
            "float",
            194.0,
            0.0,
            1000.0,
            meaning="value of a free neighbour of an own cell",
            source="a1k0n 2010: 194",
        ),
        Parameter(
            "fillable",
            "choice",
            "on",
            choices=("off", "on"),
            meaning="count the cells that a walk alternating colours can fill, or all cells",
            source="a1k0n 2010: on",
        ),
        Parameter(
            "spread",
            "float",
            20_000.0,
            100.0,
            1_000_000.0,
            log=True,
            meaning="lead that a search counts as a return of 0.73",
        ),
    )
    scale = 20_000.0

    def build(self, game: Game, base: int) -> list[Kernel]:
        """Return the kernels."""
        assert isinstance(game, Tron)
        at, boards = places(self.parameters, base), Boards.of(game)
        areas = areas_kernel(game, boards, Scratch.of(game, boards.end), at)
        players, meta, spread = game.players, game.state.meta, at.spread

        @kernel("f8(f8, f8, f8[::1])")
        def outlives(own, other, P):
            return logistic((own - other) / P[spread])

        @rule
        def value(W, at, P):
            a, b, c, d = areas(W, at, P)
            mover = W[at + meta] & U(15)
            rest = 0.0
            for i in range(players):
                if U(i) != mover:
                    rest = max(rest, pick(a, b, c, d, U(i)))
            return pick(a, b, c, d, mover) - rest

        @rule
        def values(W, at, P, R, to):
            a, b, c, d = areas(W, at, P)
            for i in range(players):
                R[to + U(i)] = max(pick(a, b, c, d, U(i)), 0.0)

        return [value, values, returns_kernel(game, areas, outlives)]

    def scratch(self, game: Game) -> int:
        """Return the room for zones and for the tree of rooms."""
        assert isinstance(game, Tron)
        return Scratch.of(game, Boards.of(game).end).end


def distance_kernel(game: Tron, s: Scratch) -> Kernel:
    """Return `distances(W, root)`: how far every door of the region is from its root."""
    parts, doors, region, distance = game.parts, U(s.doors), U(s.region), U(s.distance)
    front, unclaimed, claimed = U(s.front), U(s.left), U(s.block)
    grow = grow_kernel(parts)

    @kernel("void(u8[::1], u8)")
    def distances(W, root):
        sought = np.int64(0)
        for k in range(parts + 2):
            W[front + U(k)], W[unclaimed + U(k)] = U(0), W[region + U(k)]
            sought += popcount(W[doors + U(k)])
        word, bit = root >> U(6), ONE << (root & U(63))
        sought -= np.int64(1 if W[doors + word] & bit else 0)
        W[front + word], W[unclaimed + word] = bit, W[unclaimed + word] & ~bit
        span, steps = (word - ONE) | ((word - ONE) << U(8)), U(0)
        while sought > 0:
            low, high = span & U(255), span >> U(8)
            span = grow(W, front + ONE, unclaimed + ONE, claimed + ONE, low, high)
            steps += ONE
            for i in range(parts):
                k = U(i) + ONE
                here = W[front + k] & W[doors + k]
                while here:
                    W[distance + (k << U(6)) + lowest(here)] = steps
                    here &= here - ONE
                    sought -= 1

    return distances


def tree_kernel(game: Tron, boards: Boards, s: Scratch) -> Kernel:
    """Return `tree(W, at, zone, head) -> (cells, those a walk can fill, edges, front)` of the best way.

    The cells on the fringe board touch foreign ground. Of ways that allow equal steps the one counts
    without a front, then with the longest walk behind its door, most edges, most cells.
    """
    rooms = rooms_kernel(game, boards, s, weighed=False)
    distances = distance_kernel(game, s)
    records, ways, distance, fields = U(s.records), U(s.ways), U(s.distance), U(FIELDS)
    # Of the best room entered from each cell, without front and with one, in one word, 16 bits each: the
    # walk it allows + 1 (0: none yet), edges, cells, cells with x + y even.
    best, with_front, part = U(s.best), U(64 * (game.parts + 2)), U(0xFFFF)

    @kernel("Tuple((i8, i8, i8, i8))(u8[::1], u8, u8, u8)")
    def tree(W, at, zone, head):
        made, root = rooms(W, at, zone, head), head + U(64)
        distances(W, root)
        W[best + root], W[best + with_front + root] = U(0), U(0)
        for i in range(made):
            entry = W[records + U(i) * fields + ENTRY]
            W[best + entry], W[best + with_front + entry] = U(0), U(0)
        for i in range(made):
            r = records + U(i) * fields
            entry, total, own_dark = W[r + ENTRY], np.int64(W[r + TOTAL]), np.int64(W[r + DARKS])
            local = walk_from(entry, total, own_dark)
            even = (DARK >> (entry & U(63))) & ONE
            # Most steps: staying, through this room to a door and beyond, or hurrying to it.
            most, chosen, k = local, U(0), W[r + BEGIN]
            while k < W[r + END]:
                c = W[ways + k]
                k += ONE
                plain, foreign = W[best + c], W[best + with_front + c]
                if plain:
                    steps = np.int64(plain >> WALK) - 1 + local
                    # The colours at both ends tell whether the steps in this room are even.
                    if (even == (DARK >> (c & U(63))) & ONE) == (local % 2 == 1):
                        steps -= 1
                    if steps > most or (steps == most and chosen and plain | PLAIN > chosen):
                        most, chosen = steps, plain | PLAIN
                if foreign:
                    steps = np.int64(foreign >> WALK) - 1 + np.int64(W[distance + c]) - 1
                    if steps > most or (steps == most and chosen and foreign > chosen):
                        most, chosen = steps, foreign
            cells, dark = U(total), U(own_dark)
            edges, front = W[r + EDGES], W[r + FRONTS] != U(0)
            if chosen:
                if not chosen & PLAIN:
                    cells, dark, edges, front = U(0), U(0), U(0), True
                cells += (chosen >> CELLS) & part
                dark += chosen & part
                edges += (chosen >> AROUND) & part
            to = best + entry + (with_front if front else U(0))
            length = U(walk_from(entry, np.int64(cells), np.int64(dark)) + 1)
            W[to] = max(W[to], (length << WALK) | (edges << AROUND) | (cells << CELLS) | dark)
        plain, foreign = W[best + root], W[best + with_front + root]
        front = foreign >> WALK > plain >> WALK
        counted = foreign if front else plain
        if not counted:
            return np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        return (
            np.int64((counted >> CELLS) & part),
            np.int64(counted >> WALK) - 1,
            np.int64((counted >> AROUND) & part),
            np.int64(1 if front else 0),
        )

    return tree


def areas_kernel(game: Tron, boards: Boards, s: Scratch, at: Offsets) -> Kernel:
    """Return `areas(W, at, P)`: the value of each of four players' areas, -1 for who is not alive."""
    players, parts, size = game.players, game.parts, U(game.parts)
    heads, meta, zones, fringe = game.state.heads, game.state.meta, U(boards.zones), U(s.fringe)
    flood, kinds = flood_kernel(game, boards), kinds_kernel(game, boards)
    tree = tree_kernel(game, boards, s)
    k1, k2, fillable = at.k1, at.k2, at.fillable

    @kernel("Tuple((f8, f8))(u8[::1], u8, u8, f8[::1])")
    def area(W, at, p, P):
        # The value of a player's area; and the cells it can fill, or -1 if others can come near.
        zone = zones + p * size
        if not (W[at + meta] >> (U(4) + p)) & ONE:
            return -1.0, 0.0
        before, word, met = U(0), ~W[at] & ~W[zone], False
        W[fringe], W[fringe + size + ONE] = U(0), U(0)
        for k in range(parts):
            after = U(0)
            if k + 1 < parts:
                after = ~W[at + U(k + 1)] & ~W[zone + U(k + 1)]
            touched = beside(before, word, after) & W[zone + U(k)]
            W[fringe + U(k) + ONE] = touched
            met = met or touched != U(0)
            before, word = word, after
        head = (W[at + heads] >> (U(16) * p)) & NOWHERE
        cells, steps, edges, front = tree(W, at, zone, head)
        filled = np.float64(steps if P[fillable] != 0.0 else cells)
        worth = P[k1] * (np.float64(front) + filled) + P[k2] * np.float64(edges)
        return worth, -1.0 if met else filled

    @kernel("Tuple((f8, f8, f8, f8))(u8[::1], u8, f8[::1])")
    def areas(W, at, P):
        flood(W, at)
        kinds(W, at)
        a, room_a = area(W, at, U(0), P)
        b, room_b = area(W, at, U(1), P)
        c, room_c, d, room_d = -1.0, 0.0, -1.0, 0.0
        if players > 2:
            c, room_c = area(W, at, U(2), P)
        if players > 3:
            d, room_d = area(W, at, U(3), P)
        if min(min(room_a, room_b), min(room_c, room_d)) >= 0.0:
            a = APART * room_a if a >= 0.0 else a
            b = APART * room_b if b >= 0.0 else b
            c = APART * room_c if c >= 0.0 else c
            d = APART * room_d if d >= 0.0 else d
        return a, b, c, d

    return areas
