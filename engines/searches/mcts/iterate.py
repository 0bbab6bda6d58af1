"""The loop of a Monte Carlo tree search, composed of its parts.

One iteration: descend from the root to a leaf, value it, and add the returns to every node of the
path. Decided nodes are marked and never searched again.

A loop that `suspends` values no leaf itself: it returns with I[WAITING] = 1, the leaf's state at
W[I[AT]], and goes on when called again with the leaf's returns in R. It visits the same nodes as one
that is told the same returns by its `leaf`.
"""

from __future__ import annotations

import numpy as np

from engines.evaluation import EvaluationKernels, init_nothing
from engines.game import Game, GameKernels
from engines.kernels.compile import Kernel, U, kernel
from engines.searches.mcts.backup import backup_kernel
from engines.searches.mcts.descend import FRESH, LEAF, descend_kernel
from engines.searches.mcts.expand import expand_kernel
from engines.searches.mcts.rave import learn_kernel
from engines.searches.mcts.tree import AT, DEPTH, TREE, WAITING


def iterate_kernel(
    game: Game,
    k: GameKernels,
    evaluation: EvaluationKernels | None,
    select: Kernel,
    leaf: Kernel,
    stride: int,
    paranoid: bool = False,
    priors: bool = False,
    suspends: bool = False,
    guess: Kernel | None = None,
    rave: bool = False,
) -> Kernel:
    """Return `iterate(W, root, A, I, S, R, P, path, *tree, count) -> iterations done`.

    W holds the root state at `root` (in games that look back, the line of play lies below it), states
    `stride` words apart; R takes the returns of one iteration, `path` the nodes of one descent and who
    moved into them. `evaluation` is what keeps words of its own in the states, if any does. Stops
    early once the root is decided.

    With `priors` a node is expanded as soon as it has been valued, with the priors that lie in R
    behind the returns; else at its second visit, with those that `guess` writes there, if it is given.
    With `rave` A has room behind the list, and `leaf` notes there what it played (`rave.py`).
    """
    to_move = k.to_move
    init = evaluation.init if evaluation is not None else init_nothing
    prepare = k.prepare if k.prepare is not None else init_nothing
    expand = expand_kernel(k.actions, game.players, priors or guess is not None, guess)
    descend = descend_kernel(game, k, evaluation, select, expand, stride, priors)
    backup = backup_kernel(game.players, paranoid, k.outcome is not None)
    learn = learn_kernel(game, paranoid) if rave else backup
    played = U(game.slots)

    @kernel(
        "i8(u8[::1], u8, i8[::1], i8[::1], u8[::1], f8[::1], f8[::1], i8[::1], " + TREE + ", i8)",
        inline=False,
    )
    def iterate(
        W, root, A, I, S, R, P, path,
        first, following, children, action, visits, total, decided, known,
        prior, squares, rave_visits, rave_total, count,
    ):  # fmt: skip
        me, done, told = U(to_move(W, root)), np.int64(0), False
        if suspends and I[WAITING]:
            told, I[WAITING] = True, 0
        else:
            prepare(W, root, P)
            init(W, root, P)
        while done < count and decided[U(0)] == 0:
            found = LEAF
            if rave:
                A[played] = 0
            if not told:
                found = descend(
                    W, root, me, A, I, S, R, P, path,
                    first, following, children, action, visits, total, decided, known,
                    prior, squares, rave_visits, rave_total,
                )  # fmt: skip
            if found == LEAF:
                if suspends and not told:
                    I[WAITING] = 1
                    return done
                if not suspends:
                    leaf(W, U(I[AT]), A, S, R, P)
                if priors:
                    node = U(path[U(2 * I[DEPTH])])
                    expand(
                        W, U(I[AT]), A, R, I, P, node,
                        first, following, children, action, visits, total, decided, known,
                        prior, squares, rave_visits, rave_total,
                    )  # fmt: skip
            told = False
            backup(
                I, R, path, me, found == FRESH,
                first, following, children, action, visits, total, decided, known,
                prior, squares, rave_visits, rave_total,
            )  # fmt: skip
            if rave:
                learn(
                    I, A, R, path, me,
                    first, following, children, action, visits, total, decided, known,
                    prior, squares, rave_visits, rave_total,
                )  # fmt: skip
            done += 1
        return done

    return iterate
