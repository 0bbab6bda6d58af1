"""A guess of each move's mean return before any search: .5 plus or minus some bonuses."""

from __future__ import annotations

from joute.engines.games.go.cells import (
    ONE,
    SET,
    Cells,
    either,
    less,
    meet,
    words_of,
)
from joute.engines.games.go.policy.chains import Chains
from joute.engines.games.go.rules import Rules
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import Offsets, State, rule

LEAST, MOST = 0.02, 0.98
PASSES = 0.1  # a pass that answers none
CELL = U(0xFFFF)


def guess_kernel(
    rules: Rules, state: State, cells: Cells, chains: Chains, shape: Kernel, at_P: Offsets
) -> Kernel:
    """Return `guess`, its parameters at `at_P`."""
    parts, passing = state.second - state.first, rules.cells
    first, ply, passes, recent = state.first, state.ply, state.passes, state.recent
    whole, load, one, near, around = cells.whole, cells.load, cells.one, cells.near, cells.around
    in_atari, breadth = chains.in_atari, chains.breadth
    low, third = lines_kernels(rules)
    takes, saves, shaped, beside, open_, atari, ataris = (
        at_P.takes, at_P.saves, at_P.shaped, at_P.beside, at_P.open, at_P.self_atari, at_P.ataris,
    )  # fmt: skip
    in_two = chains.in_two

    @rule
    def guess(W, at, A, count, P, F, to):
        mover = W[at + ply] & ONE
        own = load(W, at + first + mover * parts)
        other = load(W, at + first + (ONE - mover) * parts)
        stones = either(own, other)
        empty = less(whole(), stones)
        weak, prey = in_atari(own, own, empty), in_atari(other, other, empty)
        hunted = in_two(other, other, empty) if P[ataris] != 0.0 else less(empty, empty)
        crowded = either(stones, around(stones))
        crowded = either(crowded, around(crowded))
        crowded = either(crowded, around(crowded))
        last, close = W[at + recent] & CELL, less(stones, stones)
        if last:
            close = around(one(last - ONE))
            close = either(close, around(close))
        for i in range(count):
            if A[U(i)] == passing:
                F[to + U(i)] = 0.5 if W[at + passes] > U(0) else PASSES
                continue
            c = U(A[U(i)])
            here, score = one(c), 0.5
            captures = meet(near(c), prey)
            if captures:
                score += P[takes]
            if captures or breadth(here, own, empty) > 1:
                if meet(near(c), weak):
                    score += P[saves]
                if meet(here, hunted):
                    score += P[ataris]
            else:
                score -= P[atari]
            if shape(W, at, c):
                score += P[shaped]
            if meet(here, close):
                score += P[beside]
            if not meet(here, crowded):
                if meet(here, low()):
                    score -= P[open_]
                elif meet(here, third()):
                    score += P[open_]
            F[to + U(i)] = min(max(score, LEAST), MOST)

    return guess


def lines_kernels(rules: Rules) -> tuple[Kernel, Kernel]:
    """Return `low()` and `third()`: the cells of the two lines at the edge, and of the third."""
    lines: list[list[int]] = [[], [], []]
    for c in range(rules.cells):
        y, x = divmod(c, rules.columns)
        line = min(x, y, rules.columns - 1 - x, rules.rows - 1 - y)
        if line < len(lines):
            lines[line].append(c)
    a0, a1, a2, a3, a4, a5 = map(U, words_of(lines[0] + lines[1]))
    b0, b1, b2, b3, b4, b5 = map(U, words_of(lines[2]))

    @kernel(f"{SET}()")
    def low():
        return a0, a1, a2, a3, a4, a5

    @kernel(f"{SET}()")
    def third():
        return b0, b1, b2, b3, b4, b5

    return low, third
