"""Trees of one kind that grow side by side: one call makes the rounds of all of them.

A round of one tree takes a few microseconds, and as long again to be called from Python. Self-play
has dozens of trees, whose leaves go to the network together.

A position that waits has a number, its row: tree * `most` + which one of the tree's positions it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from joute.engines.kernels.compile import Ints, Kernel, kernel
from joute.engines.nets.numpy_reader import Singles
from joute.engines.searches.mcts.batched import BatchedTree
from joute.engines.searches.mcts.tree import TREE, WAITING, Tree, reserved

UNPREPARED = -1  # instead of descents to do: the tree says how many once its root is prepared


class Grown(NamedTuple):
    """What came of searching on: rows that wait for the network now, searches that are over, and how many
    positions the network valued for each of those.
    """

    rows: Ints
    over: Ints
    calls: Ints


class Forest:
    """Trees that were made alike and are new. Their arrays are laid one behind the other; each tree
    goes on to use its own part.
    """

    def __init__(self, trees: Sequence[BatchedTree]) -> None:
        one, count = trees[0], len(trees)
        self.most = one.batch * one.shown
        self._trees = trees
        self._arrays = {name: _joined(trees, name) for name in one.ARRAYS}
        nodes, self._first = _joined_nodes(trees)
        for tree in trees:
            tree.laid()
        self._todo = np.full(count, UNPREPARED, np.int64)
        self._roots, self._sides, self._missing, calls = np.zeros((4, count), np.int64)
        self._found = np.zeros((2, count * self.most), np.int64)  # rows or searches; calls
        self._counts = np.zeros(2, np.int64)
        shape = one.shape
        self._planes = self._arrays["F"].reshape(-1, shape.planes, shape.rows, shape.columns)
        self._policies = self._arrays["G"].reshape(-1, shape.policy)
        self._rounds = rounds_kernel(one.iterate)
        before, behind = ("W", "A", "I", "S", "R", "P", "path"), ("N", "F", "G", "V")
        self._arguments: tuple[Any, ...] = (
            *(self._todo, self._roots, self._sides, self._missing, calls),
            *(self._found, self._counts, 1 if one.spare is None else 2),
            *(self._arrays[name] for name in before),
            *nodes,
            *(self._arrays[name] for name in behind),
            *(one.M, one.batch, one.shown),
        )

    def grow(self, which: Ints) -> Grown:
        """Search on in these, of which nothing waits any more."""
        for i in which[self._todo[which] == UNPREPARED].tolist():
            self._begin(i)
        self._rounds(which, *self._arguments)
        found, (waiting, over) = self._found.copy(), self._counts.tolist()
        last = found.shape[1] - over
        return Grown(found[0, :waiting], found[0, last:], found[1, last:])

    def planes(self, rows: Ints) -> Singles:
        """Return positions that wait, [rows, planes, rows, columns]."""
        return self._planes[rows + rows // self.most]  # behind those of a tree is room for one more

    def tell(self, rows: Ints, policy: Singles, value: Singles) -> Ints:
        """Take the network's logits [rows, policy] and values [rows] of positions that wait; return the
        searches of which nothing waits any more.
        """
        ready = np.empty(len(rows), np.int64)
        values = self._arrays["V"]
        count = take_in(rows, policy, value, self._policies, values, self._missing, ready)
        return ready[:count]

    def _begin(self, i: int) -> None:
        # The root is valued and prepared by the tree itself.
        tree = self._trees[i]
        if tree.prepare():
            self._todo[i] = tree.todo
        self._roots[i], self._sides[i] = tree.root, tree.tree is not self._first[i]


def _joined(trees: Sequence[BatchedTree], name: str) -> Any:
    # An array for all trees; each gets its part.
    array = np.concatenate([getattr(tree, name) for tree in trees])
    for tree, part in zip(trees, np.split(array, len(trees)), strict=True):
        setattr(tree, name, part)
    return array


def _joined_nodes(trees: Sequence[BatchedTree]) -> tuple[list[Any], list[Tree]]:
    # The arrays of all nodes, of a tree and its spare one behind the other; the trees' first ones.
    one = trees[0]
    sides = 1 if one.spare is None else 2
    many = sides * len(trees)
    arrays = [reserved(many * len(field), field.dtype) for field in one.tree]
    parts = [Tree(*fields) for fields in zip(*(np.split(a, many) for a in arrays), strict=True)]
    for part in parts:
        part.reset()
    first = parts[::sides]
    for i, tree in enumerate(trees):
        tree.tree = first[i]
        tree.spare = parts[sides * i + 1] if sides == 2 else None
    return arrays, first


def rounds_kernel(make_round: Kernel) -> Kernel:
    """Return `rounds(which, todo, roots, sides, missing, calls, found, counts, both, arrays of all trees ...,
    M, most, shown)`: a round of `todo` descents at most in each of the trees `which`; `todo` is counted down.
    Of tree i the nodes are the part both * i + sides[i] of theirs, all else part i of as many as there are.

    found[0] gets the counts[0] rows that wait now from its begin, the counts[1] searches that are over from
    its end, and found[1] the calls of those. Rows of tree i that are not told yet are missing[i].
    """

    @kernel(
        "void(i8[::1], i8[::1], i8[::1], i8[::1], i8[::1], i8[::1], i8[:, ::1], i8[::1], i8, "
        "u8[::1], i8[::1], i8[::1], u8[::1], f8[::1], f8[::1], i8[::1], "
        + TREE
        + ", i8[::1], f4[::1], f4[::1], f4[::1], i8[::1], i8, i8)",
        inline=False,
    )
    def rounds(
        which, todo, roots, sides, missing, calls, found, counts, both, W, A, I, S, R, P, path,
        first, following, children, action, visits, total, decided, known,
        prior, squares, rave_visits, rave_total, N, F, G, V, M, most, shown,
    ):  # fmt: skip
        trees, waiting, last = len(todo), 0, found.shape[1]
        w, a, c, s = len(W) // trees, len(A) // trees, len(I) // trees, len(S) // trees
        r, p, l, n = len(R) // trees, len(P) // trees, len(path) // trees, len(N) // trees
        f, g, v = len(F) // trees, len(G) // trees, len(V) // trees
        room, k = len(first) // (both * trees), len(known) // (both * trees)
        q, e = len(prior) // (both * trees), len(squares) // (both * trees)
        x, y = len(rave_visits) // (both * trees), len(rave_total) // (both * trees)
        for j in range(len(which)):
            i = which[j]
            t = both * i + sides[i]
            if todo[i] != UNPREPARED:
                todo[i] -= make_round(
                    W[i * w : (i + 1) * w], np.uint64(roots[i]), A[i * a : (i + 1) * a],
                    I[i * c : (i + 1) * c], S[i * s : (i + 1) * s], R[i * r : (i + 1) * r],
                    P[i * p : (i + 1) * p], path[i * l : (i + 1) * l],
                    first[t * room : (t + 1) * room], following[t * room : (t + 1) * room],
                    children[t * room : (t + 1) * room], action[t * room : (t + 1) * room],
                    visits[t * room : (t + 1) * room], total[t * room : (t + 1) * room],
                    decided[t * room : (t + 1) * room], known[t * k : (t + 1) * k],
                    prior[t * q : (t + 1) * q], squares[t * e : (t + 1) * e],
                    rave_visits[t * x : (t + 1) * x], rave_total[t * y : (t + 1) * y],
                    N[i * n : (i + 1) * n], F[i * f : (i + 1) * f], M, G[i * g : (i + 1) * g],
                    V[i * v : (i + 1) * v], todo[i], most,
                )  # fmt: skip
            # --- note what waits now, or that the search is over
            rows = I[i * c + np.int64(WAITING)] * shown
            missing[i], calls[i] = rows, calls[i] + rows
            for row in range(rows):
                found[0, waiting] = i * most * shown + row
                waiting += 1
            if rows == 0:
                last -= 1
                found[0, last], found[1, last] = i, calls[i]
                todo[i], calls[i] = UNPREPARED, 0
        counts[0], counts[1] = waiting, found.shape[1] - last

    return rounds


@kernel("i8(i8[::1], f4[:, ::1], f4[::1], f4[:, ::1], f4[::1], i8[::1], i8[::1])", inline=False)
def take_in(rows, policy, value, policies, values, missing, ready):
    """Lay answers where trees look for them; write at `ready` the trees that miss none now, return how many."""
    most, count = len(values) // len(missing), 0
    for j in range(len(rows)):
        row, tree = rows[j], rows[j] // most
        values[row] = value[j]
        for entry in range(policy.shape[1]):
            policies[row, entry] = policy[j, entry]
        missing[tree] -= 1
        if missing[tree] == 0:
            ready[count] = tree
            count += 1
    return count
