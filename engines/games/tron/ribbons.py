"""`ribbons`: Tron for two as a network sees it."""

from __future__ import annotations

import numpy as np

from joute.engines.board import Board, rows_text
from joute.engines.game import Game
from joute.engines.games.tron.tron import LANE, NOWHERE, ONE, Tron
from joute.engines.kernels.compile import Kernel, U
from joute.engines.kernels.contract import rule
from joute.engines.position import Position
from joute.engines.view import Shape, Symmetry, View

STEPS = ((0, -2), (0, 2), (-2, 0), (2, 0))  # UP, DOWN, LEFT, RIGHT: a board's cells lie 2 apart


class Ribbons(View):
    """Planes: cells taken by walls, ribbons and heads; own head; the other's. An entry is a
    direction.
    """

    name = "ribbons"
    summary = "walls and ribbons, own head, the opponent's; one policy entry per direction"
    games = ("tron",)

    def shape(self, game: Game) -> Shape:
        """Return the sizes."""
        assert isinstance(game, Tron)
        return Shape(3, game.height, game.width, len(STEPS))

    def build(self, game: Game, stride: int) -> list[Kernel]:
        """Return the kernels."""
        assert isinstance(game, Tron)
        heads, meta = game.state.heads, game.state.meta
        width, height, size = game.width, game.height, U(game.width * game.height)

        @rule
        def see(W, at, F, to):
            mover = W[at + meta] & ONE
            own = (W[at + heads] >> (U(16) * mover)) & NOWHERE
            other = (W[at + heads] >> (U(16) * (ONE - mover))) & NOWHERE
            for y in range(height):
                for x in range(width):
                    cell, place = U(y) * LANE + U(x), to + U(y * width + x)
                    taken = (W[at + (cell >> U(6))] >> (cell & U(63))) & ONE
                    F[place] = np.float32(taken)
                    F[place + size] = np.float32(1 if cell == own else 0)
                    F[place + U(2) * size] = np.float32(1 if cell == other else 0)

        @rule
        def entry(W, at, action):
            return np.int64(action)

        return [see, entry]

    def symmetries(self, game: Game) -> list[Symmetry]:
        """Return the eight of a square field, or the four of an oblong one."""
        assert isinstance(game, Tron)
        board = Board.square(game.width, game.height)
        turn = "turn" if game.width == game.height else "flip"
        return [Symmetry(m, board.turned(m, STEPS)) for m in board.maps("mirror", turn)]

    def image(self, game: Game, start: str, symmetry: Symmetry) -> str:
        """Return the field with the cells where a symmetry moves them, and the same player to move."""
        assert isinstance(game, Tron)
        position = Position(game, start)
        cells = [cell for row in game.cells(position.W, position.at) for cell in row]
        moved = list(cells)
        for cell, sign in zip(symmetry.cells, cells, strict=True):
            moved[cell] = sign
        rows = [moved[y * game.width :][: game.width] for y in range(game.height)]
        return f"{rows_text(rows)} {position.to_move + 1}"
