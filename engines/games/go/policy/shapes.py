"""Shapes: which 3 x 3 neighbourhoods of an empty cell make a stone there a likely move.

A shape is three rows of three, the cell in the middle: a and b are stones of the two colours, whichever
moves; `.` is empty, `#` beyond the edge; `A` is all but a stone of a, `B` all but one of b (both but
the edge), `*` anything. Each holds in its eight images and with the colours exchanged.

Source of the shapes: Gelly, Wang, Munos and Teytaud, "Modification of UCT with patterns in Monte-Carlo
Go" (2006): hane, cuts, and moves at the edge.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from joute.engines.games.go.rules import Rules
from joute.engines.kernels.compile import Kernel, U, Words, kernel
from joute.engines.kernels.contract import State

EMPTY, OWN, OTHER, EDGE = range(4)
SHAPES = (
    "aba ... ***",  # hane around a stone
    "ab. ... *.*",  # hane that cuts nothing
    "ab* a.. A.*",  # a wall's hane
    ".b. a.. ...",  # contact along the diagonal
    "ab* b.B *B*",  # a cut that nothing protects
    "ab* b.a ***",  # a cut that is peeped at
    "*a* b.b BBB",  # pushing between two
    "ba* B.b ***",  # a cut across a keima
    "a.* b.* ###",  # at the edge: chase
    "ba* a.b ###",  # block, where it would cut
    "*a* A.b ###",  # block, connected above
    "*ab A.A ###",  # descend
    "*ba a.b ###",  # cut
)
CONTENTS = {
    "a": (OWN,),
    "b": (OTHER,),
    ".": (EMPTY,),
    "#": (EDGE,),
    "A": (EMPTY, OTHER),
    "B": (EMPTY, OWN),
    "*": (EMPTY, OWN, OTHER, EDGE),
}
# The ring around the middle, in the order of the bits of a code.
RING = ((-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1))
NEIGHBOURS = len(RING)


def images(shape: str) -> set[tuple[str, ...]]:
    """Return the ring of a shape in its eight images and both colours."""
    rows = [list(row) for row in shape.split()]
    rings = set()
    for _ in range(4):
        rows = [list(row) for row in zip(*rows[::-1], strict=True)]
        for one in (rows, [row[::-1] for row in rows]):
            ring = tuple(one[1 + dy][1 + dx] for dx, dy in RING)
            rings |= {ring, tuple(c.translate(str.maketrans("abAB", "baBA")) for c in ring)}
    return rings


def table_of(shapes: tuple[str, ...] = SHAPES) -> Words:
    """Return, as 1024 words of bits, which of the 4 ** 8 codes of a ring are a shape's."""
    bits = np.zeros(4**NEIGHBOURS, bool)
    for ring in {ring for shape in shapes for ring in images(shape)}:
        for contents in product(*(CONTENTS[c] for c in ring)):
            bits[sum(content << 2 * j for j, content in enumerate(contents))] = True
    return np.packbits(bits, bitorder="little").view(np.uint64)


def ring_of(columns: int, rows: int) -> Words:
    """Return the cells around every cell, 8 for each; columns * rows means beyond the edge."""
    cells = []
    for y, x in product(range(rows), range(columns)):
        for dx, dy in RING:
            inside = 0 <= x + dx < columns and 0 <= y + dy < rows
            cells.append((y + dy) * columns + x + dx if inside else columns * rows)
    return np.array(cells, np.uint64)


def shape_kernel(rules: Rules, state: State) -> Kernel:
    """Return `shape(W, at, c)`: whether a stone on the empty cell c makes a shape."""
    table, ring = table_of(), ring_of(rules.columns, rules.rows)
    first, second, beyond = state.first, state.second, U(rules.cells)

    @kernel("b1(u8[::1], u8, u8)")
    def shape(W, at, c):
        code = U(0)
        for j in range(NEIGHBOURS):
            n, holds = ring[c * U(NEIGHBOURS) + U(j)], U(EDGE)
            if n < beyond:
                word, bit = n >> U(6), n & U(63)
                black, white = W[at + first + word] >> bit, W[at + second + word] >> bit
                holds = (black & U(1)) | ((white & U(1)) << U(1))
            code |= holds << U(2 * j)
        return (table[code >> U(6)] >> (code & U(63))) & U(1) == U(1)

    return shape
