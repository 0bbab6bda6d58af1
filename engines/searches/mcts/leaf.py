"""Leaves: the returns expected at a state, and those of a finished game.

| kernel | meaning |
|---|---|
| leaf(W, at, A, S, R, P) | write at R[p] the return expected for player p at a state that is not over |

Returns lie in [0, 1].
"""

from __future__ import annotations

import numpy as np

from joute.engines.evaluation import EvaluationKernels, expected_kernel
from joute.engines.game import Game, GameKernels, rest_of
from joute.engines.kernels.compile import Kernel, U, kernel

LEAF = "void(u8[::1], u8, i8[::1], u8[::1], f8[::1], f8[::1])"


def evaluated_kernel(game: Game, evaluation: EvaluationKernels, scale: float) -> Kernel:
    """Return `leaf` by an evaluation."""
    returns_expected = expected_kernel(game, evaluation, scale)

    @kernel(LEAF)
    def leaf(W, at, A, S, R, P):
        returns_expected(W, at, P, R, U(0))

    return leaf


def playout_kernel(game: Game, k: GameKernels, stride: int, noted: bool = False) -> Kernel:
    """Return `leaf` by playing random actions to the end, drawn by the game's `playout` if it has one.

    What is played is `noted` behind the list of actions, as `rave.py` reads it.
    """
    apply, status, ended = k.apply, k.status, ended_kernel(game, k)
    sample = k.sample if k.playout is None else k.playout
    chance, outcome = k.outcome is not None, k.outcome if k.outcome is not None else k.to_move
    step, lasting = U(stride), game.path_dependent
    played, to_move = U(game.slots), k.to_move

    @kernel(LEAF)
    def playout(W, at, A, S, R, P):
        src, dst = at, at + step
        code = np.int64(0)
        while code == 0:
            action = sample(W, src, A, U(0), S)
            if action < 0:
                code = -action
                break
            if noted:
                A[played + U(2 * A[played] + 1)] = action
                A[played + U(2 * A[played] + 2)] = to_move(W, src)
                A[played] += 1
            drawn = np.int64(0)
            if chance:
                drawn = outcome(W, src, action, S)
            apply(W, src, dst, action, drawn)
            code = status(W, dst)
            if lasting:
                src, dst = dst, dst + step
            else:
                src, dst = dst, src
        ended(W, src, code, R)

    return playout


def ended_kernel(game: Game, k: GameKernels) -> Kernel:
    """Return `ended(W, at, code, R)`: write the returns of a game that is over with that status."""
    players, rest, returns = game.players, rest_of(game.players), k.returns

    @kernel("void(u8[::1], u8, i8, f8[::1])")
    def ended(W, at, code, R):
        if code <= players:
            for p in range(players):
                R[U(p)] = rest
            R[U(code - 1)] = 1.0
        else:
            returns(W, at, R, U(0))

    return ended
