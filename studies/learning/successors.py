"""Self-play without a tree: a move is worth the network's value of its successor.

The policy learns the softmax of these values. Source: the LittleGo team's variant of AlphaGo Zero
(their section 3.3), which plays the best move; here moves are drawn from the softmax in the first
plies, or all games would be the same.
"""

from __future__ import annotations

import numpy as np

from joute.engines.errors import Refused
from joute.engines.kernels.random import next_word, stream
from joute.engines.nets.numpy_reader import Singles
from joute.engines.player import Move
from joute.engines.position import Position
from joute.studies.learning.planes import Planes


class Successors:
    """Values every successor; for `drawn` plies draws a move by the softmax of value / `spread`,
    then takes the best. Used like a tree; its `count` is ignored.
    """

    count = 1

    def __init__(self, view_planes: Planes, spread: float, drawn: int) -> None:
        if view_planes.game.chance:
            raise Refused(
                f"selfplay.policy_target = 'values': {view_planes.game.name} is a game of chance, "
                f"where a move has several successors; allowed: 'visits'"
            )
        self._view_planes, self._spread, self._drawn = view_planes, spread, drawn
        self._S = stream(0)

    def new_game(self, seed: int) -> None:
        """Start the random numbers of the game."""
        self._S = stream(seed)

    def begin(self, position: Position) -> None:
        """Compute the successors of a position."""
        self._entries = self._view_planes.entries(position)
        self._after = self._view_planes.after(position)
        self._values, self._waiting = self._after.values, self._after.planes  # values: -1 to 1

    def leaves(self) -> Singles:
        """Return the positions to be valued."""
        return self._waiting

    def tell(self, policy: Singles, value: Singles) -> None:
        """Take their values; the policy is ignored."""
        self._values = self._after.told(value)
        self._waiting = self._waiting[:0]

    def policy(self) -> Singles:
        """Return the softmax of the values."""
        policy = np.zeros(self._view_planes.shape.policy, np.float32)
        policy[[*self._entries.values()]] = self._shares()
        return policy

    def value(self) -> float:
        """Return the best move's value, in [0, 1]."""
        return float(self._values.max() + 1) / 2

    def choice(self, position: Position) -> Move:
        """Return a drawn move, or later in the game the best one."""
        chosen = int(self._values.argmax())
        if position.ply < self._drawn:
            share = int(next_word(self._S)) / 2**64
            chosen = int(np.searchsorted(np.cumsum(self._shares()), share, "right"))
        actions = list(self._entries)
        return Move(actions[min(chosen, len(actions) - 1)], self.value(), 1, len(actions))

    def _shares(self) -> np.ndarray:
        raised = np.exp((self._values - self._values.max()) / self._spread)
        shares: np.ndarray = raised / raised.sum()
        return shares
