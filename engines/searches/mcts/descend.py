"""The way down: from the root to a state that is to be valued, or whose returns are known."""

from __future__ import annotations

import numpy as np

from joute.engines.evaluation import EvaluationKernels, update_nothing
from joute.engines.game import Game, GameKernels
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.searches.mcts.expand import outcome_node
from joute.engines.searches.mcts.leaf import ended_kernel
from joute.engines.searches.mcts.tree import AT, DEEPEST, DEPTH

ONE = U(1)
# A descent goes on; its end is to be valued; R holds its returns; so it does, and its last node has
# just been decided.
ON, LEAF, KNOWN, FRESH = 0, 1, 2, 3


def descend_kernel(
    game: Game,
    k: GameKernels,
    evaluation: EvaluationKernels | None,
    select: Kernel,
    expand: Kernel,
    stride: int,
    valued: bool,
) -> Kernel:
    """Return `descend(W, root, me, A, I, S, R, P, path, tree)`: go down to LEAF, KNOWN or FRESH.

    A node is expanded at its second visit; if `valued` never here, but once its leaf has been valued.
    """
    to_move, play, ended = k.to_move, play_kernel(k, evaluation), ended_kernel(game, k)
    chance, outcome = k.outcome is not None, k.outcome if k.outcome is not None else k.to_move
    players, step, n = game.players, U(stride), U(game.players)

    @kernel("i8(u8[::1], u8, u8, i8[::1], i8[::1], u8[::1], f8[::1], f8[::1], i8[::1], Tree)")
    def descend(W, root, me, A, I, S, R, P, path, tree):
        node, at, depth, end = U(0), root, U(0), ON
        while end == ON:
            # --- a node whose returns are known for sure
            if tree.decided[node]:
                for p in range(players):
                    R[U(p)] = tree.known[node * n + U(p)]
                end = KNOWN
                break
            # --- a node without children: a leaf at its first visit, expanded at its second
            if tree.children[node] == 0:
                first_visit = tree.visits[node] == 0 and node != U(0)
                if valued or first_visit or expand(W, at, A, R, I, P, node, tree) == 0:
                    end = LEAF
                    break
            # --- choose a child, and note it in the path
            mover = U(to_move(W, at))
            node = select(node, mover, me, tree, P)
            depth += ONE
            path[U(2) * depth], path[U(2) * depth + ONE] = np.int64(node), np.int64(mover)
            if tree.decided[node]:
                continue
            # --- make the move, with the outcome that chance draws; below it lies that outcome's node
            drawn, room = np.int64(0), True
            if chance:
                drawn = outcome(W, at, tree.action[node], S)
            code = play(W, at, at + step, tree.action[node], drawn, P)
            at += step
            if chance:
                below = outcome_node(I, node, drawn, tree)
                room = below >= 0
                if room:
                    node, depth = U(below), depth + ONE
                    path[U(2) * depth], path[U(2) * depth + ONE] = below, np.int64(mover)
            # --- the game is over there: its returns are known from now on
            if code != 0:
                ended(W, at, code, R)
                end = KNOWN
                if room:
                    tree.decided[node], end = 1, FRESH
                    for p in range(players):
                        tree.known[node * n + U(p)] = R[U(p)]
            elif not room:
                end = LEAF
        I[DEPTH], I[AT] = np.int64(depth), np.int64(at)
        I[DEEPEST] = max(I[DEEPEST], np.int64(depth))
        return end

    return descend


def play_kernel(k: GameKernels, evaluation: EvaluationKernels | None) -> Kernel:
    """Return `play(W, src, dst, action, drawn, P)`: make a state at dst, return its status."""
    apply, status = k.apply, k.status
    update = evaluation.update if evaluation is not None else update_nothing

    @kernel("i8(u8[::1], u8, u8, i8, i8, f8[::1])")
    def play(W, src, dst, action, drawn, P):
        apply(W, src, dst, action, drawn)
        code = status(W, dst)
        if code == 0:
            update(W, src, dst, action, P)
        return code

    return play
