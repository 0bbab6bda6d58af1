"""The tree of a Monte Carlo search: an array for each thing that is known of a node.

Nodes are numbers, 0 is the root. The children of a node, one for each action in canonical order, are
a block; a node has none before it is expanded. In games of chance every second level is different:
below an action's node hang the outcomes that were drawn, linked one to the next.
"""

from __future__ import annotations

import mmap
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from joute.engines.kernels.compile import Floats, Ints, U, kernel, named_tuple

# Control words in I. Of the tree: nodes in use, deepest path of this move. Of the last descent: its
# length, where in W the state lies at which it ended. Of rounds: leaves that wait, descents of this move.
NODES, DEEPEST, DEPTH, AT, WAITING, DONE = (U(k) for k in range(6))
CONTROL = 6
# What a tree has room for only in searches that use it.
PRIOR, SQUARES, RAVE = "prior", "squares", "rave"


TREE = (
    "i8[::1], i8[::1], i8[::1], i8[::1], i8[::1], f8[::1], i8[::1], f8[::1], "
    "f8[::1], f8[::1], i8[::1], f8[::1]"
)


class Tree(NamedTuple):
    """What is known of each node: arrays as long as there is room for nodes.

    first: its first child, or first outcome; 0 is none
    following: the next outcome of the same action; 0 is none
    children: how many it has; 0 before it is expanded
    action: what leads to it, an action or an outcome
    visits: descents that passed or ended here
    total: sum of the returns of the player who moved into it (of paranoid opponents: what the
        player who searches does not get); total / visits is in [0, 1]
    decided: 1 once its returns are known for sure
    known: the returns of a decided node, those of player p at [node * players + p]

    and, with no room in searches that do without:

    prior: what its action seemed before any visit
    squares: sum of the squares of what total sums
    rave_visits, rave_total: the same as visits and total, of all descents through its parent in which
        the same player played its action first, now or later
    """

    first: Ints
    following: Ints
    children: Ints
    action: Ints
    visits: Ints
    total: Floats
    decided: Ints
    known: Floats
    prior: Floats
    squares: Floats
    rave_visits: Ints
    rave_total: Floats

    @classmethod
    def empty(
        cls, room: int, players: int, keeps: Collection[str] = (), small: bool = False
    ) -> Tree:
        """Return a tree of just a root, with room for so many nodes; `keeps` names of what else. A tree that
        will be `small` takes no more memory than its nodes.
        """
        first, following, children, action, visits, decided = (
            reserved(room, np.int64, small) for _ in range(6)
        )
        total, known = (reserved(count, np.float64, small) for count in (room, room * players))
        prior, squares, rave_total = (
            reserved(room if name in keeps else 0, np.float64, small)
            for name in (PRIOR, SQUARES, RAVE)
        )
        rave_visits = reserved(room if RAVE in keeps else 0, np.int64, small)
        tree = cls(
            *(first, following, children, action, visits, total, decided, known),
            *(prior, squares, rave_visits, rave_total),
        )
        tree.reset()
        return tree

    def reset(self) -> None:
        """Forget everything but a fresh root."""
        for array in (self.first, self.following, self.children, self.visits, self.decided):
            array[0] = 0
        self.total[0] = 0.0


named_tuple(Tree, TREE)


def reserved(count: int, dtype: Any, small: bool = True) -> Any:
    """Return an array, of a `small` tree one whose memory is taken page by page, as it is written. `np.empty`
    asks for pages of 2 MB: sixty trees of a thousand nodes would take a gigabyte.
    """
    if not small or not count or not hasattr(mmap, "MAP_ANONYMOUS"):
        return np.empty(count, dtype)
    memory = mmap.mmap(-1, count * np.dtype(dtype).itemsize, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_NOHUGEPAGE"):
        memory.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(memory, dtype)


@kernel("void(Tree, u8, i8)")
def clear(tree, c, code):
    """Make a node that nothing is known of but what leads to it."""
    tree.first[c], tree.children[c], tree.visits[c], tree.decided[c] = 0, 0, 0, 0
    tree.action[c], tree.total[c] = code, 0.0
    if len(tree.squares) > 0:
        tree.squares[c] = 0.0
    if len(tree.rave_visits) > 0:
        tree.rave_visits[c], tree.rave_total[c] = 0, 0.0


@kernel(f"i8({TREE}, {TREE}, i8, i8[::1], b1, i8)", inline=False)
def copy_below(
    first, following, children, action, visits, total, decided, known,
    prior, squares, rave_visits, rave_total,
    first2, following2, children2, action2, visits2, total2, decided2, known2,
    prior2, squares2, rave_visits2, rave_total2,
    node, source, chance, players,
):  # fmt: skip
    """Copy the sub-tree of a node into the second tree, its root at 0; return the nodes copied.

    `source` is room for the old number of each new node.
    """
    tree = Tree(
        first, following, children, action, visits, total, decided, known,
        prior, squares, rave_visits, rave_total,
    )  # fmt: skip
    copy = Tree(
        first2, following2, children2, action2, visits2, total2, decided2, known2,
        prior2, squares2, rave_visits2, rave_total2,
    )  # fmt: skip
    source[U(0)], used, j = node, 1, 0
    copy.following[U(0)] = 0
    while j < used:
        old, new = U(source[U(j)]), U(j)
        clear(copy, new, tree.action[old])
        copy.children[new], copy.visits[new] = tree.children[old], tree.visits[old]
        copy.decided[new], copy.total[new] = tree.decided[old], tree.total[old]
        if len(tree.prior) > 0:
            copy.prior[new] = tree.prior[old]
        if len(tree.squares) > 0:
            copy.squares[new] = tree.squares[old]
        if len(tree.rave_visits) > 0:
            copy.rave_visits[new] = tree.rave_visits[old]
            copy.rave_total[new] = tree.rave_total[old]
        for p in range(players):
            copy.known[new * U(players) + U(p)] = tree.known[old * U(players) + U(p)]
        if tree.children[old] > 0:
            copy.first[new] = used
            for i in range(tree.children[old]):
                source[U(used)] = tree.first[old] + i
                copy.following[U(used)] = 0
                used += 1
        elif chance and tree.first[old] > 0:
            copy.first[new] = used
            c = tree.first[old]
            while c:
                source[U(used)] = c
                c = tree.following[U(c)]
                copy.following[U(used)] = used + 1 if c else 0
                used += 1
        j += 1
    return used
