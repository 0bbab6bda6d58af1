"""Sets of squares as words, and where men go: square 8 * rank + file is a bit, a1 is bit 0, h8 bit 63.

Sliders go along a line by "hyperbola quintessence": less one's own bit, a line's men turn over all bits up
to the first of them; the same on the board upside down gives the other way. A rank cannot be turned
upside down so: its 64 inner occupancies lie in a table, a byte for each file.
"""

from __future__ import annotations

import numpy as np

from joute.engines.kernels.compile import U, Words, kernel

ONE, TWO, SEVEN, EIGHT, NINE = U(1), U(2), U(7), U(8), U(9)
FILE_A, FILE_H = U(0x0101010101010101), U(0x8080808080808080)
ENDS = U(0xFF000000000000FF)  # the first and the last rank
EVEN, PAIRS = U(0x00FF00FF00FF00FF), U(0x0000FFFF0000FFFF)
KNIGHT = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
KING = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))


def steps(ways: tuple[tuple[int, int], ...], most: int) -> Words:
    """Return for each square those that up to so many steps (files, ranks) reach on an empty board."""
    sets = np.zeros(64, np.uint64)
    for square in range(64):
        for dx, dy in ways:
            for k in range(1, most + 1):
                x, y = square % 8 + k * dx, square // 8 + k * dy
                if 0 <= x < 8 and 0 <= y < 8:
                    sets[square] |= U(1 << 8 * y + x)
    return sets


def ranks() -> Words:
    """Return for each occupancy of a rank's six inner squares a byte for each file: where a slider goes."""
    words = np.zeros(64, np.uint64)
    for inner in range(64):
        for file in range(8):
            for way in (1, -1):
                x = file + way
                while 0 <= x < 8:
                    words[inner] |= U(1 << 8 * file + x)
                    if 2 * inner >> x & 1:
                        break
                    x += way
    return words


KNIGHTS, KINGS = steps(KNIGHT, 1), steps(KING, 1)
RISING, FALLING = steps(((1, 1), (-1, -1)), 7), steps(((1, -1), (-1, 1)), 7)
RANKS = ranks()


@kernel("u8(u8)")
def upside_down(x):
    """Return a set with its ranks in reverse order."""
    x = ((x >> EIGHT) & EVEN) | ((x & EVEN) << EIGHT)
    x = ((x >> U(16)) & PAIRS) | ((x & PAIRS) << U(16))
    return (x >> U(32)) | (x << U(32))


@kernel("u8(u8, u8, u8)")
def along(men, line, bit):
    """Return where a slider on `bit` goes on a line through it (without it), up to the first men."""
    there = men & line
    back = upside_down(upside_down(there) - upside_down(bit))
    return ((there - bit) ^ back) & line


@kernel("u8(u8, u8)")
def diagonals(men, square):
    """Return where a bishop on a square goes."""
    bit = ONE << square
    return along(men, RISING[square], bit) | along(men, FALLING[square], bit)


@kernel("u8(u8, u8)")
def straights(men, square):
    """Return where a rook on a square goes."""
    bit, file, first = ONE << square, square & SEVEN, square & U(56)
    rank = (RANKS[(men >> (first + ONE)) & U(63)] >> (EIGHT * file)) & U(255)
    return along(men, (FILE_A << file) ^ bit, bit) | (rank << first)


@kernel("u8(u8, u8)")
def between(a, b):
    """Return the squares between two of one line; none where they are on no line."""
    p, q = ONE << a, ONE << b
    on = straights(q, a)
    if on & q:
        return on & straights(p, b)
    on = diagonals(q, a)
    if on & q:
        return on & diagonals(p, b)
    return U(0)


@kernel("u8(u8, u8)")
def line_of(a, b):
    """Return the whole line through two squares that share one."""
    ends = (ONE << a) | (ONE << b)
    on = straights(U(0), a)
    if on & (ONE << b):
        return (on & straights(U(0), b)) | ends
    return (diagonals(U(0), a) & diagonals(U(0), b)) | ends


@kernel("u8(u8, u8)")
def pawn_takes(pawns, side):
    """Return where pawns of a side (0 White, 1 Black) take."""
    left, right = pawns & ~FILE_A, pawns & ~FILE_H
    if side:
        return (left >> NINE) | (right >> SEVEN)
    return (left << SEVEN) | (right << NINE)


@kernel("u8(u8, u8)")
def ahead(squares, side):
    """Return the squares one step ahead of a side's pawns."""
    return squares >> EIGHT if side else squares << EIGHT


@kernel("u8(u8, u8)")
def span(a, b):
    """Return the squares from a to b of one rank, both included."""
    low, high = min(a, b), max(a, b)
    return (TWO << high) - (ONE << low)
