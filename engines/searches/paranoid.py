"""`paranoid`: all opponents together pick what is worst for the player who searches.

Alpha-beta over that player's expected return, for any number of players, to a depth or by iterative
deepening; with two players it is plain alpha-beta. Works as alphabeta does: explicit stack, suspended
after any number of nodes. A node is one applied action; ties go to the action searched first.

Source: Sturtevant and Korf (2000).
"""

from __future__ import annotations

import numpy as np

from joute.engines.evaluation import EvaluationKernels
from joute.engines.game import Game, GameKernels
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.searches._stack import BEST, FRAME, MAX_DEPTH, NODES, ROOTS, RUNNING, STACK, STOP
from joute.engines.searches.maxn import ONE, MaxN


class Paranoid(MaxN):
    """Alpha-beta of one against all, without chance."""

    name = "paranoid"
    summary = "alpha-beta of one against all the others, for any number of players"

    def searching(
        self, game: Game, k: GameKernels, evaluation: EvaluationKernels, worth: Kernel, stride: int
    ) -> Kernel:
        """Build the kernel `search`."""
        return search_kernel(game, k, evaluation, worth, stride)


def search_kernel(
    game: Game, k: GameKernels, evaluation: EvaluationKernels, worth: Kernel, stride: int
) -> Kernel:
    """Return `search(W, root, A, I, F, P, depth) -> 1 when finished, 0 when I[NODES] reached I[STOP]`.

    The value ends in F[0], the action in I[BEST]. Frame d of F holds alpha, beta and the best value
    so far.
    """
    apply, status, to_move, actions = k.apply, k.status, k.to_move, k.actions
    update = evaluation.update
    three, words, many = U(3), U(stride), U(game.slots)
    leaf = U(3 * (MAX_DEPTH + 1))

    @kernel("i8(u8[::1], u8, i8[::1], i8[::1], f8[::1], f8[::1], i8)", inline=False)
    def search(W, root, A, I, F, P, depth):
        nodes, stop, deep = I[NODES], I[STOP], U(depth)
        me = to_move(W, root)
        d = U(0)
        # --- begin at the root, or go on in the frame that ran out of nodes
        if I[RUNNING] == 0:
            I[STACK], I[STACK + ONE] = 0, I[ROOTS]
            F[U(0)], F[U(1)], F[U(2)] = -1.0, 2.0, -1.0
            I[RUNNING] = 1
        else:
            d = U(I[FRAME])
        while True:
            frame, own = STACK + d * U(2), d * three
            src = root + d * words
            if I[frame] < I[frame + ONE]:
                # --- the next action of this node, unless the nodes are spent
                if nodes >= stop:
                    I[FRAME], I[NODES] = np.int64(d), nodes
                    return 0
                action = A[d * many + U(I[frame])]
                I[frame] += 1
                nodes += 1
                apply(W, src, src + words, action, 0)
                code = status(W, src + words)
                if code == 0:
                    update(W, src, src + words, action, P)
                    if d + ONE < deep:
                        d += ONE
                        I[frame + U(2)] = 0
                        I[frame + U(3)] = actions(W, src + words, A, d * many)
                        F[own + three], F[own + U(4)] = F[own], F[own + ONE]
                        F[own + U(5)] = -1.0 if to_move(W, src + words) == me else 2.0
                        continue
                worth(W, src + words, code, np.int64(d + ONE), F, leaf, P)
                value = F[leaf + U(me)]
            else:
                if d == U(0):
                    break
                # --- all actions are done: go up
                value = F[own + U(2)]
                d -= ONE
                frame, own = frame - U(2), own - three
                action = A[d * many + U(I[frame] - 1)]
            # --- who searches raises the value, everybody else lowers it
            if to_move(W, root + d * words) == me:
                if value > F[own + U(2)]:
                    F[own + U(2)] = value
                    F[own] = max(F[own], value)
                    if d == U(0):
                        I[BEST] = action
            elif value < F[own + U(2)]:
                F[own + U(2)] = value
                F[own + ONE] = min(F[own + ONE], value)
            if F[own] >= F[own + ONE]:
                I[frame] = I[frame + ONE]
        F[0] = F[2]
        I[NODES] = nodes
        I[RUNNING] = 0
        return 1

    return search
