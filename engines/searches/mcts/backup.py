"""Backing up: what the end of a descent tells the nodes of its path."""

from __future__ import annotations

from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.searches.mcts.select import worth_kernel
from joute.engines.searches.mcts.tree import DEPTH

ONE = U(1)


def backup_kernel(players: int, paranoid: bool, chance: bool) -> Kernel:
    """Return `backup(I, R, path, me, fresh, tree)`: add the returns R to every node of the path.

    path[2 * d] is the node at depth d, path[2 * d + 1] who moved into it. `fresh`: the last node has
    just been decided, so that nodes above may be, too.
    """
    decide, worth = decide_kernel(players, paranoid), worth_kernel(players, paranoid)

    @kernel("void(i8[::1], f8[::1], i8[::1], u8, b1, Tree)")
    def backup(I, R, path, me, fresh, tree):
        tree.visits[U(0)] += 1
        for d in range(1, I[DEPTH] + 1):
            c = U(path[U(2 * d)])
            tree.visits[c] += 1
            mover = U(path[U(2 * d + 1)])
            gain = worth(R, U(0), mover, me)
            tree.total[c] += gain
            if len(tree.squares) > 0:
                tree.squares[c] += gain * gain
        if fresh and not chance:
            up = U(I[DEPTH])
            while up > U(0):
                mover = U(path[U(2) * up + ONE])
                up -= ONE
                node = U(path[U(2) * up])
                if not decide(node, mover, me, tree):
                    break

    return backup


def decide_kernel(players: int, paranoid: bool) -> Kernel:
    """Return `decide(node, mover, me, tree)`: mark a node once its mover has a child decided at 1, or all are decided."""
    n, worth = U(players), worth_kernel(players, paranoid)

    @kernel("b1(u8, u8, u8, Tree)")
    def decide(node, mover, me, tree):
        begin = U(tree.first[node])
        best, chosen, all_decided = -1.0, begin, True
        for i in range(tree.children[node]):
            c = begin + U(i)
            if not tree.decided[c]:
                all_decided = False
            elif worth(tree.known, c, mover, me) > best:
                best, chosen = worth(tree.known, c, mover, me), c
        if not all_decided and best < 1.0:
            return False
        tree.decided[node] = 1
        for p in range(players):
            tree.known[node * n + U(p)] = tree.known[chosen * n + U(p)]
        return True

    return decide
