"""A search on a stack that is stopped and goes on again and again."""

from __future__ import annotations

from joute.engines.player import Move
from joute.engines.position import Position
from joute.engines.searches._stack import NODES, STOP, StackPlayer


def searched(player: StackPlayer, position: Position, depth: int, nodes: int) -> Move:
    """Return the move of depths 1, 2, ... by the kernels themselves, so many nodes at a time."""
    player.new_game(0, 0)
    at = player._root = position.lay(player._W, player._stride, player._scratch)
    player._begin(player._W, at, player._A, player._I, player._P)
    for deep in range(1, depth + 1):
        while True:
            player._I[STOP] = player._I[NODES] + nodes
            if player._search(player._W, at, player._A, player._I, player._F, player._P, deep):
                break
    return player._found(depth)
