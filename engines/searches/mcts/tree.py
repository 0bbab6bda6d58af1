"""The tree of a Monte Carlo search: an array for each thing that is known of a node.

Nodes are numbers, 0 is the root. The children of a node, one for each action in canonical order, are
a block; a node has none before it is expanded. In games of chance every second level is different:
below an action's node hang the outcomes that were drawn, linked one to the next.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engines.kernels.compile import Floats, Ints, U, kernel

# Control words in I. Of the tree: nodes in use, deepest path of this move. Of the last descent: its
# length, where in W the state lies at which it ended, whether that state waits for its returns.
NODES, DEEPEST, DEPTH, AT, WAITING = (U(k) for k in range(5))
CONTROL = 5


class Tree(NamedTuple):
    """What is known of each node: arrays as long as there is room for nodes.

    first: its first child, or first outcome; 0 is none
    following: the next outcome of the same action; 0 is none
    children: how many it has; 0 before it is expanded
    action: what leads to it, an action or an outcome
    visits: descents that passed or ended here
    total: sum of the returns of the player who moved into it (of paranoid opponents: what the
        player who searches does not get); total / visits is in [0, 1]
    prior: how likely its action seemed before any visit; no room in searches without priors
    decided: 1 once its returns are known for sure
    known: the returns of a decided node, those of player p at [node * players + p]
    """

    first: Ints
    following: Ints
    children: Ints
    action: Ints
    visits: Ints
    total: Floats
    prior: Floats
    decided: Ints
    known: Floats

    @classmethod
    def empty(cls, room: int, players: int, priors: bool = False) -> Tree:
        """Return a tree of just a root, with room for so many nodes."""
        first, following, children, action, visits, decided = (
            np.empty(room, np.int64) for _ in range(6)
        )
        total, prior = np.empty(room), np.empty(room if priors else 0)
        known = np.empty(room * players)
        tree = cls(first, following, children, action, visits, total, prior, decided, known)
        tree.reset()
        return tree

    def reset(self) -> None:
        """Forget everything but a fresh root."""
        for array in (self.first, self.following, self.children, self.visits, self.decided):
            array[0] = 0
        self.total[0] = 0.0


TREE = "i8[::1], i8[::1], i8[::1], i8[::1], i8[::1], f8[::1], f8[::1], i8[::1], f8[::1]"


@kernel(f"i8({TREE}, {TREE}, i8, i8[::1], b1, i8)", inline=False)
def copy_below(
    first, following, children, action, visits, total, prior, decided, known,
    first2, following2, children2, action2, visits2, total2, prior2, decided2, known2,
    node, source, chance, players,
):  # fmt: skip
    """Copy the sub-tree of a node into the second tree, its root at 0; return the nodes copied.

    `source` is room for the old number of each new node.
    """
    source[U(0)], used, j = node, 1, 0
    following2[U(0)] = 0
    while j < used:
        old, new = U(source[U(j)]), U(j)
        children2[new], visits2[new], decided2[new] = children[old], visits[old], decided[old]
        action2[new], total2[new] = action[old], total[old]
        if len(prior) > 0:
            prior2[new] = prior[old]
        for p in range(players):
            known2[new * U(players) + U(p)] = known[old * U(players) + U(p)]
        first2[new] = 0
        if children[old] > 0:
            first2[new] = used
            for i in range(children[old]):
                source[U(used)] = first[old] + i
                following2[U(used)] = 0
                used += 1
        elif chance and first[old] > 0:
            first2[new] = used
            c = first[old]
            while c:
                source[U(used)] = c
                c = following[U(c)]
                following2[U(used)] = used + 1 if c else 0
                used += 1
        j += 1
    return used
