"""`alphabeta`: negamax with alpha-beta to a fixed depth or by iterative deepening, with width pruning.

The value is that of the depth-limited tree in which every node keeps only its `width` share of
children; neither the ordering nor the window changes it, except that with width < 1 the ordering
decides which children are kept. A node is one applied action; applying a child again to descend
into it is not counted. Ties go to the action searched first.
"""

from __future__ import annotations

import math

import numpy as np

from engines.errors import Refused
from engines.evaluation import Evaluation, EvaluationKernels
from engines.game import Game, GameKernels
from engines.kernels.compile import Kernel, U, kernel
from engines.kernels.contract import Offsets, places
from engines.parameter import Parameter, Values
from engines.search import WIN, Setup
from engines.searches._stack import (
    BEST,
    FRAME,
    FRAMES,
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
SCORES = U(3 * FRAMES)  # in F, after three words a frame: the scores of sorted children


def full_width(values: Values) -> bool:
    """Whether no child is pruned by width, so that ordering is free."""
    return values.get("width", 1.0) == 1.0


class AlphaBeta(StackSearch):
    """Alpha-beta for two players who alternate, without chance."""

    name = "alphabeta"
    summary = "alpha-beta to a depth, with width pruning, ordering and iterative deepening"
    parameters = (
        depth_parameter(6, "the report of docs/seeds.md tried 4 to 8"),
        Parameter(
            "width",
            "float",
            1.0,
            0.01,
            1.0,
            meaning="share of the children searched at every node, best by evaluation first, "
            "rounded up (ceil); a winning child is never pruned; 1 prunes nothing",
            source="the report of docs/seeds.md tried 0.40 to 0.70",
        ),
        Parameter(
            "ordering",
            "choice",
            "canonical",
            choices=("canonical", "evaluation"),
            active=full_width,
            meaning="order in which children are searched: the game's own, or best by evaluation "
            "first (always so when width < 1)",
        ),
        deepening_parameter(more=" (among equals, where children are ordered by evaluation)"),
    )

    def check(self, game: Game, evaluation: Evaluation | None) -> None:
        """Refuse games that are not two-player, alternating and free of chance."""
        super().check(game, evaluation)
        if game.players != 2 or game.chance or not game.alternating:
            why = "has chance" if game.chance else f"has {game.players} players"
            why = why if game.chance or game.players != 2 else "does not alternate"
            raise Refused(f"alphabeta is for two players in turn without chance; {game.name} {why}")

    def variant(self, setup: Setup) -> bool:
        """Whether children are ordered by their evaluation."""
        return setup.values["width"] != 1.0 or setup.values.get("ordering") == "evaluation"

    def specialised(
        self, setup: Setup, rules: GameKernels, evaluation: EvaluationKernels, stride: int
    ) -> tuple[Kernel, Kernel]:
        """Build the kernels."""
        return template(
            rules,
            evaluation,
            stride,
            setup.game.slots,
            self.variant(setup),
            places(self.parameters),
        )


def template(
    game: GameKernels,
    evaluation: EvaluationKernels,
    stride: int,
    slots: int,
    sort: bool,
    at: Offsets,
) -> tuple[Kernel, Kernel]:
    """Return `begin` and `search`, specialised for a game, an evaluation and the kind of ordering.

    begin(W, root, A, I, P): W holds the root state; fills its own words and lists its actions.
    search(W, root, A, I, F, P, depth) -> 1 when finished (value in F[0], action in I[BEST]), 0 when
    I[NODES] has reached I[STOP]: call again to go on.
    """
    apply, status, to_move = game.apply, game.status, game.to_move
    actions, listed = game.actions, game.nth is None
    nth = game.nth if game.nth is not None else game.to_move
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
            if action < 0:
                continue
            nodes += 1
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
        # An insertion sort: a game's own order is often nearly sorted.
        base, at = d * many, SCORES + d * many
        mover, i = to_move(W, src), U(0)
        while i < n:
            action, j = A[base + i], i
            code, score = look(W, src, action, mover, d, P)
            i += ONE
            if code == mover + 1:
                A[base] = action
                return -np.int64(i)
            while j != U(0) and F[at + j - ONE] < score:
                F[at + j] = F[at + j - ONE]
                A[base + j] = A[base + j - ONE]
                j -= ONE
            F[at + j] = score
            A[base + j] = action if code == 0 else ~action
        return max(np.int64(1), np.int64(math.ceil(P[width] * np.float64(n) - 1e-9)))

    @kernel("i8(u8[::1], u8, i8[::1], i8[::1], f8[::1], f8[::1], i8)", inline=False)
    def search(W, root, A, I, F, P, depth):
        last = U(depth - 1)
        stop, nodes = I[STOP], I[NODES]
        new = I[RUNNING] == 0
        if last == U(0):
            F[0], I[BEST], spent = last_ply(W, root, A, U(0), U(I[ROOTS]), 2 * WIN, P)
            I[NODES] = nodes + spent
            return 1
        if new:
            d, i, n = U(0), U(0), U(I[ROOTS])
            best, alpha, beta = -2 * WIN, -2 * WIN, 2 * WIN
        else:
            d = U(I[FRAME])
            frame = STACK + d * U(2)
            i, n = U(I[frame]), U(I[frame + ONE])
            best, alpha, beta = F[d * U(3)], F[d * U(3) + ONE], F[d * U(3) + U(2)]
        I[RUNNING] = 1
        while True:
            down = False
            src = root + d * words
            dst = src + words
            mover = to_move(W, src)
            if sort and new:
                kept = expand(W, src, A, F, P, d, n)
                if kept < 0:
                    nodes -= kept
                    best = WIN - np.float64(d + ONE)
                    if d == U(0):
                        I[BEST] = A[0]
                    n = U(0)
                else:
                    nodes += np.int64(n)
                    n = U(kept)
            new = False
            while i < n:
                if nodes >= stop:
                    I[FRAME], I[NODES] = np.int64(d), nodes
                    frame = STACK + d * U(2)
                    I[frame], I[frame + ONE] = i, n
                    F[d * U(3)], F[d * U(3) + ONE], F[d * U(3) + U(2)] = best, alpha, beta
                    return 0
                if sort:
                    action = A[d * many + i]
                else:
                    action = child(W, A, src, d, i)
                    if action < 0:
                        i += ONE
                        continue
                    nodes += 1
                i += ONE
                code = enter(W, src, dst, action)
                if code != 0:
                    action = max(action, ~action)
                    v = end_value(code, mover, d)
                elif d + ONE == last:
                    update(W, src, dst, action, P)
                    n_last = many
                    if listed:
                        n_last = U(actions(W, dst, A, last * many))
                    v, _, spent = last_ply(W, dst, A, last, n_last, -alpha, P)
                    v = -v
                    nodes += spent
                else:
                    update(W, src, dst, action, P)
                    frame = STACK + d * U(2)
                    I[frame], I[frame + ONE] = i, n
                    F[d * U(3)], F[d * U(3) + ONE], F[d * U(3) + U(2)] = best, alpha, beta
                    d += ONE
                    i, best = U(0), -2 * WIN
                    alpha, beta = -beta, -alpha
                    n = many
                    if listed or sort:
                        n = U(actions(W, dst, A, d * many))
                    down = True
                    new = True
                    break
                if v > best:
                    best = v
                    if d == U(0):
                        I[BEST] = action
                    if v > alpha:
                        alpha = v
                    if alpha >= beta:
                        break
            if down:
                continue
            if d == U(0):
                break
            d -= ONE
            v = -best
            frame = STACK + d * U(2)
            i, n = U(I[frame]), U(I[frame + ONE])
            best, alpha, beta = F[d * U(3)], F[d * U(3) + ONE], F[d * U(3) + U(2)]
            if v > best:
                best = v
                if d == U(0):
                    I[BEST] = A[i - ONE]
                if v > alpha:
                    alpha = v
                if alpha >= beta:
                    i = n
        F[0] = best
        I[NODES] = nodes
        I[RUNNING] = 0
        return 1

    return begin_kernel(game, evaluation), search
