"""`maxn`: every player picks what is best for itself, to a depth or by iterative deepening.

Values are expected returns, one per player, that sum to players / 2. A branch is left as soon as the
player to move has more than what the player before could give away (shallow pruning, which never
changes the result; Korf 1991). Works as alphabeta does: explicit stack, suspended after any number of
nodes. A node is one applied action; ties go to the action searched first.

Source: Luckhardt and Irani (1986).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from joute.engines.errors import Refused
from joute.engines.evaluation import Evaluation, EvaluationKernels, expected_kernel
from joute.engines.game import Game, GameKernels, rest_of
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.search import Setup
from joute.engines.searches._stack import (
    BEST,
    FRAME,
    MAX_DEPTH,
    NODES,
    ROOTS,
    RUNNING,
    STACK,
    STOP,
    StackSearch,
    begin_kernel,
    deepening_parameter,
    depth_parameter,
)

ONE = U(1)
LATER = 1e-6  # a return is moved so far towards 1/2 for every ply that it is away
ENTER = "void(u8[::1], u8, u8, f8[::1])"
TAKE = "b1(u8[::1], u8, u8, i8, u8, i8[::1], f8[::1])"
ANSWER = "f8(u8[::1], u8, f8[::1])"


@dataclass(frozen=True)
class Frames:
    """What a frame of F holds, and the kernels that keep it.

    size: numbers in a frame
    enter(W, root, d, F): make frame d new
    take(W, root, d, action, values, I, F): take what came of an action of frame d into it, from F[values]
        on: returns at a leaf, else frame d + 1; whether the other actions may be skipped
    answer(W, root, F): the value of the root for the player to move
    """

    size: int
    enter: Kernel
    take: Kernel
    answer: Kernel


class MaxN(StackSearch):
    """Max^n for two and more players, without chance."""

    name = "maxn"
    summary = "every player maximises its own value (max^n) to a depth, for any number of players"
    parameters = (depth_parameter(4), deepening_parameter())
    tells = "return"

    def check(self, game: Game, evaluation: Evaluation | None) -> None:
        """Refuse games of chance."""
        super().check(game, evaluation)
        if game.chance:
            raise Refused(f"{self.name} is for games without chance; {game.name} has chance")

    def specialised(
        self, setup: Setup, rules: GameKernels, evaluation: EvaluationKernels, stride: int
    ) -> tuple[Kernel, Kernel]:
        """Build the kernels."""
        assert setup.evaluation is not None
        game, scale = setup.game, setup.evaluation.scale
        begin = begin_kernel(rules, evaluation)
        worth = worth_kernel(game, rules, expected_kernel(game, evaluation, scale))
        frames = self.frames(game, rules, stride)
        return begin, search_kernel(game, rules, evaluation, worth, stride, frames)

    def frames(self, game: Game, k: GameKernels, stride: int) -> Frames:
        """Return what a frame holds, and the kernels that keep it."""
        return best_of_each(game, k, stride)


def worth_kernel(game: Game, k: GameKernels, expected: Kernel) -> Kernel:
    """Return `worth(W, at, code, d, F, to, P)`: the returns at a leaf d plies below the root."""
    players, rest, returns = game.players, rest_of(game.players), k.returns

    @kernel("void(u8[::1], u8, i8, i8, f8[::1], u8, f8[::1])")
    def worth(W, at, code, d, F, to, P):
        if code == 0:
            expected(W, at, P, F, to)
            return
        if code <= players:
            for p in range(players):
                F[to + U(p)] = rest
            F[to + U(code - 1)] = 1.0
        else:
            returns(W, at, F, to)
        for p in range(players):
            F[to + U(p)] += (0.5 - F[to + U(p)]) * LATER * np.float64(d)

    return worth


def best_of_each(game: Game, k: GameKernels, stride: int) -> Frames:
    """Return frames of the best returns found so far, one per player, -1 before any is known."""
    players, n, words, to_move = game.players, U(game.players), U(stride), k.to_move
    total = game.players / 2

    @kernel(ENTER)
    def enter(W, root, d, F):
        for p in range(players):
            F[d * n + U(p)] = -1.0

    @kernel(TAKE)
    def take(W, root, d, action, values, I, F):
        mover = U(to_move(W, root + d * words))
        if F[values + mover] <= F[d * n + mover]:
            return False
        for p in range(players):
            F[d * n + U(p)] = F[values + U(p)]
        if d == U(0):
            I[BEST] = action
            return False
        before = U(to_move(W, root + (d - ONE) * words))
        known = F[(d - ONE) * n + before]
        return before != mover and known >= 0.0 and F[d * n + mover] >= total - known

    @kernel(ANSWER)
    def answer(W, root, F):
        return F[U(to_move(W, root))]

    return Frames(players, enter, take, answer)


def search_kernel(
    game: Game,
    k: GameKernels,
    evaluation: EvaluationKernels,
    worth: Kernel,
    stride: int,
    frames: Frames,
) -> Kernel:
    """Return `search(W, root, A, I, F, P, depth) -> 1 when finished, 0 when I[NODES] reached I[STOP]`.

    The value of the player to move ends in F[0], the action in I[BEST].
    """
    apply, status, actions, update = k.apply, k.status, k.actions, evaluation.update
    enter, take, answer = frames.enter, frames.take, frames.answer
    size, words, many = U(frames.size), U(stride), U(game.slots)
    leaf = U((MAX_DEPTH + 1) * frames.size)

    @kernel("i8(u8[::1], u8, i8[::1], i8[::1], f8[::1], f8[::1], i8)", inline=False)
    def search(W, root, A, I, F, P, depth):
        nodes, stop, deep = I[NODES], I[STOP], U(depth)
        d = U(0)
        # --- begin at the root, or go on in the frame that ran out of nodes
        if I[RUNNING] == 0:
            I[STACK], I[STACK + ONE] = 0, I[ROOTS]
            enter(W, root, d, F)
            I[RUNNING] = 1
        else:
            d = U(I[FRAME])
        while True:
            frame = STACK + d * U(2)
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
                        enter(W, root, d, F)
                        continue
                worth(W, src + words, code, np.int64(d + ONE), F, leaf, P)
                values = leaf
            else:
                # --- all actions are done: go up
                if d == U(0):
                    break
                values = d * size
                d -= ONE
                frame -= U(2)
                action = A[d * many + U(I[frame] - 1)]
            # --- take the values into the frame; skip what is left where they suffice
            if take(W, root, d, action, values, I, F):
                I[frame] = I[frame + ONE]
        F[0] = answer(W, root, F)
        I[NODES] = nodes
        I[RUNNING] = 0
        return 1

    return search
