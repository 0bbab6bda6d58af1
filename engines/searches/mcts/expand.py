"""Expansion: new nodes, for the actions that follow a node and for the outcomes of an action."""

from __future__ import annotations

import numpy as np

from engines.kernels.compile import Kernel, U, kernel
from engines.searches.mcts.tree import NODES


def expand_kernel(actions: Kernel, players: int, priors: bool) -> Kernel:
    """Return `expand(W, at, A, R, I, node, ...)`: give a node a child for every action.

    With `priors`, R[players + i] is that of the i-th action. Returns how many children there are: 0
    where there is no action or no room for them all, and then nothing is changed.
    """

    @kernel(
        "i8(u8[::1], u8, i8[::1], f8[::1], i8[::1], u8, "
        "i8[::1], i8[::1], i8[::1], i8[::1], f8[::1], f8[::1], i8[::1])"
    )
    def expand(W, at, A, R, I, node, first, children, action, visits, total, prior, decided):
        m, used = actions(W, at, A, U(0)), I[NODES]
        if m == 0 or used + m > len(first):
            return np.int64(0)
        first[node], children[node] = used, m
        for i in range(m):
            c = U(used + i)
            action[c] = A[U(i)]
            first[c], children[c], visits[c], decided[c] = 0, 0, 0, 0
            total[c] = 0.0
            if priors:
                prior[c] = R[U(players + i)]
        I[NODES] = used + m
        return m

    return expand


@kernel("i8(i8[::1], u8, i8, i8[::1], i8[::1], i8[::1], i8[::1], i8[::1], f8[::1], i8[::1])")
def outcome_node(I, node, drawn, first, following, children, action, visits, total, decided):
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
    first[new], children[new], visits[new], decided[new] = 0, 0, 0, 0
    action[new], total[new] = drawn, 0.0
    I[NODES] = used + 1
    return used
