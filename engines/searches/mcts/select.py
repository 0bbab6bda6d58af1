"""Selection: which child of an expanded node a descent goes on with.

| kernel | meaning |
|---|---|
| select(node, mover, me, tree, P) | the child |

`mover` acts at the node, `me` is the player who searches, `tree` is a `Tree`, P is the
engine's parameter vector. A search with another rule gives another kernel of this signature.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from joute.engines.kernels.arithmetic import log_of
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import Offsets
from joute.engines.searches.mcts.tree import PRIOR, RAVE, SQUARES

SELECT = "u8(u8, u8, u8, Tree, f8[::1])"


@dataclass(frozen=True)
class Bandit:
    """What an urgency is made of besides UCB1; each adds arithmetic of its own, and no other.

    tuned: exploration goes by the variance of the returns
    priors: a prior counts as if it were the mean return of P[prior] visits more
    rave: what is known of an action from elsewhere in the tree and in playouts is mixed in
    eager: an action that nothing is known of comes first; else its urgency is P[first_play]
    """

    tuned: bool
    priors: bool
    rave: bool
    eager: bool

    @property
    def keeps(self) -> tuple[str, ...]:
        """What a tree has room for besides."""
        used = {PRIOR: self.priors, SQUARES: self.tuned, RAVE: self.rave}
        return tuple(name for name, is_used in used.items() if is_used)


def bandit_kernel(bandit: Bandit, players: int, paranoid: bool, at: Offsets) -> Kernel:
    """Return `select` by a child's value + its exploration, parameters at `at`; without anything in
    `bandit` but `eager` that is UCB1. A decided child has its known return instead.

    With n visits, of which a prior of weight w makes n + w, the value is the mean return q, mixed with
    the mean r over `rave_visits`, to which the prior adds P[rave_prior] more: (1 - b) * q + b * r,
    b = sqrt(e / (3 * n + e)) with the equivalence e. Exploration is k * sqrt(ln(parent's visits) / n),
    tuned k * sqrt(ln(parent's visits) / n *
    min(1/4, variance + sqrt(2 * ln(parent's visits) / visits))).

    Sources: Gelly and Silver (2007, 2011) for RAVE and priors; Auer, Cesa-Bianchi and Fischer (2002)
    for UCB1-tuned; Gelly and Wang (2006) for first-play urgency.
    """
    tuned, priors, rave, eager = bandit.tuned, bandit.priors, bandit.rave, bandit.eager
    worth = worth_kernel(players, paranoid)
    k, weight, equivalence, first_play = at.k, at.prior, at.equivalence, at.first_play
    rave_prior = at.rave_prior

    @kernel(SELECT)
    def select(node, mover, me, tree, P):
        begin = U(tree.first[node])
        log_n = log_of(np.float64(max(tree.visits[node], 1)))
        spread = P[k] * math.sqrt(log_n)
        best, chosen = -1.0, begin
        for i in range(tree.children[node]):
            c = begin + U(i)
            v = np.float64(tree.visits[c])
            n, sum_ = v, tree.total[c]
            if priors:
                n += P[weight]
                sum_ += P[weight] * tree.prior[c]
            if tree.decided[c]:
                urgency = worth(tree.known, c, mover, me)
            elif n > 0.0:
                urgency = sum_ / n
                if rave and tree.rave_visits[c] > 0:
                    b = math.sqrt(P[equivalence] / (3.0 * n + P[equivalence]))
                    m, gain = np.float64(tree.rave_visits[c]), tree.rave_total[c]
                    if priors:
                        m += P[rave_prior]
                        gain += P[rave_prior] * tree.prior[c]
                    urgency += b * (gain / m - urgency)
                wide = 1.0
                if tuned:
                    wide = 0.25
                    if v > 0.0:
                        mean = tree.total[c] / v
                        wide = min(
                            wide, tree.squares[c] / v - mean * mean + math.sqrt(2.0 * log_n / v)
                        )
                urgency += spread * math.sqrt(wide) / math.sqrt(n)
            elif rave and tree.rave_visits[c] > 0:
                urgency = tree.rave_total[c] / np.float64(tree.rave_visits[c])
            elif eager:
                return c
            else:
                urgency = P[first_play]
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
