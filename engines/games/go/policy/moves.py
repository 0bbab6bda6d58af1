"""Moves that the last ones call for: captures, escapes from atari, shapes; and playouts made of them."""

from __future__ import annotations

import numpy as np

from joute.engines.games.go.cells import (
    ONE,
    SET,
    Cells,
    both,
    either,
    less,
    nothing,
    nth_cell,
    size,
    some,
)
from joute.engines.games.go.policy.chains import Chains, head
from joute.engines.games.go.rules import Rules, captured_kernel, own_eye_kernel
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import State, rule
from joute.engines.kernels.random import below

# Bits of the word `knobs`; from MERCY on a number of stones, up to MOST_MERCY.
EYES, CAPTURE, ESCAPE, SHAPES, LATE = (U(1 << k) for k in range(5))
MERCY, MOST_MERCY = U(8), U(511)
RULES, LIB2, SELFATARI = U(20), U(28), U(36)  # where rates begin, eight bits each
FULL = U(255)  # a rate of 1
CELL = U(0xFFFF)


def urgent_kernel(cells: Cells, chains: Chains) -> Kernel:
    """Return `urgent(own, other, empty, last, before, knobs)`: the cells that take, or save from, atari.

    Captured are the chain that moved last, and those beside the own move before it; saved are own
    chains beside the last move, by capturing one of what surrounds them, or by a move to two
    liberties. `last` and `before` are cells + 1, or 0.
    """
    near, one, around = cells.near, cells.one, cells.around
    chain, liberty, last_liberties, breadth = (
        chains.chain, chains.liberty, chains.last_liberties, chains.breadth,
    )  # fmt: skip

    @kernel(f"{SET}({SET}, {SET}, {SET}, u8, u8, u8)")
    def urgent(own, other, empty, last, before, knobs):
        cells = nothing()
        if knobs & CAPTURE:
            if last:
                cells = last_liberties(one(last - ONE), other, empty)
            if before:
                cells = either(cells, last_liberties(near(before - ONE), other, empty))
        if last and knobs & ESCAPE:
            left = both(near(last - ONE), own)
            while some(left):
                group = chain(head(left), own)
                left = less(left, group)
                way = liberty(group, empty)
                if some(way):
                    cells = either(cells, last_liberties(around(group), other, empty))
                    if breadth(way, own, empty) > 1:
                        cells = either(cells, way)
        return cells

    return urgent


def pressing_kernel(cells: Cells, chains: Chains) -> Kernel:
    """Return `pressing(own, other, empty, last)`: the cells that put the chain that moved last in atari, if
    the new stone is not in atari itself, or that give an own chain beside it its third liberty.

    `last` is a cell + 1. Source: Baudis and Gailly, "Pachi: State of the Art Open Source Go Program" (2011).
    """
    near, one, around = cells.near, cells.one, cells.around
    chain, in_two, breadth = chains.chain, chains.in_two, chains.breadth

    @kernel(f"{SET}({SET}, {SET}, {SET}, u8)")
    def pressing(own, other, empty, last):
        cells, left = nothing(), in_two(one(last - ONE), other, empty)
        while some(left):
            here = head(left)
            left = less(left, here)
            if breadth(here, own, empty) > 1:
                cells = either(cells, here)
        left = in_two(near(last - ONE), own, empty)
        while some(left):
            here = head(left)
            left = less(left, here)
            if size(both(around(chain(here, own)), less(empty, here))) > 2:
                cells = either(cells, here)
        return cells

    return pressing


def playout_kernel(
    rules: Rules, state: State, cells: Cells, legal: Kernel, chains: Chains, urgent: Kernel,
    pressing: Kernel, shape: Kernel,
) -> Kernel:  # fmt: skip
    """Return `playout`: the first that there is of an urgent move, one that presses, a shape beside the
    last move, any that is not left out as a self-atari.
    """
    parts, passing = state.second - state.first, rules.cells
    first, ply, recent, knobs_at = state.first, state.ply, state.recent, state.knobs
    whole, load, one, near, aslant = cells.whole, cells.load, cells.one, cells.near, cells.aslant
    own_eye = own_eye_kernel(rules, cells)
    breadth, captured = chains.breadth, captured_kernel(cells)

    @kernel("b1(u8, u8, u8[::1])")
    def drawn_at(knobs, rate, S):
        # Whether the rule of that rate is followed this time; a rate of 0 or 1 draws nothing.
        share = (knobs >> rate) & FULL
        return share == FULL or (share > U(0) and below(S, FULL) < share)

    @kernel(f"i8(u8[::1], u8, {SET}, u8[::1])")
    def drawn(W, at, some_cells, S):
        # A legal one of the cells, or -1.
        left = some_cells
        while True:
            n = size(left)
            if n == 0:
                return np.int64(-1)
            c = nth_cell(left, np.int64(below(S, U(n))))
            if legal(W, at, c):
                return np.int64(c)
            left = less(left, one(c))

    @kernel(f"i8(u8[::1], u8, {SET}, {SET}, {SET}, u8, u8[::1])")
    def shaped(W, at, own, other, empty, last, S):
        # A legal cell beside the last move that makes a shape and is no self-atari, or -1.
        left = both(either(near(last - ONE), aslant(last - ONE)), empty)
        while True:
            n = size(left)
            if n == 0:
                return np.int64(-1)
            c = nth_cell(left, np.int64(below(S, U(n))))
            fits = shape(W, at, c) and breadth(one(c), own, empty) > 1
            if fits and not own_eye(own, other, c) and legal(W, at, c):
                return np.int64(c)
            left = less(left, one(c))

    @rule
    def playout(W, at, A, to, S):
        mover, knobs = W[at + ply] & ONE, W[at + knobs_at]
        own = load(W, at + first + mover * parts)
        other = load(W, at + first + (ONE - mover) * parts)
        empty = less(whole(), either(own, other))
        mercy = np.int64((knobs >> MERCY) & MOST_MERCY)
        if mercy:
            ahead = size(own) - size(other)
            if ahead > mercy:
                return -np.int64(mover + ONE)
            if -ahead > mercy:
                return -np.int64(U(2) - mover)
        last, before = W[at + recent] & CELL, (W[at + recent] >> U(16)) & CELL
        if knobs & (CAPTURE | ESCAPE) and drawn_at(knobs, RULES, S):
            c = drawn(W, at, urgent(own, other, empty, last, before, knobs), S)
            if c >= 0:
                return c
        if last and drawn_at(knobs, LIB2, S):
            c = drawn(W, at, pressing(own, other, empty, last), S)
            if c >= 0:
                return c
        if last and knobs & SHAPES and drawn_at(knobs, RULES, S):
            c = shaped(W, at, own, other, empty, last, S)
            if c >= 0:
                return c
        left = empty
        while True:
            n = size(left)
            if n == 0:
                return np.int64(passing)
            c = nth_cell(left, np.int64(below(S, U(n))))
            here = one(c)
            left = less(left, here)
            if (knobs & EYES and own_eye(own, other, c)) or not legal(W, at, c):
                continue
            if (knobs >> SELFATARI) & FULL and breadth(here, own, empty) < 2:
                takes = some(captured(other, less(empty, here), c))
                if not takes and drawn_at(knobs, SELFATARI, S):
                    continue
            return np.int64(c)

    return playout


def actions_kernel(game_actions: Kernel, rules: Rules, state: State, cells: Cells) -> Kernel:
    """Return `actions`: those of the game, but own eyes and, if it is to be late, a pass too early."""
    parts, passing = state.second - state.first, rules.cells
    first, ply, passes, knobs_at = state.first, state.ply, state.passes, state.knobs
    load, own_eye = cells.load, own_eye_kernel(rules, cells)

    @rule
    def actions(W, at, A, to):
        mover, knobs = W[at + ply] & ONE, W[at + knobs_at]
        own = load(W, at + first + mover * parts)
        other = load(W, at + first + (ONE - mover) * parts)
        m, n = game_actions(W, at, A, to), to
        for i in range(m - 1):  # the last one is the pass
            c = A[to + U(i)]
            if not (knobs & EYES and own_eye(own, other, U(c))):
                A[n] = c
                n += ONE
        if n == to or W[at + passes] > U(0) or not knobs & LATE:
            A[n] = passing
            n += ONE
        return np.int64(n - to)

    return actions
