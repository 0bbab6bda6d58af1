"""`paranoid`: all opponents together pick what is worst for the player who searches.

Alpha-beta over that player's expected return, for any number of players, to a depth or by iterative
deepening; with two players it is plain alpha-beta. Works as alphabeta does: explicit stack, suspended
after any number of nodes. A node is one applied action; ties go to the action searched first.

Source: Sturtevant and Korf (2000).
"""

from __future__ import annotations

from joute.engines.game import Game, GameKernels
from joute.engines.kernels.compile import U, kernel
from joute.engines.searches._stack import BEST, MAX_DEPTH
from joute.engines.searches.maxn import ANSWER, ENTER, TAKE, Frames, MaxN

ALPHA, BETA, VALUE = (U(i) for i in range(3))  # in a frame: the window, the best value so far
SIZE = U(3)


class Paranoid(MaxN):
    """Alpha-beta of one against all, without chance."""

    name = "paranoid"
    summary = "alpha-beta of one player against all others, for any number of players"

    def frames(self, game: Game, k: GameKernels, stride: int) -> Frames:
        """Return frames of a window and the best value so far, for the player who searches."""
        to_move, words, leaf = k.to_move, U(stride), SIZE * U(MAX_DEPTH + 1)

        @kernel(ENTER)
        def enter(W, root, d, F):
            own = d * SIZE
            F[own + ALPHA], F[own + BETA], F[own + VALUE] = -1.0, 2.0, -1.0
            if d > U(0):
                F[own + ALPHA], F[own + BETA] = F[own - SIZE + ALPHA], F[own - SIZE + BETA]
                if to_move(W, root + d * words) != to_move(W, root):
                    F[own + VALUE] = 2.0

        @kernel(TAKE)
        def take(W, root, d, action, values, I, F):
            me, own = to_move(W, root), d * SIZE
            value = F[values + U(me)] if values == leaf else F[values + VALUE]
            # Who searches raises the value, everybody else lowers it.
            if to_move(W, root + d * words) == me:
                if value > F[own + VALUE]:
                    F[own + VALUE] = value
                    F[own + ALPHA] = max(F[own + ALPHA], value)
                    if d == U(0):
                        I[BEST] = action
            elif value < F[own + VALUE]:
                F[own + VALUE] = value
                F[own + BETA] = min(F[own + BETA], value)
            return F[own + ALPHA] >= F[own + BETA]

        @kernel(ANSWER)
        def answer(W, root, F):
            return F[VALUE]

        return Frames(int(SIZE), enter, take, answer)
