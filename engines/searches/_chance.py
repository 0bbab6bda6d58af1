"""What both kernels of `expectiminimax` share: the layout of frames, ends of games, remembered actions.

Frame d of W is the state d plies below the root. A holds the actions of each frame, then the outcomes
that each action now tried may have, then the best action last found in a position: its key, the action.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from joute.engines.evaluation import EvaluationKernels
from joute.engines.game import GameKernels
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.record import WIN
from joute.engines.searches._stack import FRAMES

ONE = U(1)
OPEN = 1e300  # beyond any value
TABLE = 1 << 14  # positions whose best action is remembered
# Of a frame in I: actions tried, actions, outcomes tried, outcomes, the action now tried.
TRIED, MANY, DRAWN, OUTCOMES, ACTION, INTS = (U(k) for k in range(6))
# Of a frame in F: best value, window, mean so far.
VALUE, ALPHA, BETA, MEAN, FLOATS = (U(k) for k in range(5))


@dataclass(frozen=True)
class ChanceKernels:
    """The kernels of this file.

    ended(W, at, code, d, P) -> the value of a finished state d plies below the root, for the player to
    move there. name(W, at) -> a key of the state as it stands, path and all; never 0. to_front(W, at, A,
    first, n): of the n actions at A[first..] the remembered one goes first.
    """

    ended: Kernel
    name: Kernel
    to_front: Kernel


def chance_kernels(
    k: GameKernels, evaluation: EvaluationKernels, stride: int, slots: int, branches: int
) -> ChanceKernels:
    """Return the kernels for a game, an evaluation and `branches` outcomes of an action at most."""
    to_move, value, words = k.to_move, evaluation.value, U(stride)
    table, mask = U(FRAMES * (slots + branches)), U(TABLE - 1)
    final, own = (
        evaluation.final if evaluation.final is not None else value,
        evaluation.final is not None,
    )

    @kernel("f8(u8[::1], u8, i8, u8, f8[::1])")
    def ended(W, at, code, d, P):
        # The value of a finished state d plies below the root, for the player to move there.
        if own:
            return final(W, at, P)
        if code == 3:
            return np.float64(0.0)
        sign = 1.0 if code == to_move(W, at) + 1 else -1.0
        return sign * (WIN - np.float64(d))

    @kernel("u8(u8[::1], u8)")
    def name(W, at):
        # A key of the state as it stands; never 0.
        key = U(0)
        for i in range(words):
            key = (key ^ W[at + U(i)]) * U(0x9E3779B97F4A7C15)
            key ^= key >> U(29)
        return key | U(1) << U(63)

    @kernel("void(u8[::1], u8, i8[::1], u8, u8)")
    def to_front(W, at, A, first, n):
        # The remembered action first, the others as they were.
        key = name(W, at)
        place = table + U(2) * (key & mask)
        if U(A[place]) == key:
            best, i = A[place + ONE], U(0)
            while i < n and A[first + i] != best:
                i += ONE
            if i < n:
                while i > U(0):
                    A[first + i] = A[first + i - ONE]
                    i -= ONE
                A[first] = best

    return ChanceKernels(ended, name, to_front)
