"""Where the zones of Tron players meet: two corrections of areas for a player between two others.

`reduced` takes off what a player's border is longer, and farther from its head, than those of the
others. `soaked` lets the zones soak into each other: each sends its cells, spread evenly along its
border, over it. Both are readings of the bot of docs/tron.md, whose author gives no formula.
"""

from __future__ import annotations

import numpy as np

from joute.engines.games.tron.territory import Boards, beside, count, pick
from joute.engines.games.tron.tron import NOWHERE, ONE, Tron
from joute.engines.kernels.bits import popcount
from joute.engines.kernels.compile import Kernel, U, kernel

LAYERS = 4  # of cells behind a border, into which others soak


def border_kernel(game: Tron, boards: Boards) -> Kernel:
    """Return `border(W, at, p) -> length`: the cells of a player's zone that touch another's.

    They are put on board 0 of the fronts.
    """
    parts, size = game.parts, U(game.parts)
    zones, rim = U(boards.zones), U(boards.fronts)

    @kernel("i8(u8[::1], u8, u8)")
    def border(W, at, p):
        # A free cell beside the zone, and not in it, is another's.
        zone, length = zones + p * size, np.int64(0)
        before, word = U(0), ~W[at] & ~W[zone]
        for k in range(parts):
            after = U(0)
            if k + 1 < parts:
                after = ~W[at + U(k + 1)] & ~W[zone + U(k + 1)]
            touched = beside(before, word, after) & W[zone + U(k)]
            W[rim + U(k)] = touched
            length += popcount(touched)
            before, word = word, after
        return length

    return border


def reduced_kernel(game: Tron, boards: Boards) -> Kernel:
    """Return `reduced(W, at, a, b, c, d, weight)`: areas less the reduction of borders.

    A player's burden is the length of its border (cells of its zone that touch another's) plus the
    plies from its head to the nearest of them; 0 without a border. An area loses `weight` times what
    the burden is more than the mean of the others'. No area falls below 0.
    """
    players, parts, size = game.players, game.parts, U(game.parts)
    heads, zones, rim = game.state.heads, U(boards.zones), U(boards.fronts)
    seen = U(boards.fronts) + size
    border = border_kernel(game, boards)

    @kernel("f8(u8[::1], u8, u8, f8)")
    def burden(W, at, p, area):
        if area < 0.0:
            return 0.0
        length, plies = border(W, at, p), np.int64(0)
        if length == 0:
            return 0.0
        zone, head = zones + p * size, (W[at + heads] >> (U(16) * p)) & NOWHERE
        for k in range(parts):
            W[seen + U(k)] = U(0)
        W[seen + (head >> U(6))] = ONE << (head & U(63))
        met = False
        while not met:
            plies += 1
            before, word = U(0), W[seen]
            for k in range(parts):
                after = W[seen + U(k) + ONE] if k + 1 < parts else U(0)
                new = beside(before, word, after) & W[zone + U(k)]
                if new & W[rim + U(k)]:
                    met = True
                W[seen + U(k)] = word | new
                before, word = word, after
        return np.float64(length + plies)

    @kernel("f8(f8, f8, f8, f8, f8)")
    def less(area, own, total, others, weight):
        if area < 0.0 or others < 1.0:
            return area
        return max(area - weight * (own - (total - own) / others), 0.0)

    @kernel("Tuple((f8, f8, f8, f8))(u8[::1], u8, f8, f8, f8, f8, f8)")
    def reduced(W, at, a, b, c, d, weight):
        own_a, own_b = burden(W, at, U(0), a), burden(W, at, U(1), b)
        own_c = burden(W, at, U(2), c) if players > 2 else 0.0
        own_d = burden(W, at, U(3), d) if players > 3 else 0.0
        others = -1.0
        for i in range(players):
            others += 1.0 if pick(a, b, c, d, U(i)) >= 0.0 else 0.0
        total = own_a + own_b + own_c + own_d
        return (
            less(a, own_a, total, others, weight),
            less(b, own_b, total, others, weight),
            less(c, own_c, total, others, weight),
            less(d, own_d, total, others, weight),
        )

    return reduced


def soaked_kernel(game: Tron, boards: Boards) -> Kernel:
    """Return `soaked(W, at, a, b, c, d, share)`: areas after the zones have soaked into each other.

    A zone's strength is its cells per cell of its border. Into a neighbour's zone a player soaks by
    layers of cells, counted from where the two meet: of layer n it takes the fraction
    (share * own strength / both strengths) ** n, for as many layers as LAYERS. A cell is worth what
    the cells of the zone are on average. No area falls below 0.
    """
    players, parts, size = game.players, game.parts, U(game.parts)
    zones, seen = U(boards.zones), U(boards.fronts)
    border = border_kernel(game, boards)

    @kernel("f8(u8[::1], u8, u8, f8)")
    def strength(W, at, p, area):
        if area < 0.0:
            return 0.0
        length = border(W, at, p)
        if length == 0:
            return 0.0
        return np.float64(count(W, zones + p * size, parts)) / np.float64(length)

    @kernel("f8(u8[::1], u8, u8, f8)")
    def taken(W, zone, other, fraction):
        # The cells that the owner of the other zone takes of a zone.
        before, word, n = U(0), W[other], np.int64(0)
        for k in range(parts):
            after = W[other + U(k) + ONE] if k + 1 < parts else U(0)
            new = beside(before, word, after) & W[zone + U(k)]
            W[seen + U(k)] = new
            n += popcount(new)
            before, word = word, after
        cells, each = np.float64(n) * fraction, fraction
        for _ in range(1, LAYERS):
            if n == 0:
                break
            n = np.int64(0)
            each *= fraction
            before, word = U(0), W[seen]
            for k in range(parts):
                after = W[seen + U(k) + ONE] if k + 1 < parts else U(0)
                new = beside(before, word, after) & W[zone + U(k)] & ~word
                W[seen + U(k)] = word | new
                n += popcount(new)
                before, word = word, after
            cells += np.float64(n) * each
        return cells

    @kernel("Tuple((f8, f8, f8, f8))(u8[::1], u8, f8, f8, f8, f8, f8)")
    def soaked(W, at, a, b, c, d, share):
        own_a, own_b = strength(W, at, U(0), a), strength(W, at, U(1), b)
        own_c = strength(W, at, U(2), c) if players > 2 else 0.0
        own_d = strength(W, at, U(3), d) if players > 3 else 0.0
        new_a, new_b, new_c, new_d = a, b, c, d
        for i in range(players):
            own = pick(own_a, own_b, own_c, own_d, U(i))
            if own == 0.0:
                continue
            zone = zones + U(i) * size
            worth = pick(a, b, c, d, U(i)) / np.float64(count(W, zone, parts))
            for j in range(players):
                other = pick(own_a, own_b, own_c, own_d, U(j))
                if i == j or other == 0.0:
                    continue
                fraction = share * other / (own + other)
                moved = worth * taken(W, zone, zones + U(j) * size, fraction)
                new_a += moved if j == 0 else (-moved if i == 0 else 0.0)
                new_b += moved if j == 1 else (-moved if i == 1 else 0.0)
                new_c += moved if j == 2 else (-moved if i == 2 else 0.0)
                new_d += moved if j == 3 else (-moved if i == 3 else 0.0)
        return (
            max(new_a, 0.0) if a >= 0.0 else a,
            max(new_b, 0.0) if b >= 0.0 else b,
            max(new_c, 0.0) if c >= 0.0 else c,
            max(new_d, 0.0) if d >= 0.0 else d,
        )

    return soaked
