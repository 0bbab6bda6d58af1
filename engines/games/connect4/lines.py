"""`lines`: lines of four that are still open, weighted by stones and by drops to complete them.

The second utility of the report in docs/measured/seeds.md. A line is open for a side if it holds no stone of
the other. With k own stones in it and f cells to fill it is worth k * k**2 / (f + 1): k**2 / (f +
1) for each own stone. The parameter `reading` defines "cells to fill".
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np

from joute.engines.evaluation import Evaluation
from joute.engines.game import Game
from joute.engines.games.connect4.connect4 import Layout, lines_of, window_kernel
from joute.engines.kernels.bits import lowest, popcount
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

    def state(self, game: Game) -> State:
        """Return its words: the value in units of 2**-32, and in which lines each side has a stone."""
        words = words_for(len(lines_of(int(game.values["columns"]), int(game.values["rows"]))))
        return State(score=1, mine=words, theirs=words)

    def build(self, game: Game, base: int) -> list[Kernel]:
        """Return the kernels.

        A move changes the worth of lines through its cell, or above it, that are open for a side: 12 of
        some 32 in the middle of a game. So each side's lines are kept, a bit each, and only those are read.
        """
        columns, rows = int(game.values["columns"]), int(game.values["rows"])
        layout = Layout(columns, rows)
        table = LineTable(layout)
        state = self.state(game).behind(game.words)
        score, mine_lines, their_lines = state.score, state.mine, state.theirs
        words, parts, one_window = table.words, table.parts, table.one_window
        worth, reach = worth_of_lines(rows), U(4 * rows + 1)
        gain_a, gain_b, gain_c = (gains_of(worth, rows, reading) for reading in "ABC")
        begins, after_it = table.begins, table.after_it
        starts, ends, firsts, lefts = table.starts, table.ends, table.firsts, table.lefts
        masks, belows, through, above = table.masks, table.belows, table.through, table.above
        lines_through = table.lines_through
        height, pieces, many = U(rows), U(parts), U(words)
        window = window_kernel(layout)
        own, other, heights = layout.state.mine, layout.state.theirs, layout.state.heights
        reading = places(self.parameters, base).reading

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
            for k in range(words):
                W[at + mine_lines + U(k)] = U(0)
                W[at + their_lines + U(k)] = U(0)
            for c in range(columns):
                for j in range(starts[c], ends[c]):
                    if lefts[j] != c:
                        continue
                    mine = window(W, at + own, U(firsts[j]))
                    theirs = window(W, at + other, U(firsts[j]))
                    total += worth_of(mine, theirs, masks[j], belows[j], P[reading])
                    line = begins[c] + U(j - starts[c])
                    word, bit = line >> U(6), ONE << (line & U(63))
                    if mine & masks[j]:
                        W[at + mine_lines + word] |= bit
                    if theirs & masks[j]:
                        W[at + their_lines + word] |= bit
            W[at + score] = U(total)

        @kernel("u8(u8[::1], u8, u8, u8)")
        def bits_from(W, at, begin, later):
            """Return 64 bits from a bit on; `later` is the word that holds the last of them."""
            shift = begin & U(63)
            return (W[at + (begin >> U(6))] >> shift) | ((W[at + later] << ONE) << (U(63) - shift))

        @kernel("i8(u8, u8, u8, u8, u8, f8)")
        def gain(occupied, mask, below, theirs, on, kind):
            """What a stone of the mover adds to a line that is empty, or of one side (1: theirs)."""
            stones, cells = popcount(occupied & mask), popcount(below & ~occupied)
            i = theirs + on * U(2) + U(stones) * U(4) + U(cells) * U(32)
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
            start = U(starts[column])
            occupied = U(0)
            if one_window:
                first = U(firsts[start])
                occupied = window(W, src + own, first) | window(W, src + other, first)
            for part in range(parts):
                begin = begins[column] + U(64) * U(part)
                later = after_it[column * pieces + U(part)]
                mine = bits_from(W, src + mine_lines, begin, later)
                theirs = bits_from(W, src + their_lines, begin, later)
                cell = (column * height + row) * pieces + U(part)
                here = through[cell]
                left = (above[cell] & (mine ^ theirs)) | (here & ~(mine & theirs))
                while left:
                    n = lowest(left)
                    left &= left - ONE
                    j = start + U(64) * U(part) + n
                    if not one_window:
                        first = U(firsts[j])
                        occupied = window(W, src + own, first) | window(W, src + other, first)
                    of_them, on = (theirs >> n) & ONE, (here >> n) & ONE
                    total += gain(occupied, masks[j], belows[j], of_them, on, kind)
            return -total

        @rule
        def update(W, src, dst, action, P):
            column = U(action)
            row = (W[src + heights] >> (U(4) * column)) & U(15)
            W[dst + score] = U(changed(W, src, action, P))
            for k in range(words):
                mine = W[src + mine_lines + U(k)]
                mine |= lines_through[(column * height + row) * many + U(k)]
                W[dst + mine_lines + U(k)] = W[src + their_lines + U(k)]
                W[dst + their_lines + U(k)] = mine

        @rule
        def after(W, src, action, P):
            return np.float64(changed(W, src, action, P)) / np.float64(1 << POINT)

        @rule
        def value(W, at, P):
            return np.float64(np.int64(W[at + score])) / np.float64(1 << POINT)

        return [value, init, update, after]


class LineTable:
    """The lines of four of a board, in the order of their leftmost columns, and where they lie.

    The lines of column c are among those from number `begins[c]` on, `parts` times 64 of them. The n-th of
    these has the index j = starts[c] + n, below `ends[c]`. `masks[j]` are its cells and `belows[j]` all cells
    that must be filled to complete it, in the window that begins at column `firsts[j]`; `lefts[j]` is its
    leftmost column. At (c * rows + r) * parts + p stand part p of the lines `through` a cell and of those
    `above` it, which a stone there helps to complete; n is the bit. At (c * rows + r) * words + w,
    `lines_through` has those through the cell by number. Word `after_it[c * parts + p]` holds the last bit
    of part p.
    """

    def __init__(self, layout: Layout) -> None:
        columns, rows = layout.columns, layout.rows
        lines = sorted(lines_of(columns, rows), key=lambda line: (min(line)[0], max(line)[0]))
        spans = [[n for n, line in enumerate(lines) if c in dict(line)] for c in range(columns)]
        self.words = words_for(len(lines))
        self.parts = max(words_for(span[-1] + 1 - span[0]) for span in spans)
        self.one_window = len(layout.first_columns(columns // 2)) == 1
        through, above = np.zeros((2, columns, rows, self.parts), np.uint64)
        by_number = np.zeros((columns, rows, self.words), np.uint64)
        starts: list[int] = []
        ends: list[int] = []
        entries: list[tuple[int, int, int, int]] = []
        for c, span in enumerate(spans):
            starts.append(len(entries))
            for n in range(span[0], span[-1] + 1):
                line = lines[n]
                left = min(line)[0]
                below = [(x, y) for x, r in line for y in range(r + 1)]
                first = min(left, columns - layout.span)
                if self.one_window:
                    first = layout.first_columns(c)[0]
                entries.append((bits(line, first, layout), bits(below, first, layout), first, left))
                part, bit = divmod(n - span[0], 64)
                for r in range(rows):
                    if (c, r) in line:
                        through[c, r, part] |= np.uint64(1 << bit)
                        by_number[c, r, n // 64] |= np.uint64(1 << n % 64)
                    elif (c, r) in below:
                        above[c, r, part] |= np.uint64(1 << bit)
            ends.append(len(entries))
        masks, belows, firsts, lefts = zip(*entries, strict=True)
        self.through, self.above = through.ravel(), above.ravel()
        self.lines_through = by_number.ravel()
        self.starts, self.ends = np.array(starts, np.int64), np.array(ends, np.int64)
        self.masks, self.belows = np.array(masks, np.uint64), np.array(belows, np.uint64)
        self.firsts, self.lefts = np.array(firsts, np.int64), np.array(lefts, np.int64)
        self.begins = np.array([span[0] for span in spans], np.uint64)
        last = len(lines) - 1
        self.after_it = np.array(
            [min(s[0] + 64 * p + 63, last) // 64 for s in spans for p in range(self.parts)],
            np.uint64,
        )


def words_for(count: int) -> int:
    """Return how many words hold so many bits."""
    return -(-count // 64)


def bits(cells: Iterable[tuple[int, int]], first: int, layout: Layout) -> int:
    """Return cells (column, row) as bits of the window that begins at a column; others are left out."""
    inside = {(x - first, r) for x, r in cells if first <= x < first + layout.span}
    return sum(1 << (x * layout.stride + r) for x, r in inside)


def worth_of_lines(rows: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return k**3 / (f + 1) in units of 2**-32 at index k * (4 * rows + 1) + f."""
    reach = 4 * rows + 1
    table = np.zeros(5 * reach, np.int64)
    for k in range(5):
        for f in range(reach):
            table[k * reach + f] = round(k**3 * (1 << POINT) / (f + 1))
    return table


def gains_of(
    worth: np.ndarray[tuple[int], np.dtype[np.int64]], rows: int, reading: str
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return what a stone of the mover adds to a line, at index o + 2 * on + 4 * k + 32 * c: k stones of
    one side lie in the line, the opponent's if o = 1, the new one does (on = 1) or only helps to complete
    it, and c cells in all must be dropped to complete it. Lines of both sides are worth nothing.
    """
    reach = 4 * rows + 1
    table = np.zeros(32 * reach, np.int64)
    for stones, opponent, on, c in product(range(5), (False, True), range(2), range(reach)):
        inside = 4 - stones  # the line's own empty cells
        f, less = {"A": (inside, on), "B": (c, 1), "C": (c - inside, 1 - on)}[reading]
        after = stones + (0 if opponent else on)
        if f < less or after > 4 or (opponent and not stones):
            continue  # no position has that
        was, new = worth[stones * reach + f], worth[after * reach + f - less]
        gain = was - (0 if on else new) if opponent else new - was
        table[opponent + 2 * on + 4 * stones + 32 * c] = gain
    return table
