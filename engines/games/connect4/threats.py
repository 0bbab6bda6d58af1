"""`threats`: only moves that do not lose at once, those that make most threats first.

A threat is an empty cell that completes four. In this order: a winning move; a block; two threats
that the other cannot both fill. Moves below a threat of the other are left out; if all moves lose,
one stays. So no value of a game searched to its end changes: moves left out lose in two plies, the
fastest loss, or win later than those listed.
"""

from __future__ import annotations

import numpy as np

from joute.engines.game import Game
from joute.engines.games.connect4.connect4 import Connect4, Layout, window_kernel
from joute.engines.generator import Generator
from joute.engines.kernels.bits import lowest, popcount
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import rule

ONE = U(1)
FORK = 1 << 10


class Threats(Generator):
    """Wins, blocks, and moves that let nobody win; the most threatening first."""

    name = "threats"
    summary = "wins first, then blocks, then all but moves below a threat; most threats first"
    games = ("connect4",)
    symmetric = True

    def build(self, game: Game, stride: int, base: int) -> list[Kernel]:
        """Return the kernels."""
        assert isinstance(game, Connect4)
        return [actions_kernel(game.layout)]


def threats_kernel(layout: Layout) -> Kernel:
    """Return `threats(own, other)`: the empty cells of a window that complete four of `own`."""
    s, board = layout.stride, U(0)
    for column in range(layout.span):
        board |= U((1 << layout.rows) - 1) << U(column * s)

    @kernel("u8(u8, u8)")
    def along(own, step):
        # The cells that complete four in one direction.
        right = (own << step) & (own << (U(2) * step))
        left = (own >> step) & (own >> (U(2) * step))
        right &= (own << (U(3) * step)) | (own >> step)
        return right | (left & ((own << step) | (own >> (U(3) * step))))

    @kernel("u8(u8, u8)")
    def threats(own, other):
        cells = (own << ONE) & (own << U(2)) & (own << U(3))
        cells |= along(own, U(s - 1)) | along(own, U(s)) | along(own, U(s + 1))
        return cells & board & ~(own | other)

    return threats


def actions_kernel(layout: Layout) -> Kernel:
    """Return `actions`."""
    columns, state = layout.columns, layout.state
    stride, height = U(layout.stride), U(layout.rows)
    mine, theirs, heights, meta = state.mine, state.theirs, state.heights, state.meta
    bottom = U(sum(1 << (c * layout.stride) for c in range(layout.span)))
    odd = bottom * U(sum(1 << r for r in range(0, layout.rows, 2)))  # rows, the lowest the first
    window, threats = window_kernel(layout), threats_kernel(layout)
    firsts = [layout.first_columns(c) for c in range(columns)]
    first_of = U(sum(first[0] << (4 * c) for c, first in enumerate(firsts)))
    windows = U(sum(len(first) << (4 * c) for c, first in enumerate(firsts)))
    centre = sorted(range(columns), key=lambda c: (abs(2 * c - columns + 1), c))
    order = U(sum(c << (4 * i) for i, c in enumerate(centre)))

    @kernel("u8(u8, u8)")
    def digit(word, i):
        return (word >> (U(4) * i)) & U(15)

    @kernel("u8(u8[::1], u8, u8, u8)")
    def near(W, own, other, column):
        # The threats in a column, a bit a row.
        rows, begin = U(0), digit(first_of, column)
        for k in range(digit(windows, column)):
            first = begin + U(k)
            cells = threats(window(W, own, first), window(W, other, first))
            rows |= cells >> ((column - first) * stride)
        return rows & ((ONE << stride) - ONE)

    @kernel("i8(u8[::1], u8, u8, u8)")
    def score(W, at, column, row):
        # What a stone is worth by the threats it makes: 8, and 1 more in a row that the mover will
        # come to get; 1 less if the other fills one just above; FORK for two that he cannot both fill.
        worth, begin = np.int64(0), digit(first_of, column)
        good = odd << (W[at + meta] & ONE)
        for k in range(digit(windows, column)):
            first = begin + U(k)
            stone = ONE << ((column - first) * stride + row)
            own, other = window(W, at + mine, first), window(W, at + theirs, first)
            after = threats(own | stone, other)
            now = after & ((own | other | stone) + bottom)
            if now & (now - ONE) or now & (after >> ONE):
                return FORK
            new = after & ~threats(own, other)
            worth += np.int64(8) * popcount(new) + popcount(new & good)
            if after & (stone << ONE):
                worth -= 1
        return worth

    @rule
    def actions(W, at, A, to):
        tall, free, forced, below = W[at + heights], U(0), U(0), U(0)  # columns, a bit each
        for c in range(columns):
            column = U(c)
            row = digit(tall, column)
            if row < height:
                if (near(W, at + mine, at + theirs, column) >> row) & ONE:
                    A[to] = c
                    return 1
                danger = near(W, at + theirs, at + mine, column) >> row
                free |= ONE << column
                forced |= (danger & ONE) << column
                below |= ((danger >> ONE) & ONE) << column
        if forced:
            free = forced
        if forced & (forced - ONE) or not free & ~below:
            A[to] = np.int64(lowest(free))
            return 1
        free &= ~below
        n = to
        for i in range(columns):
            column = digit(order, U(i))
            if (free >> column) & ONE:
                worth, j = score(W, at, column, digit(tall, column)), n
                if worth == FORK:
                    A[to] = np.int64(column)
                    return 1
                while j > to and A[j - ONE] >> 4 < worth:
                    A[j] = A[j - ONE]
                    j -= ONE
                A[j] = worth << 4 | np.int64(column)
                n += ONE
        for j in range(n - to):
            A[to + U(j)] &= 15
        return np.int64(n - to)

    return actions
