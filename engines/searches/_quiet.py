"""Quiescence: what a position is worth once nothing forcing is left to play.

The value is the best of standing pat, which is the evaluation, and of the forcing actions of the game
(its kernel `forcing`), each valued so again; who must answer a threat has no such choice and tries all
actions. After `QUIET` plies the evaluation stands. Neither order nor window changes it; a node is one
applied action. Source: Shannon 1950; standing pat: Beal 1990, "A generalised quiescence search algorithm".
"""

from __future__ import annotations

import numpy as np

from joute.engines.evaluation import EvaluationKernels
from joute.engines.game import GameKernels
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.record import WIN
from joute.engines.searches._children import Children

QUIET = 32  # plies at most
ONE = U(1)
# Of each ply in F: the best value and the window.
THREE, TWO = U(3), U(2)


def quiet_room(slots: int) -> tuple[int, int]:
    """Return how many words of A and F it works in."""
    return QUIET * (slots + 2), QUIET * 3


def quiet_kernel(
    game: GameKernels,
    evaluation: EvaluationKernels,
    steps: Children,
    stride: int,
    slots: int,
    ints: np.uint64,
    floats: np.uint64,
) -> Kernel:
    """Return `quiet(W, at, A, F, P, ply, alpha, beta) -> (value, nodes)`: the value, for who moves, of a
    state that is not over and lies so many plies below the root; it works from A[ints] and F[floats] on,
    and in the states behind. A value outside the window is a bound.
    """
    forcing, apply, status, to_move = game.forcing, game.apply, game.status, game.to_move
    update, value, end_value = evaluation.update, evaluation.value, steps.end_value
    words, room, last = U(stride), U(slots + 2), U(QUIET - 1)

    @kernel("Tuple((f8, i8))(u8[::1], u8, i8[::1], f8[::1], f8[::1], u8, f8, f8)")
    def quiet(W, at, A, F, P, ply, alpha, beta):
        d, nodes, new = U(0), np.int64(0), True
        i, n, best = U(0), U(0), -2 * WIN
        while True:
            src, base, here = at + d * words, ints + d * room, floats + THREE * d
            # --- a position reached just now: stand pat, unless something must be answered
            if new:
                new, i, best = False, U(0), -2 * WIN
                listed = forcing(W, src, A, base + TWO)
                if listed >= 0 or d == last:
                    best = value(W, src, P)
                    alpha = max(alpha, best)
                n = U(abs(listed))
                if best >= beta or d == last:
                    n = U(0)
            down = False
            while i < n:
                action = A[base + TWO + i]
                i += ONE
                dst = src + words
                apply(W, src, dst, action, 0)
                nodes += 1
                code = status(W, dst)
                if code == 0:
                    update(W, src, dst, action, P)
                    A[base], A[base + ONE] = np.int64(i), np.int64(n)
                    F[here], F[here + ONE], F[here + TWO] = best, alpha, beta
                    alpha, beta = -beta, -alpha
                    d += ONE
                    new, down = True, True
                    break
                best = max(best, end_value(code, to_move(W, src), ply + d))
                alpha = max(alpha, best)
                if alpha >= beta:
                    break
            if down:
                continue
            # --- all is tried: go up, the value changes its sign
            if d == U(0):
                return best, nodes
            d -= ONE
            base, here = ints + d * room, floats + THREE * d
            i, n = U(A[base]), U(A[base + ONE])
            v, best, alpha, beta = -best, F[here], F[here + ONE], F[here + TWO]
            best = max(best, v)
            alpha = max(alpha, best)
            if alpha >= beta:
                i = n

    return quiet
