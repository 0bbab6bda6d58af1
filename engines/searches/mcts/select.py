"""Selection: which child of an expanded node a descent goes on with.

| kernel | meaning |
|---|---|
| select(node, mover, me, first, children, visits, total, prior, decided, known, P) | the child |

`mover` acts at the node, `me` is the player who searches, P the engine's parameter vector; the other
arguments are arrays of `Tree`. A search with another rule gives another kernel of this signature.
"""

from __future__ import annotations

import math

import numpy as np

from engines.kernels.arithmetic import log_of
from engines.kernels.compile import Kernel, U, kernel

SELECT = "u8(u8, u8, u8, i8[::1], i8[::1], i8[::1], f8[::1], f8[::1], i8[::1], f8[::1], f8[::1])"


def ucb1_kernel(players: int, paranoid: bool, k: np.uint64) -> Kernel:
    """Return `select` by UCB1: mean return + P[k] * sqrt(ln(parent's visits) / visits).

    A child not yet visited comes first; a decided one has its known return instead.
    """
    worth = worth_kernel(players, paranoid)

    @kernel(SELECT)
    def select(node, mover, me, first, children, visits, total, prior, decided, known, P):
        begin = U(first[node])
        spread = P[k] * math.sqrt(log_of(np.float64(max(visits[node], 1))))
        best, chosen = -1.0, begin
        for i in range(children[node]):
            c = begin + U(i)
            if decided[c]:
                urgency = worth(known, c, mover, me)
            elif visits[c] == 0:
                return c
            else:
                v = np.float64(visits[c])
                urgency = total[c] / v + spread / math.sqrt(v)
            if urgency > best:
                best, chosen = urgency, c
        return chosen

    return select


def worth_kernel(players: int, paranoid: bool) -> Kernel:
    """Return `worth(known, node, mover, me)`: what a decided node is worth to who moves into it.

    `me` is the player who searches; paranoid opponents want what it does not get.
    """
    n = U(players)

    @kernel("f8(f8[::1], u8, u8, u8)")
    def worth(known, node, mover, me):
        if paranoid and mover != me:
            return 1.0 - known[node * n + me]
        return known[node * n + mover]

    return worth
