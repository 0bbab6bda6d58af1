"""Draws by the line of play, as searches on a stack see them in their tree.

A game of which only the end looks back (`Game.repeats`) is drawn by the third occurrence of a position, or
by a count that its key does not hold. In a tree the second occurrence is a draw already: what was
worth repeating once is worth repeating twice. Such a status is `players + 2`, so that a search can tell
it from a draw that every line to the position has. Tree searches that keep their tree from move to
move (`uct`, `puct`) play by the game's own rules: what ends a line in the tree may go on at the board.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from joute.engines.game import GameKernels, needed, returns_from
from joute.engines.kernels.contract import rule


def in_tree(rules: GameKernels, players: int, name: str) -> GameKernels:
    """Return the rules of such a game as they hold in a tree; `name` is the game's."""
    ended = rules.status
    repeats = needed({} if rules.repeats is None else {"repeats": rules.repeats}, "repeats", name)

    @rule
    def status(W, at):
        code = ended(W, at)
        if (code == 0 or code == players + 1) and repeats(W, at):
            return np.int64(players + 2)
        return code

    return replace(rules, status=status, returns=returns_from(status, players))
