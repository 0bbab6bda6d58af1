"""Territory on a Tron field: the cells that each player reaches first, and their surroundings.

Boards are `parts` words, two rows of 32 cells a word (see `tron.py`). The kernels work in
the scratch words at the beginning of W: the zone of each player, its front (a board with an empty
word on either side), the cells nobody has reached yet, and the free cells with at most one, two and
three free neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from joute.engines.games.tron.tron import NOWHERE, ONE, Tron
from joute.engines.kernels.bits import popcount
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import rule

DARK = U(0xAAAAAAAA55555555)  # cells with x + y even, in every word: rows 2w and 2w + 1


@dataclass(frozen=True)
class Boards:
    """Where the boards lie, in words from the beginning of W."""

    zones: int
    fronts: int
    unclaimed: int
    kinds: int
    end: int

    @classmethod
    def of(cls, game: Tron) -> Boards:
        """Return the boards of a game's boards."""
        zones, parts = 0, game.parts
        fronts = zones + game.players * parts
        unclaimed = fronts + game.players * (parts + 2)
        kinds = unclaimed + parts
        return cls(zones, fronts, unclaimed, kinds, kinds + 3 * parts)


@kernel("u8(u8, u8, u8)")
def beside(before, word, after):
    """Return the neighbours of the cells in a word, given the words before and after it."""
    return ((word << U(1)) | (word >> U(1)) | (word << U(32)) | (word >> U(32))) | (
        (before >> U(32)) | (after << U(32))
    )


@kernel("u8(u8, u8)")
def along(seeds, mask):
    """Return the cells of a mask that lie in one row with a seed, all cells between them in the mask.

    The seeds are in the mask. Column 31 is a wall: no carry goes beyond a row.
    """
    found = seeds | (mask & ~(mask + seeds))
    for step in (U(1), U(2), U(4), U(8), U(16)):
        found |= mask & (found >> step)
        mask &= mask >> step
    return found


def grow_kernel(parts: int) -> Kernel:
    """Return `grow(W, front, unclaimed, zone, low, high) -> span`: one step of one player.

    The front, between words `low` and `high`, moves on to the cells beside it that are unclaimed, and
    claims them for the zone. `span` packs the front's new ends, low | high << 8; a front that is gone
    has its end before its beginning.
    """
    last = U(parts - 1)

    @kernel("u8(u8[::1], u8, u8, u8, u8, u8)")
    def grow(W, front, unclaimed, zone, low, high):
        begin = low - ONE if low > U(0) else low
        end = high + ONE if high < last else high
        before, word = U(0), W[front + begin]
        first, final = U(255), U(0)
        k = begin
        while k <= end:
            after = W[front + k + ONE]
            new = beside(before, word, after) & W[unclaimed + k]
            W[unclaimed + k] ^= new
            W[zone + k] |= new
            W[front + k] = new
            if new != U(0):
                first = min(first, k)
                final = k
            before, word = word, after
            k += ONE
        return first | (final << U(8))

    return grow


def flood_kernel(game: Tron, boards: Boards) -> Kernel:
    """Return `flood(W, at)`: fill the zones, players moving in turn from the one to move.

    A cell belongs to who reaches it first; the turn decides between players at equal distance.
    """
    players, n, parts, size = game.players, U(game.players), game.parts, U(game.parts)
    heads, meta = game.state.heads, game.state.meta
    zones, fronts, unclaimed = U(boards.zones), U(boards.fronts), U(boards.unclaimed)
    grow = grow_kernel(parts)
    padded = size + U(2)
    cleared = boards.unclaimed - boards.zones

    @kernel("void(u8[::1], u8)")
    def flood(W, at):
        for k in range(cleared):
            W[zones + U(k)] = U(0)
        for k in range(parts):
            W[unclaimed + U(k)] = ~W[at + U(k)]
        word, mover = W[at + meta], W[at + meta] & U(15)
        spans, going = U(0), U(0)
        for q in range(players):
            if (word >> (U(4) + U(q))) & ONE:
                head = (W[at + heads] >> (U(16) * U(q))) & NOWHERE
                row = head >> U(6)
                W[fronts + U(q) * padded + ONE + row] = ONE << (head & U(63))
                spans |= (row | (row << U(8))) << (U(16) * U(q))
                going |= ONE << U(q)
        while going != U(0):
            p = mover
            for _ in range(players):
                if (going >> p) & ONE:
                    shift = U(16) * p
                    low, high = (spans >> shift) & U(255), (spans >> (shift + U(8))) & U(255)
                    front = fronts + p * padded + ONE
                    span = grow(W, front, unclaimed, zones + p * size, low, high)
                    if span & U(255) == U(255):
                        going ^= ONE << p
                    spans = (spans & ~(U(0xFFFF) << shift)) | (span << shift)
                p = p + ONE if p + ONE < n else U(0)

    return flood


def kinds_kernel(game: Tron, boards: Boards) -> Kernel:
    """Return `kinds(W, at)`: mark the free cells with at most one, exactly two, exactly three free
    neighbours."""
    parts, size, last = game.parts, U(game.parts), U(game.parts - 1)
    at_kinds = U(boards.kinds)

    @kernel("void(u8[::1], u8)")
    def kinds(W, at):
        before, word, k = U(0), ~W[at], U(0)
        for _ in range(parts):
            after = ~W[at + k + ONE] if k < last else U(0)
            left, right = (word << U(1)) & ~ONE, word >> U(1)
            up = (word << U(32)) | (before >> U(32))
            down = (word >> U(32)) | (after << U(32))
            one, two = left ^ right, left & right
            other, pair = up ^ down, up & down
            odd, carry = one ^ other, one & other
            even = two ^ pair ^ carry
            four = (two & pair) | (two & carry) | (pair & carry)
            W[at_kinds + k] = word & ~(even | four)
            W[at_kinds + size + k] = word & even & ~odd
            W[at_kinds + size + size + k] = word & even & odd
            before, word = word, after
            k += ONE

    return kinds


@kernel("i8(u8[::1], u8, i8)")
def count(W, board, parts):
    """Return how many cells a board holds."""
    total = np.int64(0)
    for k in range(parts):
        total += popcount(W[board + U(k)])
    return total


@kernel("i8(u8, i8, i8)")
def walk_from(start, cells, dark):
    """Return the longest walk from a cell through so many cells of which `dark` have x + y even.

    The cell may have a number of the board with an empty word before: colours are those of a word.
    """
    other = cells - dark if (DARK >> (start & U(63))) & ONE else dark
    return min(2 * other, 2 * (cells - other) + 1)  # colours alternate, the other one first


@kernel("f8(f8, f8, f8, f8, u8)")
def pick(a, b, c, d, i):
    """Return number i of four."""
    if i < U(2):
        return b if i else a
    return c if i == U(2) else d


def returns_kernel(game: Tron, areas: Kernel, outlives: Kernel) -> Kernel:
    """Return `expected(W, at, P, R, to)`: the returns that areas promise.

    `areas(W, at, P)` gives four numbers, below 0 for the dead; `outlives(own, other, P)` the chance
    that the owner of the first outlives that of the second. All outlive the dead, whose returns are
    settled; a return is the mean over the others, which is on the scale of the boards.
    """
    players, meta = game.players, game.state.meta
    if players == 2:

        @rule
        def expected(W, at, P, R, to):
            a, b, _, _ = areas(W, at, P)
            R[to] = outlives(a, b, P)
            R[to + ONE] = 1.0 - R[to]

        return expected

    @rule  # type: ignore[no-redef]
    def expected(W, at, P, R, to):
        a, b, c, d = areas(W, at, P)
        word = W[at + meta]
        for i in range(players):
            death = (word >> (U(16) + U(4) * U(i))) & U(15)
            if death:
                R[to + U(i)] = np.float64(death - ONE) / (players - 1)
                continue
            total = 0.0
            for j in range(players):
                if j != i:
                    own, other = pick(a, b, c, d, U(i)), pick(a, b, c, d, U(j))
                    total += 1.0 if other < 0.0 else outlives(own, other, P)
            R[to + U(i)] = total / (players - 1)

    return expected
