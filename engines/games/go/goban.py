"""`goban`: Go as a network sees it."""

from __future__ import annotations

import numpy as np

from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.games.go.cells import ONE
from joute.engines.games.go.go import Go
from joute.engines.kernels.compile import Kernel, U
from joute.engines.kernels.contract import rule
from joute.engines.parameter import Parameter
from joute.engines.view import Shape, Symmetry, View


class Goban(View):
    """Two planes a board, the stones of the side to move and those of the other, this board first, then
    those one ply ago and more; at last a plane of ones where Black is to move. Before the line of play
    began all was as at its start. An entry is a cell, the last a pass.
    """

    name = "goban"
    summary = (
        "own stones and the opponent's, now and before, Black to move; one policy entry per cell, "
        "and pass"
    )
    games = ("go",)
    parameters = (
        Parameter(
            "history", "int", 2, 1, 8,
            meaning="boards that the network sees, including this one; more than one needs "
                "ko=superko, whose games keep earlier boards",
            source="LittleGo: 2; AlphaGo Zero: 8",
        ),
    )  # fmt: skip

    def check(self, game: Game) -> None:
        """Refuse other games, and a look back where the boards before are not kept."""
        super().check(game)
        if int(self.values["history"]) > 1 and not game.path_dependent:
            raise Refused(
                f"view {self.label}: {game.label} keeps no boards before this one; "
                "allowed: history=1, or a game with ko=superko"
            )

    def shape(self, game: Game) -> Shape:
        """Return the sizes."""
        assert isinstance(game, Go)
        planes = 2 * int(self.values["history"]) + 1
        return Shape(planes, game.rows, game.columns, game.board.cells + 1)

    def build(self, game: Game, stride: int) -> list[Kernel]:
        """Return the kernels."""
        assert isinstance(game, Go)
        first, second, ply = game.state.first, game.state.second, game.state.ply
        history, cells = int(self.values["history"]), game.board.cells
        kept, step, size = game.path_dependent, U(stride), U(cells)
        before = game.state.before if kept else ply

        @rule
        def see(W, at, F, to):
            mover = W[at + ply] & ONE
            own, other = (second, first) if mover else (first, second)
            left = W[at + before] if kept else U(0)
            board, place = at, to
            for _ in range(history):
                for c in range(cells):
                    word, bit = U(c) >> U(6), U(c) & U(63)
                    F[place + U(c)] = np.float32((W[board + own + word] >> bit) & ONE)
                    F[place + size + U(c)] = np.float32((W[board + other + word] >> bit) & ONE)
                place += U(2) * size
                if left:
                    board -= step
                    left -= ONE
            for c in range(cells):
                F[place + U(c)] = np.float32(ONE - mover)

        @rule
        def entry(W, at, action):
            return np.int64(action)

        return [see, entry]

    def cells(self, game: Game) -> list[int]:
        """Return the cells, and none for the pass."""
        assert isinstance(game, Go)
        return [*range(game.board.cells), -1]

    def symmetries(self, game: Game) -> list[Symmetry]:
        """Return the eight of a square board, or the four of an oblong one; a pass is a pass."""
        assert isinstance(game, Go)
        turn = "turn" if game.columns == game.rows else "flip"
        return [Symmetry(m, (*m, game.board.cells)) for m in game.board.maps("mirror", turn)]
