"""Shared parts of views on hexagonal boards: the grid, its planes, its symmetries."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from joute.engines.game import Game
from joute.engines.games.hexagons import STEPS, HexagonGame
from joute.engines.kernels.compile import Kernel, U
from joute.engines.kernels.contract import rule
from joute.engines.parameter import Parameter
from joute.engines.view import Shape, Symmetry, View

ONE = U(1)


class HexagonView(View):
    """Own stones, the opponent's, then what `marks` asks for, on a square grid: cell (x, y) stands in
    column x + side - 1 of row y + side - 1; what lies outside the hexagon is 0 everywhere. An entry of
    the policy is `ways` * cell + way.
    """

    ways: ClassVar[int] = 1  # actions at a cell
    turns: ClassVar[bool] = False  # the second player sees the board turned by half
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "marks", "choice", "both", choices=("playable", "board", "both"),
            meaning="what the planes after the stones mark: cells where the side to move may "
                "play, cells of the board, or both in this order",
            source="the IA02 course project: playable",
        ),
    )  # fmt: skip

    @abstractmethod
    def playable(self, game: HexagonGame) -> Kernel:
        """Return `playable(W, at, bit)`, u8(u8[::1], u8, u8): 1 where the side to move may go, else 0."""

    @abstractmethod
    def entry_kernel(self, game: HexagonGame) -> Kernel:
        """Return `entry`."""

    def shape(self, game: Game) -> Shape:
        """Return the sizes."""
        assert isinstance(game, HexagonGame)
        wide, marks = 2 * game.side - 1, 2 if self.values["marks"] == "both" else 1
        return Shape(2 + marks, wide, wide, self.ways * game.board.cells)

    def build(self, game: Game, stride: int) -> list[Kernel]:
        """Return the kernels."""
        assert isinstance(game, HexagonGame)
        first, second, ply = game.state.first, game.state.second, game.state.ply
        cells, numbers, turns = game.board.cells, self.shape(game).numbers, self.turns
        wide = 2 * game.side - 1
        size, last = U(wide * wide), U(wide * wide - 1)
        bits, grid = np.array(game.bits, np.uint64), np.array(places_of(game), np.uint64)
        shows, marks = self.values["marks"] != "board", self.values["marks"] != "playable"
        board, playable = U(2 + shows) * size, self.playable(game)

        @rule
        def see(W, at, F, to):
            for i in range(numbers):
                F[to + U(i)] = np.float32(0)
            mover = W[at + ply] & ONE
            own, other = (second, first) if mover else (first, second)
            for c in range(cells):
                word, bit = bits[U(c)] >> U(6), bits[U(c)] & U(63)
                place = to + (last - grid[U(c)] if turns and mover else grid[U(c)])
                F[place] = np.float32((W[at + own + word] >> bit) & ONE)
                F[place + size] = np.float32((W[at + other + word] >> bit) & ONE)
                if shows:
                    F[place + U(2) * size] = np.float32(playable(W, at, bits[U(c)]))
                if marks:
                    F[place + board] = np.float32(1)

        return [see, self.entry_kernel(game)]

    def cells(self, game: Game) -> list[int]:
        """Return the place of each entry's cell."""
        assert isinstance(game, HexagonGame)
        return [place for place in places_of(game) for _ in range(self.ways)]

    def symmetries(self, game: Game) -> list[Symmetry]:
        """Return the symmetries of the game's rules; cells outside the hexagon stay in place."""
        assert isinstance(game, HexagonGame)
        grid, ways, symmetries = places_of(game), STEPS[: self.ways], []
        for image in game.board.maps(*game.symmetries):
            places = list(range((2 * game.side - 1) ** 2))
            for cell, other in enumerate(image):
                places[grid[cell]] = grid[other]
            turned = game.board.turned(image, ways) if self.ways > 1 else [0]
            entries = [self.ways * other + way for other in image for way in turned]
            symmetries.append(Symmetry(places, entries))
        return symmetries


def places_of(game: HexagonGame) -> list[int]:
    """Return the place of each cell in the grid."""
    m = game.side - 1
    return [(y + m) * (2 * m + 1) + x + m for x, y in game.board.places]
