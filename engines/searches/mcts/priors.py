"""Selection by priors: PUCT, and Gumbel's rule. Both have the signature of `select.py`.

A network's own opinion of a node lies in `known` until the node is decided. Behind the parameters P has
what the search wants of the root: at `wanted` how often a child of the root must have been visited to
be taken (-1: the rule is the same as everywhere), then the score of each child in their order.

Sources: Silver et al. (2017) for PUCT; Danihelka et al., "Policy improvement by planning with Gumbel"
(2022), and its completed values.
"""

from __future__ import annotations

import math

import numpy as np

from joute.engines.kernels.arithmetic import log_of, logistic
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import Offsets
from joute.engines.searches.mcts.select import SELECT

ALWAYS = -1.0  # at P[wanted]


@kernel("f8(f8)")
def small_exp(x):
    """Return exp(x) for x <= 0; below -40 what it is there."""
    share = logistic(x)
    return share / (1.0 - share)


@kernel("f8(Tree, u8, u8, f8)")
def believed(tree, c, mover, unknown):
    """Return what a node is worth, in [0, 1], to who moves into it; `unknown` if nothing is known of it."""
    if tree.decided[c]:
        return tree.known[c * U(2) + mover]
    if tree.visits[c] > 0:
        return tree.total[c] / np.float64(tree.visits[c])
    return unknown


def puct_kernel(at: Offsets, parent: bool) -> Kernel:
    """Return `select` by Q + C * prior * sqrt(parent's visits) / (1 + visits), Q in [-1, 1].

    C is c + growth * ln((visits + base + 1) / base) of the parent. A child without visits has the Q
    `first_play`; with `parent` that of its parent less reduction * sqrt(sum of the priors of the visited).
    The parent's visits count its own valuation. A decided child has its known return and no more; one
    that is lost is not taken, even where nothing better is hoped for.
    """
    c_, growth, base = at.c, at.growth, at.base
    first_play, reduction = at.first_play, at.reduction

    @kernel(SELECT)
    def select(node, mover, me, tree, P):
        begin = U(tree.first[node])
        n = np.float64(max(tree.visits[node], 1))
        spread = P[c_] * math.sqrt(n)
        if P[growth] > 0.0:
            spread += P[growth] * log_of((n + P[base] + 1.0) / P[base]) * math.sqrt(n)
        unknown = P[first_play]
        if parent:
            seen, sum_, weight = 0.0, tree.known[node * U(2) + mover], 1.0
            for i in range(tree.children[node]):
                c = begin + U(i)
                if tree.visits[c] > 0:
                    seen += tree.prior[c]
                    sum_ += tree.total[c]
                    weight += np.float64(tree.visits[c])
            unknown = 2.0 * (sum_ / weight) - 1.0 - P[reduction] * math.sqrt(seen)
        best, chosen = -math.inf, begin
        for i in range(tree.children[node]):
            c = begin + U(i)
            if tree.decided[c] and tree.known[c * U(2) + mover] <= 0.0:
                continue
            urgency = 2.0 * believed(tree, c, mover, 0.5 + 0.5 * unknown) - 1.0
            if not tree.decided[c]:
                urgency += spread * tree.prior[c] / (1.0 + np.float64(tree.visits[c]))
            if urgency > best:
                best, chosen = urgency, c
        return chosen

    return select


@kernel("f8(u8, u8, Tree)")
def completed(node, mover, tree):
    """Return what children without visits count for, in [0, 1]: the network's opinion of the node, mixed
    with the values of its visited children by prior.
    """
    begin = U(tree.first[node])
    own, share, value, n = tree.known[node * U(2) + mover], 0.0, 0.0, 0.0
    for i in range(tree.children[node]):
        c = begin + U(i)
        if tree.visits[c] > 0:
            share += tree.prior[c]
            value += tree.prior[c] * (tree.total[c] / np.float64(tree.visits[c]))
            n += np.float64(tree.visits[c])
    if share <= 0.0:
        return own
    return (own + n * (value / share)) / (1.0 + n)


def gumbel_kernel(at: Offsets) -> Kernel:
    """Return `select` by Gumbel's rule: at the root among the children that were visited as often as
    wanted that of the highest score + sigma(Q); elsewhere where visits lag most behind the policy that
    is prior * exp(sigma(Q)), normed. sigma(Q) is (visit_scale + most visits) * value_scale * Q, Q in [0, 1].
    """
    visit_scale, value_scale, wanted = at.visit_scale, at.value_scale, at.wanted
    scores = wanted + U(1)

    @kernel(SELECT)
    def select(node, mover, me, tree, P):
        begin = U(tree.first[node])
        unknown = completed(node, mover, tree)
        most, n = np.int64(0), np.int64(0)
        for i in range(tree.children[node]):
            most = max(most, tree.visits[begin + U(i)])
            n += tree.visits[begin + U(i)]
        sigma = (P[visit_scale] + np.float64(most)) * P[value_scale]
        best, chosen = -math.inf, begin
        if node == U(0) and P[wanted] >= 0.0:
            for i in range(tree.children[node]):
                c = begin + U(i)
                if np.float64(tree.visits[c]) != P[wanted]:
                    continue
                q = believed(tree, c, mover, unknown)
                urgency = P[scores + U(i)] + sigma * q
                if urgency > best:
                    best, chosen = urgency, c
            return chosen
        highest = -math.inf
        for i in range(tree.children[node]):
            c = begin + U(i)
            q = believed(tree, c, mover, unknown)
            highest = max(highest, q)
        norm = 0.0
        for i in range(tree.children[node]):
            c = begin + U(i)
            q = believed(tree, c, mover, unknown)
            norm += tree.prior[c] * small_exp(sigma * (q - highest))
        for i in range(tree.children[node]):
            c = begin + U(i)
            q = believed(tree, c, mover, unknown)
            lag = tree.prior[c] * small_exp(sigma * (q - highest)) / norm
            lag -= np.float64(tree.visits[c]) / (1.0 + np.float64(n))
            if lag > best:
                best, chosen = lag, c
        return chosen

    return select
