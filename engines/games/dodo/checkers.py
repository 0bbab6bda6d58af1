"""`checkers`: Dodo as a network sees it."""

from __future__ import annotations

import numpy as np

from joute.engines.games.dodo.dodo import Dodo
from joute.engines.games.hexagon_view import ONE, HexagonView
from joute.engines.games.hexagons import STEPS, HexagonGame
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import rule


class Checkers(HexagonView):
    """The second player sees the board turned by half: whoever moves goes the same three ways. An entry
    is 3 * cell + way, of the cell that a checker leaves. Left and right may be exchanged.
    """

    name = "checkers"
    summary = "own checkers, the opponent's, playable cells, the board; one policy entry per cell and direction"
    games = ("dodo",)
    ways = len(STEPS)
    turns = True

    def playable(self, game: HexagonGame) -> Kernel:
        """Return to where a checker of the side to move may go."""
        assert isinstance(game, Dodo)
        first, second, ply = game.state.first, game.state.second, game.state.ply
        parts, shifts = U(game.parts), np.array(game.shifts, np.uint64)

        @kernel("u8(u8[::1], u8, u8)")
        def playable(W, at, bit):
            word, mover = bit >> U(6), W[at + ply] & ONE
            if ((W[at + first + word] | W[at + second + word]) >> (bit & U(63))) & ONE:
                return U(0)
            own, stones = second if mover else first, U(0)
            for shift in shifts:
                behind = bit + shift if mover else bit - shift
                word = behind >> U(6)
                if word < parts:  # else before the first line of cells, or beyond the last
                    stones |= (W[at + own + word] >> (behind & U(63))) & ONE
            return stones

        return playable

    def entry_kernel(self, game: HexagonGame) -> Kernel:
        """Return `entry`."""
        assert isinstance(game, Dodo)
        cell_of = np.zeros(64 * game.parts, np.int64)
        for bit, cell in game.cell_of.items():
            cell_of[bit] = cell
        last = np.int64(game.board.cells - 1)

        @rule
        def entry(W, at, action):
            cell, way = cell_of[U(action) >> U(3)], np.int64(U(action) & U(3))
            if (U(action) >> U(2)) & ONE:
                cell = last - cell
            return 3 * cell + way

        return entry
