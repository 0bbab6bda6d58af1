"""`discs`: Connect 4 as a network sees it."""

from __future__ import annotations

import numpy as np

from joute.engines.game import Game
from joute.engines.games.connect4.connect4 import Connect4
from joute.engines.kernels.compile import Kernel, U
from joute.engines.kernels.contract import rule
from joute.engines.view import Shape, Symmetry, View

ONE = U(1)


class Discs(View):
    """Two planes, the discs of the side to move and those of the other, the top row first; an entry of
    the policy is a column. Left and right may be exchanged.
    """

    name = "discs"
    summary = "own discs and the opponent's; one policy entry per column"
    games = ("connect4",)

    def shape(self, game: Game) -> Shape:
        """Return the sizes."""
        assert isinstance(game, Connect4)
        return Shape(2, game.rows, game.columns, game.columns)

    def build(self, game: Game, stride: int) -> list[Kernel]:
        """Return the kernels."""
        assert isinstance(game, Connect4)
        layout, columns, rows = game.layout, game.columns, game.rows
        theirs, cells = layout.state.theirs, U(rows * columns)
        lane, per_word = U(layout.stride), U(layout.per_word)

        @rule
        def see(W, at, F, to):
            for c in range(columns):
                word = U(c) // per_word
                bit = (U(c) - word * per_word) * lane
                for r in range(rows):
                    place, there = to + U((rows - 1 - r) * columns + c), bit + U(r)
                    F[place] = np.float32((W[at + word] >> there) & ONE)
                    F[place + cells] = np.float32((W[at + theirs + word] >> there) & ONE)

        @rule
        def entry(W, at, action):
            return action

        return [see, entry]

    def symmetries(self, game: Game) -> list[Symmetry]:
        """Return the board as it is, and its mirror image."""
        rows, columns = self.shape(game).rows, self.shape(game).columns
        mirrored = [r * columns + columns - 1 - c for r in range(rows) for c in range(columns)]
        return [
            *super().symmetries(game),
            Symmetry(mirrored, [columns - 1 - c for c in range(columns)]),
        ]
