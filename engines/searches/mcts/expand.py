"""Expansion: new nodes, for the actions that follow a node and for the outcomes of an action."""

from __future__ import annotations

import numpy as np

from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.searches.mcts.tree import NODES, clear


def expand_kernel(actions: Kernel, players: int, priors: bool, guess: Kernel | None) -> Kernel:
    """Return `expand(W, at, A, R, I, P, node, tree)`: give a node a child for every action.

    With `priors`, R[players + i] is that of the i-th action, written there by `guess` if it is given.
    Returns how many children there are: 0 where there is no action or no room for them all, and then
    nothing is changed.
    """
    guesses = guess is not None
    asked = guess if guess is not None else actions

    @kernel("i8(u8[::1], u8, i8[::1], f8[::1], i8[::1], f8[::1], u8, Tree)")
    def expand(W, at, A, R, I, P, node, tree):
        m, used = actions(W, at, A, U(0)), I[NODES]
        if m == 0 or used + m > len(tree.first):
            return np.int64(0)
        if guesses:
            asked(W, at, A, m, P, R, U(players))
        tree.first[node], tree.children[node] = used, m
        for i in range(m):
            c = U(used + i)
            clear(tree, c, A[U(i)])
            if priors:
                tree.prior[c] = R[U(players + i)]
        I[NODES] = used + m
        return m

    return expand


@kernel("i8(i8[::1], u8, i8, Tree)")
def outcome_node(I, node, drawn, tree):
    """Return the node of an outcome below an action's node, new if it has none yet; -1: no room."""
    c = tree.first[node]
    while c:
        if tree.action[U(c)] == drawn:
            return c
        c = tree.following[U(c)]
    used = I[NODES]
    if used >= len(tree.first):
        return np.int64(-1)
    new = U(used)
    tree.following[new], tree.first[node] = tree.first[node], used
    clear(tree, new, drawn)
    I[NODES] = used + 1
    return used
