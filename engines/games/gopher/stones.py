"""`stones`: Gopher as a network sees it."""

from __future__ import annotations

import numpy as np

from joute.engines.games.gopher.gopher import Gopher
from joute.engines.games.hexagon_view import ONE, HexagonView
from joute.engines.games.hexagons import HexagonGame
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import rule


class Stones(HexagonView):
    """An entry is the cell of a stone, as the game numbers them. All twelve symmetries."""

    name = "stones"
    summary = "own stones, the opponent's, playable cells, the board; one policy entry per cell"
    games = ("gopher",)

    def playable(self, game: HexagonGame) -> Kernel:
        """Return where the side to move may place."""
        assert isinstance(game, Gopher)
        legal_for, ply = game.legal_for(), game.state.ply

        @kernel("u8(u8[::1], u8, u8)")
        def playable(W, at, bit):
            return (legal_for(W, at, W[at + ply] & ONE, bit >> U(6)) >> (bit & U(63))) & ONE

        return playable

    def entry_kernel(self, game: HexagonGame) -> Kernel:
        """Return `entry`."""

        @rule
        def entry(W, at, action):
            return np.int64(action)

        return entry
