"""`lines`: lines of four that are still open, weighted by stones and by drops to complete them.

The second utility of the report in docs/measured/seeds.md. A line is open for a side if it holds no stone of
the other. With k own stones in it and f cells to fill it is worth k * k**2 / (f + 1): k**2 / (f +
1) for each own stone. The parameter `reading` defines "cells to fill".
"""

from __future__ import annotations

from itertools import product

import numpy as np

from joute.engines.evaluation import Evaluation
from joute.engines.game import Game
from joute.engines.games.connect4.connect4 import Layout, lines_of, window_kernel
from joute.engines.kernels.bits import popcount
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import State, places, rule
from joute.engines.parameter import Parameter

ONE = U(1)
POINT = 32  # values are kept as multiples of 2**-32, so that updating them is exact


class Lines(Evaluation):
    """Open lines of the side to move less those of the opponent."""

    name = "lines"
    summary = "open lines of four, k**3 / (f + 1) each for k stones and f cells still to fill"
    games = ("connect4",)
    scale = 15.0
    own = State("score")
    parameters = (
        Parameter(
            "reading",
            "choice",
            "B",
            choices=("A", "B", "C"),
            meaning="cells to fill: A the line's own empty cells; B all cells that must be dropped "
            "to complete it; C those of B that are not in the line itself",
            source="the report in docs/measured/seeds.md, which leaves it open",
        ),
    )

    def build(self, game: Game, base: int) -> list[Kernel]:
        """Return the kernels; `score` is the value for the side to move in units of 2**-32."""
        columns, rows = int(game.values["columns"]), int(game.values["rows"])
        layout = Layout(columns, rows)
        table = LineTable(layout)
        worth, reach, bits = worth_of_lines(rows), U(4 * rows + 1), U(bits_of(rows))
        gain_a, gain_b, gain_c = (gains_of(worth, rows, reading) for reading in "ABC")
        firsts, starts, counts = table.firsts, table.starts, table.counts
        masks, belows = table.masks, table.belows
        table_windows, leftmost = table.windows, table.leftmost
        windows, height = U(table.windows), U(rows)
        window = window_kernel(layout)
        own, other, heights = layout.state.mine, layout.state.theirs, layout.state.heights
        score = self.own.behind(game.words).score
        reading = places(self.parameters, base).reading
        stride = U(layout.stride)

        @kernel("i8(u8, u8, u8, u8, f8)")
        def worth_of(mine, theirs, mask, below, kind):
            k, opponents = popcount(mine & mask), popcount(theirs & mask)
            if (k == 0) == (opponents == 0):
                return np.int64(0)
            occupied = mine | theirs
            if kind == 1.0:
                f = popcount(below & ~occupied)
            elif kind == 0.0:
                f = np.int64(4) - k - opponents
            else:
                f = popcount(below & ~occupied) - (np.int64(4) - k - opponents)
            if opponents:
                return -worth[U(opponents) * reach + U(f)]
            return worth[U(k) * reach + U(f)]

        @rule
        def init(W, at, P):
            total = np.int64(0)
            for c in range(columns):
                for w in range(table_windows):
                    i = U(c) * windows + U(w)
                    if firsts[i] < 0:
                        continue
                    mine = window(W, at + own, U(firsts[i]))
                    theirs = window(W, at + other, U(firsts[i]))
                    for j in range(starts[i], starts[i] + counts[i * height]):
                        if leftmost[U(j)] == c:
                            total += worth_of(mine, theirs, masks[U(j)], belows[U(j)], P[reading])
            W[at + score] = U(total)

        @kernel("i8(u8, u8, u8, u8, u8, f8)")
        def gain(mine, theirs, place, mask, below, kind):
            """What a stone of the mover at a place adds to a line; the place lies in `below`."""
            k, opponents = popcount(mine & mask), popcount(theirs & mask)
            on, cells = np.int64((mask >> place) & ONE), popcount(below & ~(mine | theirs))
            i = (U(10 * k + 2 * opponents + on) << bits) + U(cells)
            if kind == 1.0:
                return gain_b[i]
            if kind == 0.0:
                return gain_a[i]
            return gain_c[i]

        @kernel("i8(u8[::1], u8, i8, f8[::1])")
        def changed(W, src, action, P):
            column = U(action)
            row = (W[src + heights] >> (U(4) * column)) & U(15)
            kind = P[reading]
            total = np.int64(W[src + score])
            for w in range(table_windows):
                i = column * windows + U(w)
                if table_windows > 1 and firsts[i] < 0:
                    continue
                first = U(firsts[i])
                mine = window(W, src + own, first)
                theirs = window(W, src + other, first)
                place = (column - first) * stride + row
                begin = U(starts[i])
                for n in range(counts[i * height + row]):
                    j = begin + U(n)
                    total += gain(mine, theirs, place, masks[j], belows[j], kind)
            return -total

        @rule
        def update(W, src, dst, action, P):
            W[dst + score] = U(changed(W, src, action, P))

        @rule
        def after(W, src, action, P):
            return np.float64(changed(W, src, action, P)) / np.float64(1 << POINT)

        @rule
        def value(W, at, P):
            return np.float64(np.int64(W[at + score])) / np.float64(1 << POINT)

        return [value, init, update, after]


class LineTable:
    """For each column and window: the lines with a cell in the column, highest such cell first.

    Index i = column * windows + window: `firsts[i]` is the window's first column (-1: unused),
    `starts[i]` the first of its lines, `counts[i * rows + r]` how many of them have their cell in
    the column at row r or above. `masks` and `belows` are relative to the window: the line's cells,
    and all cells that must be filled to complete it. `leftmost` is the line's first column.
    """

    def __init__(self, layout: Layout) -> None:
        columns, rows = layout.columns, layout.rows
        self.windows = max(len(layout.first_columns(c)) for c in range(columns))
        shape = columns * self.windows
        self.firsts = np.full(shape, -1, np.int64)
        self.starts = np.zeros(shape, np.int64)
        self.counts = np.zeros(shape * rows, np.int64)
        masks: list[int] = []
        belows: list[int] = []
        leftmost: list[int] = []
        lines = lines_of(columns, rows)
        for c in range(columns):
            taken: set[int] = set()
            for w, first in enumerate(layout.first_columns(c)):
                i = c * self.windows + w
                self.firsts[i], self.starts[i] = first, len(masks)
                here = []
                for number, line in enumerate(lines):
                    inside = all(first <= x < first + layout.span for x, _ in line)
                    if inside and number not in taken and any(x == c for x, _ in line):
                        taken.add(number)
                        here.append((max(r for x, r in line if x == c), line))
                here.sort(key=lambda entry: -entry[0])
                for r in range(rows):
                    self.counts[i * rows + r] = sum(top >= r for top, _ in here)
                for _, line in here:
                    cells = {(x - first, r) for x, r in line}
                    under = {(x, y) for x, r in cells for y in range(r + 1)}
                    masks.append(sum(1 << (x * layout.stride + r) for x, r in cells))
                    belows.append(sum(1 << (x * layout.stride + r) for x, r in under))
                    leftmost.append(min(x for x, _ in line))
        self.masks = np.array(masks, np.uint64)
        self.belows = np.array(belows, np.uint64)
        self.leftmost = np.array(leftmost, np.int64)


def worth_of_lines(rows: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return k**3 / (f + 1) in units of 2**-32 at index k * (4 * rows + 1) + f."""
    reach = 4 * rows + 1
    table = np.zeros(5 * reach, np.int64)
    for k in range(5):
        for f in range(reach):
            table[k * reach + f] = round(k**3 * (1 << POINT) / (f + 1))
    return table


def bits_of(rows: int) -> int:
    """Return how many bits hold a number of cells to drop: to shift is faster than to multiply."""
    return (4 * rows).bit_length()


def gains_of(
    worth: np.ndarray[tuple[int], np.dtype[np.int64]], rows: int, reading: str
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return what a stone of the mover adds to a line, at index (10 * k + 2 * o + on << bits_of(rows)) +
    c: k own stones and o of the opponent lie in the line, the new one does (on = 1) or only helps to
    complete it, and c cells in all must be dropped to complete it. Lines of both are worth nothing.
    """
    reach, bits = 4 * rows + 1, bits_of(rows)
    table = np.zeros(50 << bits, np.int64)
    for stones, opponent, on, c in product(range(5), (False, True), range(2), range(reach)):
        inside = 4 - stones  # the line's own empty cells
        f, less = {"A": (inside, on), "B": (c, 1), "C": (c - inside, 1 - on)}[reading]
        after = stones + (0 if opponent else on)
        if f < less or after > 4 or (opponent and not stones):
            continue  # no position has that
        was, new = worth[stones * reach + f], worth[after * reach + f - less]
        gain = was - (0 if on else new) if opponent else new - was
        table[(stones * (2 if opponent else 10) + on << bits) + c] = gain
    return table
