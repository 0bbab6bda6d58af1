"""Sets of a board's cells: six words, bit c % 64 of word c // 64 is cell c; so up to 19 x 19.

Words beyond a board's last are the constant 0 and cost nothing once compiled. A set is a value: the
kernels here make new ones and write nowhere, so that a flood needs no room in a state.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from joute.engines.kernels.bits import nth_bit, popcount
from joute.engines.kernels.compile import Kernel, U, kernel

WORDS = 6
SET = f"UniTuple(u8, {WORDS})"
ONE = U(1)


@kernel(f"{SET}({SET}, {SET})")
def both(a, b):
    """The cells of a that are in b."""
    return a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3], a[4] & b[4], a[5] & b[5]


@kernel(f"{SET}({SET}, {SET})")
def either(a, b):
    """The cells of a and those of b."""
    return a[0] | b[0], a[1] | b[1], a[2] | b[2], a[3] | b[3], a[4] | b[4], a[5] | b[5]


@kernel(f"{SET}({SET}, {SET})")
def less(a, b):
    """The cells of a that are not in b."""
    return a[0] & ~b[0], a[1] & ~b[1], a[2] & ~b[2], a[3] & ~b[3], a[4] & ~b[4], a[5] & ~b[5]


@kernel(f"{SET}()")
def nothing():
    """No cell."""
    return U(0), U(0), U(0), U(0), U(0), U(0)


@kernel(f"b1({SET})")
def some(a):
    """Whether there is a cell."""
    return (a[0] | a[1] | a[2] | a[3] | a[4] | a[5]) != U(0)


@kernel(f"b1({SET}, {SET})")
def meet(a, b):
    """Whether a and b have a cell in common."""
    return some(both(a, b))


@kernel(f"b1({SET}, {SET})")
def within(a, b):
    """Whether every cell of a is in b."""
    return not some(less(a, b))


@kernel(f"b1({SET}, {SET})")
def same(a, b):
    """Whether a and b are equal."""
    return (
        (a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2])
        | (a[3] ^ b[3]) | (a[4] ^ b[4]) | (a[5] ^ b[5])
    ) == U(0)  # fmt: skip


@kernel(f"i8({SET})")
def size(a):
    """How many cells there are."""
    return (
        popcount(a[0]) + popcount(a[1]) + popcount(a[2])
        + popcount(a[3]) + popcount(a[4]) + popcount(a[5])
    )  # fmt: skip


@kernel(f"u8({SET}, i8)")
def nth_cell(a, k):
    """The k-th cell of a set, from 0; there are more than k."""
    up_to_1 = popcount(a[0])
    up_to_2 = up_to_1 + popcount(a[1])
    up_to_3 = up_to_2 + popcount(a[2])
    up_to_4 = up_to_3 + popcount(a[3])
    up_to_5 = up_to_4 + popcount(a[4])
    word, begin, skipped = a[0], U(0), np.int64(0)
    if k >= up_to_1:
        word, begin, skipped = a[1], U(64), up_to_1
    if k >= up_to_2:
        word, begin, skipped = a[2], U(128), up_to_2
    if k >= up_to_3:
        word, begin, skipped = a[3], U(192), up_to_3
    if k >= up_to_4:
        word, begin, skipped = a[4], U(256), up_to_4
    if k >= up_to_5:
        word, begin, skipped = a[5], U(320), up_to_5
    return begin + nth_bit(word, k - skipped)


class Cells(NamedTuple):
    """Kernels of one board size, and its masks."""

    whole: Kernel  # whole() -> all cells
    load: Kernel  # load(W, at) -> the set kept in the words from `at` on
    save: Kernel  # save(W, at, a)
    one: Kernel  # one(c) -> the set of a cell
    near: Kernel  # near(c) -> its neighbours
    aslant: Kernel  # aslant(c) -> its neighbours along the diagonals
    around: Kernel  # around(a) -> cells beside those of a; bits beyond the board may be set


def cells_of(columns: int, rows: int) -> Cells:
    """Return the kernels for a board of columns x rows, cell y * columns + x."""
    parts = parts_of(columns * rows)
    whole, load, save = words_kernels(columns * rows, parts)
    beside, diagonal = steps_of(columns, rows)
    return Cells(
        whole,
        load,
        save,
        lookup(parts, [[c] for c in range(columns * rows)]),
        lookup(parts, beside),
        lookup(parts, diagonal),
        around_kernel(columns, rows),
    )


def parts_of(cells: int) -> int:
    """Return how many words a set of so many cells takes."""
    return (cells + 63) // 64


def steps_of(columns: int, rows: int) -> tuple[list[list[int]], list[list[int]]]:
    """Return, for every cell, its neighbours, and those along the diagonals."""
    ways = (((0, -1), (-1, 0), (1, 0), (0, 1)), ((-1, -1), (1, -1), (-1, 1), (1, 1)))
    beside, diagonal = (
        [
            [
                (y + dy) * columns + x + dx
                for dx, dy in steps
                if 0 <= x + dx < columns and 0 <= y + dy < rows
            ]
            for y in range(rows)
            for x in range(columns)
        ]
        for steps in ways
    )
    return beside, diagonal


def words_of(cells: list[int]) -> list[int]:
    """Return a set of cells as its words."""
    bits = sum(1 << c for c in cells)
    return [bits >> 64 * k & (1 << 64) - 1 for k in range(WORDS)]


def words_kernels(cells: int, parts: int) -> tuple[Kernel, Kernel, Kernel]:
    """Return `whole`, `load` and `save`."""
    w0, w1, w2, w3, w4, w5 = map(U, words_of(list(range(cells))))

    @kernel(f"{SET}()")
    def whole():
        return w0, w1, w2, w3, w4, w5

    @kernel(f"{SET}(u8[::1], u8)")
    def load(W, at):
        return (
            W[at],
            W[at + U(1)] if parts > 1 else U(0),
            W[at + U(2)] if parts > 2 else U(0),
            W[at + U(3)] if parts > 3 else U(0),
            W[at + U(4)] if parts > 4 else U(0),
            W[at + U(5)] if parts > 5 else U(0),
        )

    @kernel(f"void(u8[::1], u8, {SET})")
    def save(W, at, a):
        W[at] = a[0]
        if parts > 1:
            W[at + U(1)] = a[1]
        if parts > 2:
            W[at + U(2)] = a[2]
        if parts > 3:
            W[at + U(3)] = a[3]
        if parts > 4:
            W[at + U(4)] = a[4]
        if parts > 5:
            W[at + U(5)] = a[5]

    return whole, load, save


def lookup(parts: int, sets: list[list[int]]) -> Kernel:
    """Return a kernel that gives the set that belongs to each cell."""
    table = np.array([words_of(one)[:parts] for one in sets], np.uint64).ravel()

    @kernel(f"{SET}(u8)")
    def found(c):
        at = c * U(parts)
        return (
            table[at],
            table[at + U(1)] if parts > 1 else U(0),
            table[at + U(2)] if parts > 2 else U(0),
            table[at + U(3)] if parts > 3 else U(0),
            table[at + U(4)] if parts > 4 else U(0),
            table[at + U(5)] if parts > 5 else U(0),
        )

    return found


def around_kernel(columns: int, rows: int) -> Kernel:
    """Return `around`."""
    parts = parts_of(columns * rows)
    up, down = U(columns), U(64 - columns)
    every = range(columns * rows)
    r0, r1, r2, r3, r4, r5 = map(U, words_of([c for c in every if c % columns]))
    l0, l1, l2, l3, l4, l5 = map(U, words_of([c for c in every if (c + 1) % columns]))

    @kernel("u8(u8, u8, u8, u8, u8)")
    def beside(before, word, after, right, left):
        """A word of the result; `right` are the cells that a step to the right may reach."""
        level = (((word << ONE) | (before >> U(63))) & right) | (
            ((word >> ONE) | (after << U(63))) & left
        )
        return level | (word << up) | (before >> down) | (word >> up) | (after << down)

    @kernel(f"{SET}({SET})")
    def around(a):
        return (
            beside(U(0), a[0], a[1], r0, l0),
            beside(a[0], a[1], a[2], r1, l1) if parts > 1 else U(0),
            beside(a[1], a[2], a[3], r2, l2) if parts > 2 else U(0),
            beside(a[2], a[3], a[4], r3, l3) if parts > 3 else U(0),
            beside(a[3], a[4], a[5], r4, l4) if parts > 4 else U(0),
            beside(a[4], a[5], U(0), r5, l5) if parts > 5 else U(0),
        )

    return around
