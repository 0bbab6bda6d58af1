"""Descents in rounds: each ends at a leaf that waits for a network, and all that wait are told together.

A round makes so many descents; those that end where the returns are known are backed up at once.
A descent counts as a visit from when it is made, and as a loss for who moved until its leaf is told
(virtual loss): so the next one of the round goes another way. If it comes to a leaf that waits already,
the round ends. A round of one descent is a search without virtual loss.

Of each leaf that waits N keeps `width` numbers: NODE, LENGTH, MOVER, MANY, MIRROR, then its path, then
the entries of the policy that belong to its actions; F has what the network is to see of it.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from joute.engines.evaluation import EvaluationKernels
from joute.engines.game import Game, GameKernels
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.random import below
from joute.engines.searches.mcts.backup import backup_kernel
from joute.engines.searches.mcts.descend import FRESH, LEAF, descend_kernel
from joute.engines.searches.mcts.expand import expand_kernel
from joute.engines.searches.mcts.priors import small_exp
from joute.engines.searches.mcts.tree import AT, DEPTH, DONE, TREE, WAITING, Tree
from joute.engines.view import Shape, ViewKernels

NODE, LENGTH, MOVER, MANY, MIRROR = (U(i) for i in range(5))
OWN = 5  # numbers of a waiting leaf before its path


def width_of(game: Game) -> int:
    """Return how many numbers are kept of a leaf that waits."""
    return OWN + path_of(game) + game.slots


def path_of(game: Game) -> int:
    """Return the room for a path: two numbers a node, with chance two nodes a ply."""
    return 2 * (game.max_plies + 2) * (2 if game.chance else 1)


def round_kernel(
    game: Game,
    k: GameKernels,
    view: ViewKernels,
    shape: Shape,
    select: Kernel,
    stride: int,
    mirrors: int,
    every: bool,
    plan: int = -1,
) -> Kernel:
    """Return `make_round(W, root, A, I, S, R, P, path, *tree, N, F, M, G, V, count, most) -> descents made`.

    First the I[WAITING] leaves of the last round are told: G [leaves, policy] are the network's logits,
    V [leaves] its values for the side to move, in [-1, 1]. Then at most `count` descents are made, until
    `most` leaves wait (I[WAITING] is how many do), or the root is decided.

    M holds the symmetries: of each, where the cells go, then the entries. With `mirrors` > 1 each leaf
    is shown in one drawn with S, or, with `every`, in all of them: F, G and V have them one after the other.
    With a `plan` P[plan] becomes, before the I[DONE]th descent of a move, what stands that far behind
    the scores of the root's children.
    """
    none: EvaluationKernels | None = None
    to_move, see, entry = k.to_move, view.see, view.entry
    expand = expand_kernel(k.actions, 2, False, None)
    descend = descend_kernel(game, k, none, select, expand, stride, valued=True)
    backup = backup_kernel(2, False, k.outcome is not None)
    width, room = U(width_of(game)), U(path_of(game))
    cells, planes, numbers = shape.rows * shape.columns, shape.planes, U(shape.numbers)
    policy, one_map = U(shape.policy), U(cells + shape.policy)
    shown = U(mirrors if every else 1)
    slots, actions = game.slots, U(OWN) + room
    planned, wanted, table = plan >= 0, U(max(plan, 0)), U(max(plan, 0) + 1 + game.slots)

    @kernel("void(i8[::1], u8, f4[::1], f4[::1], i8[::1], f8[::1])")
    def opinion(N, j, G, V, M, R):
        # The network's opinion of a leaf that waits: returns at R[0..2), a prior for each action behind;
        # behind those R has room for as many again.
        base, m = j * width, N[j * width + MANY]
        mover, value = U(N[base + MOVER]), 0.0
        for i in range(m):
            R[U(2 + i)] = 0.0
        for s in range(shown):
            row = j * shown + U(s)
            map_ = U(s) if every else U(N[base + MIRROR])
            value += np.float64(V[row])
            highest = -math.inf
            for i in range(m):
                e = U(M[map_ * one_map + U(cells) + U(N[base + actions + U(i)])])
                highest = max(highest, np.float64(G[row * policy + e]))
            norm = 0.0
            for i in range(m):
                e = U(M[map_ * one_map + U(cells) + U(N[base + actions + U(i)])])
                share = small_exp(np.float64(G[row * policy + e]) - highest)
                R[U(2 + slots + i)] = share
                norm += share
            for i in range(m):
                R[U(2 + i)] += R[U(2 + slots + i)] / norm
        for i in range(m):
            R[U(2 + i)] /= np.float64(shown)
        value = 0.5 + 0.5 * max(-1.0, min(1.0, value / np.float64(shown)))
        R[mover], R[U(1) - mover] = value, 1.0 - value

    @kernel("void(u8[::1], u8, f4[::1], u8, i8[::1], u8)")
    def show(W, at, F, to, M, map_):
        # What the network sees, in a mirror: the plain planes lie at the end of F meanwhile.
        if mirrors == 1:
            see(W, at, F, to)
            return
        plain = U(len(F)) - numbers
        see(W, at, F, plain)
        for p in range(planes):
            for c in range(cells):
                image = U(M[map_ * one_map + U(c)])
                F[to + U(p * cells) + image] = F[plain + U(p * cells + c)]

    @kernel(
        "i8(u8[::1], u8, i8[::1], i8[::1], u8[::1], f8[::1], f8[::1], i8[::1], "
        + TREE
        + ", i8[::1], f4[::1], i8[::1], f4[::1], f4[::1], i8, i8)",
        inline=False,
    )
    def make_round(
        W, root, A, I, S, R, P, path,
        first, following, children, action, visits, total, decided, known,
        prior, squares, rave_visits, rave_total, N, F, M, G, V, count, most,
    ):  # fmt: skip
        tree = Tree(
            first, following, children, action, visits, total, decided, known,
            prior, squares, rave_visits, rave_total,
        )  # fmt: skip
        me = U(to_move(W, root))
        # --- take in what the network says of the leaves of the last round: priors, and values up the path
        for j in range(I[WAITING]):
            base = U(j) * width
            node, m = U(N[base + NODE]), N[base + MANY]
            opinion(N, U(j), G, V, M, R)
            tree.children[node] = m
            for i in range(m):
                tree.prior[U(tree.first[node] + i)] = R[U(2 + i)]
            tree.known[node * U(2)], tree.known[node * U(2) + U(1)] = R[U(0)], R[U(1)]
            for d in range(1, N[base + LENGTH] + 1):
                c = U(N[base + U(OWN + 2 * d)])
                tree.total[c] += R[U(N[base + U(OWN + 2 * d + 1)])]
        I[WAITING] = 0
        done = np.int64(0)
        # --- descend until enough leaves wait, or one of them is reached again
        while done < count and I[WAITING] < most and tree.decided[U(0)] == 0:
            if planned:
                P[wanted] = P[table + U(I[DONE])]
            end = descend(W, root, me, A, I, S, R, P, path, tree)
            # --- a new leaf: end the round if it waits already, else note its children and its path
            if end == LEAF:
                node, waits = U(path[U(2 * I[DEPTH])]) if I[DEPTH] else U(0), False
                for j in range(I[WAITING]):
                    waits = waits or U(N[U(j) * width + NODE]) == node
                if waits:
                    break
                base, at = U(I[WAITING]) * width, U(I[AT])
                R[U(0)], R[U(1)] = 0.0, 0.0
                m = expand(W, at, A, R, I, P, node, tree)
                tree.children[node] = 0  # until it is told; then its children get their priors, too
                for i in range(m):
                    N[base + actions + U(i)] = entry(W, at, tree.action[U(tree.first[node] + i)])
                N[base + NODE], N[base + LENGTH] = np.int64(node), I[DEPTH]
                N[base + MOVER], N[base + MANY] = to_move(W, at), m
                for i in range(2 * (I[DEPTH] + 1)):
                    N[base + U(OWN + i)] = path[U(i)]
                # --- show it to the network, in one symmetry or in all
                N[base + MIRROR] = 0
                if mirrors > 1 and not every:
                    N[base + MIRROR] = np.int64(below(S, U(mirrors)))
                for s in range(shown):
                    map_ = U(s) if every else U(N[base + MIRROR])
                    show(W, at, F, (U(I[WAITING]) * shown + U(s)) * numbers, M, map_)
                I[WAITING] += 1
            # --- count the descent along its path now: the next one looks elsewhere
            backup(I, R, path, me, end == FRESH, tree)
            I[DONE] += 1
            done += 1
        return done

    return make_round


@cache
def entries_kernel(entry: Kernel) -> Kernel:
    """Return `entries(W, at, actions, E)`: write the entry of the policy of each action into E."""

    @kernel("void(u8[::1], u8, i8[::1], i8[::1])", inline=False)
    def entries(W, at, actions, E):
        for i in range(len(actions)):
            E[U(i)] = entry(W, at, actions[U(i)])

    return entries
