"""Expansion: new nodes, for the actions that follow a node and for the outcomes of an action."""

from __future__ import annotations

import numpy as np

from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.searches.mcts.tree import NODES, TREE, clear


def expand_kernel(actions: Kernel, players: int, priors: bool, guess: Kernel | None) -> Kernel:
    """Return `expand(W, at, A, R, I, P, node, *tree)`: give a node a child for every action.

    With `priors`, R[players + i] is that of the i-th action, written there by `guess` if it is given.
    Returns how many children there are: 0 where there is no action or no room for them all, and then
    nothing is changed.
    """
    guesses = guess is not None
    asked = guess if guess is not None else actions

    @kernel(f"i8(u8[::1], u8, i8[::1], f8[::1], i8[::1], f8[::1], u8, {TREE})")
    def expand(
        W, at, A, R, I, P, node,
        first, following, children, action, visits, total, decided, known,
        prior, squares, rave_visits, rave_total,
    ):  # fmt: skip
        m, used = actions(W, at, A, U(0)), I[NODES]
        if m == 0 or used + m > len(first):
            return np.int64(0)
        if guesses:
            asked(W, at, A, m, P, R, U(players))
        first[node], children[node] = used, m
        for i in range(m):
            c = U(used + i)
            clear(
                first, following, children, action, visits, total, decided, known,
                prior, squares, rave_visits, rave_total, c, A[U(i)],
            )  # fmt: skip
            if priors:
                prior[c] = R[U(players + i)]
        I[NODES] = used + m
        return m

    return expand


@kernel(f"i8(i8[::1], u8, i8, {TREE})")
def outcome_node(
    I, node, drawn,
    first, following, children, action, visits, total, decided, known,
    prior, squares, rave_visits, rave_total,
):  # fmt: skip
    """Return the node of an outcome below an action's node, new if it has none yet; -1: no room."""
    c = first[node]
    while c:
        if action[U(c)] == drawn:
            return c
        c = following[U(c)]
    used = I[NODES]
    if used >= len(first):
        return np.int64(-1)
    new = U(used)
    following[new], first[node] = first[node], used
    clear(
        first, following, children, action, visits, total, decided, known,
        prior, squares, rave_visits, rave_total, new, drawn,
    )  # fmt: skip
    I[NODES] = used + 1
    return used
