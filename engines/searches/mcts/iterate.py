"""The loop of a Monte Carlo tree search, composed of its parts.

One iteration: descend from the root to a leaf, value it, and add the returns to every node of the
path. Decided nodes are marked and never searched again.

`rounds.py` has the other loop, of searches whose leaves are valued from outside, many at once.
"""

from __future__ import annotations

import numpy as np

from joute.engines.evaluation import EvaluationKernels, init_nothing
from joute.engines.game import Game, GameKernels
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.searches.mcts.backup import backup_kernel
from joute.engines.searches.mcts.descend import FRESH, LEAF, descend_kernel
from joute.engines.searches.mcts.expand import expand_kernel
from joute.engines.searches.mcts.rave import learn_kernel
from joute.engines.searches.mcts.tree import AT, TREE, Tree


def iterate_kernel(
    game: Game,
    k: GameKernels,
    evaluation: EvaluationKernels | None,
    select: Kernel,
    leaf: Kernel,
    stride: int,
    paranoid: bool = False,
    guess: Kernel | None = None,
    rave: bool = False,
) -> Kernel:
    """Return `iterate(W, root, A, I, S, R, P, path, *tree, count) -> iterations done`.

    W holds the root state at `root` (in games that look back, the line of play lies below it), states
    `stride` words apart; R takes the returns of one iteration, `path` the nodes of one descent and who
    moved into them. `evaluation` is what keeps words of its own in the states, if any does. Stops
    early once the root is decided.

    A node is expanded at its second visit, with the priors that `guess` writes, if it is given. With `rave` A has room behind the list, and `leaf` notes there what it played (`rave.py`).
    """
    to_move = k.to_move
    init = evaluation.init if evaluation is not None else init_nothing
    prepare = k.prepare if k.prepare is not None else init_nothing
    expand = expand_kernel(k.actions, game.players, guess is not None, guess)
    descend = descend_kernel(game, k, evaluation, select, expand, stride, valued=False)
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
        tree = Tree(
            first, following, children, action, visits, total, decided, known,
            prior, squares, rave_visits, rave_total,
        )  # fmt: skip
        me, done = U(to_move(W, root)), np.int64(0)
        prepare(W, root, P)
        init(W, root, P)
        while done < count and tree.decided[U(0)] == 0:
            if rave:
                A[played] = 0
            end = descend(W, root, me, A, I, S, R, P, path, tree)
            if end == LEAF:
                leaf(W, U(I[AT]), A, S, R, P)
            backup(I, R, path, me, end == FRESH, tree)
            if rave:
                learn(I, A, R, path, me, tree)
            done += 1
        return done

    return iterate
