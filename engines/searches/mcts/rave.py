"""RAVE: what an action is worth wherever in a descent or its playout it is played.

After a descent every child of a node on its path whose action was first played, there or later, by
the player who moves at the node, is credited with the returns. Behind the list of actions in A lie
what the playout played, and a table of who played an action first:

    A[slots], then (action, player) of each ply of the playout, then the table

Source: Gelly and Silver, "Combining online and offline knowledge in UCT" (2007); Bruegmann (1993)
for all moves as first.
"""

from __future__ import annotations

from joute.engines.game import Game
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.searches.mcts.select import worth_kernel
from joute.engines.searches.mcts.tree import DEPTH

ONE = U(1)


def table_size(game: Game) -> int:
    """Return how many entries the table has: a power of two, at least twice the plies of a game."""
    return 1 << (2 * game.max_plies).bit_length()


def room_for_rave(game: Game) -> int:
    """Return how many numbers A has behind its list of actions."""
    return 1 + 2 * game.max_plies + 2 * table_size(game)


def learn_kernel(game: Game, paranoid: bool) -> Kernel:
    """Return `learn(I, A, R, path, me, tree)`: credit the returns R to what was played."""
    worth = worth_kernel(game.players, paranoid)
    size, mask = table_size(game), U(table_size(game) - 1)
    played = U(game.slots)
    table = played + U(1 + 2 * game.max_plies)

    @kernel("u8(i8[::1], i8)")
    def place(A, code):
        # Where in A the entry of an action is, or would be: (action + 1, player).
        slot = U(code) & mask
        while A[table + U(2) * slot] not in (0, code + 1):
            slot = (slot + ONE) & mask
        return table + U(2) * slot

    @kernel("void(i8[::1], i8[::1], f8[::1], i8[::1], u8, Tree)")
    def learn(I, A, R, path, me, tree):
        for slot in range(size):
            A[table + U(2 * slot)] = 0
        # Backwards, so that who played an action earlier takes the place of who did so later.
        for i in range(A[played], 0, -1):
            code = A[played + U(2 * i - 1)]
            entry = place(A, code)
            A[entry], A[entry + ONE] = code + 1, A[played + U(2 * i)]
        for d in range(I[DEPTH], 0, -1):
            parent = U(path[U(2 * d - 2)])
            if tree.children[parent] == 0:
                continue  # below an action its outcome follows
            code, mover = tree.action[U(path[U(2 * d)])], path[U(2 * d + 1)]
            entry = place(A, code)
            A[entry], A[entry + ONE] = code + 1, mover
            gain = worth(R, U(0), U(mover), me)
            begin = U(tree.first[parent])
            for i in range(tree.children[parent]):
                c = begin + U(i)
                entry = place(A, tree.action[c])
                if A[entry] != 0 and A[entry + ONE] == mover:
                    tree.rave_visits[c] += 1
                    tree.rave_total[c] += gain

    return learn
