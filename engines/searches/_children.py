"""What alpha-beta searches do with the children of a state: look at one, enter it, sort them, value leaves.

Frame d of W is the state d plies below the root; its actions lie at A[d * slots..], and where they are
sorted, their scores at F[SCORES + d * slots..]. A child that ends the game is marked by ~ there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from joute.engines.evaluation import EvaluationKernels
from joute.engines.game import GameKernels
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import Offsets
from joute.engines.record import WIN
from joute.engines.search import BY_LINE
from joute.engines.searches._stack import FRAMES

ONE = U(1)
SCORES = U(3 * FRAMES)  # in F, after three words a frame: the scores of sorted children


@dataclass(frozen=True)
class Children:
    """The kernels of this file; see `children_kernels`."""

    child: Kernel
    end_value: Kernel
    enter: Kernel
    last_ply: Kernel
    expand: Kernel


@kernel("i8(u8[::1], u8, u8)")
def never(W, at, i):
    """Stands for `nth` where a game lists its actions; nobody calls it."""
    return np.int64(-1)


@kernel("f8(i8, i8, u8)")
def end_value_with_line(code, mover, d):
    """Return `end_value` where a draw by the line of play is told from others: by a hair, so that the
    value says whether it comes from one.
    """
    if code == 4:
        return np.float64(-BY_LINE)
    if code == 3:
        return np.float64(0.0)
    if code == mover + 1:
        return WIN - np.float64(d + ONE)
    return np.float64(d + ONE) - WIN


def children_kernels(
    game: GameKernels,
    evaluation: EvaluationKernels,
    stride: int,
    slots: int,
    sort: bool,
    at: Offsets,
) -> Children:
    """Return the kernels for a game and an evaluation; `sort` is whether children are sorted by `expand`."""
    apply, status, to_move = game.apply, game.status, game.to_move
    listed = game.nth is None
    nth = game.nth if game.nth is not None else never
    update, value = evaluation.update, evaluation.value
    words, many, width = U(stride), U(slots), at.width

    @kernel("i8(u8[::1], i8[::1], u8, u8, u8)")
    def child(W, A, src, d, i):
        # The root's actions, and all of them in a game that lists, are read from A.
        if listed or d == U(0):
            return A[d * many + i]
        return nth(W, src, i)

    @kernel("f8(i8, i8, u8)")
    def end_value(code, mover, d):
        # For the player who moved into the finished state, one ply below frame d.
        if code == 3:
            return np.float64(0.0)
        if code == mover + 1:
            return WIN - np.float64(d + ONE)
        return np.float64(d + ONE) - WIN

    if game.repeats is not None:
        end_value = end_value_with_line

    if game.peek is not None and evaluation.after is not None:
        peek, after = game.peek, evaluation.after

        @kernel("Tuple((i8, f8))(u8[::1], u8, i8, i8, u8, f8[::1])")
        def look(W, src, action, mover, d, P):
            # The status of a child of frame d, and its value for the player who moves into it.
            code = peek(W, src, action)
            return code, -after(W, src, action, P) if code == 0 else end_value(code, mover, d)

    else:

        @kernel("Tuple((i8, f8))(u8[::1], u8, i8, i8, u8, f8[::1])")
        def look(W, src, action, mover, d, P):
            dst = src + words
            apply(W, src, dst, action, 0)
            code = status(W, dst)
            if code != 0:
                return code, end_value(code, mover, d)
            update(W, src, dst, action, P)
            return code, -value(W, dst, P)

    if game.peek is not None and game.advance is not None:
        foresee, advance = game.peek, game.advance

        @kernel("i8(u8[::1], u8, u8, i8)")
        def enter(W, src, dst, action):
            # Writes a child, unless the game is over there; returns its status.
            code = np.int64(0)
            if not sort:
                code = foresee(W, src, action)
            elif action < 0:  # expand has marked the children that end the game
                return foresee(W, src, ~action)
            if code == 0:
                advance(W, src, dst, action)
            return code

    else:

        @kernel("i8(u8[::1], u8, u8, i8)")
        def enter(W, src, dst, action):
            apply(W, src, dst, action if action >= 0 else ~action, 0)
            return status(W, dst)

    @kernel("Tuple((f8, i8, i8))(u8[::1], u8, i8[::1], u8, u8, f8, f8[::1])")
    def last_ply(W, src, A, d, n, beta, P):
        # The best value of frame d, whose n children are leaves; its action; the nodes spent.
        mover, nodes, i = to_move(W, src), np.int64(0), U(0)
        best, chosen = np.float64(-2 * WIN), np.int64(-1)
        while i < n:
            action = child(W, A, src, d, i)
            i += ONE
            # Without a jump back of their own: LLVM would skip such children 32 at a time.
            nodes += np.int64(listed or action >= 0)
            if listed or action >= 0:
                _, v = look(W, src, action, mover, d, P)
                if v > best:
                    best, chosen = v, action
                    if v >= beta:
                        break
        return best, chosen, nodes

    @kernel("i8(u8[::1], u8, i8[::1], f8[::1], f8[::1], u8, u8)")
    def expand(W, src, A, F, P, d, n):
        # Sorts the n children listed in A, best first, equals as they were, those that end the game
        # marked by ~; returns how many are kept, or -k when the k-th wins: then it is first in A.
        # All are valued before any is moved: a comparison that is mispredicted is then soon found out.
        # An insertion sort: a game's own order is often nearly sorted.
        base, at = d * many, SCORES + d * many
        mover, i = to_move(W, src), U(0)
        while i < n:
            action = A[base + i]
            code, score = look(W, src, action, mover, d, P)
            if code == mover + 1:
                A[base] = action
                return -np.int64(i + ONE)
            F[at + i] = score
            A[base + i] = action if code == 0 else ~action
            i += ONE
        i = ONE
        while i < n:
            action, score, j = A[base + i], F[at + i], i
            while j != U(0) and F[at + j - ONE] < score:
                F[at + j] = F[at + j - ONE]
                A[base + j] = A[base + j - ONE]
                j -= ONE
            F[at + j] = score
            A[base + j] = action
            i += ONE
        return max(np.int64(1), np.int64(math.ceil(P[width] * np.float64(n) - 1e-9)))

    return Children(child, end_value, enter, last_ply, expand)
