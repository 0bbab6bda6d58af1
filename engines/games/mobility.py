"""`mobility`: how many actions each side has, where that decides the game."""

from __future__ import annotations

from joute.engines.evaluation import Evaluation
from joute.engines.game import Game
from joute.engines.games.hexagons import HexagonGame
from joute.engines.kernels.compile import Kernel, U
from joute.engines.kernels.contract import rule


class Mobility(Evaluation):
    """Own actions less the opponent's, as if each were to move; where having none wins, the reverse."""

    name = "mobility"
    summary = "actions of each side: more are better, in Dodo fewer"
    games = ("dodo", "gopher")
    scale = 6.0

    def build(self, game: Game, base: int) -> list[Kernel]:
        """Return the kernels."""
        assert isinstance(game, HexagonGame)
        mobility, ply = game.mobility(), game.state.ply
        sign = 1.0 if game.stuck_loses else -1.0

        @rule
        def value(W, at, P):
            mover = W[at + ply] & U(1)
            return sign * (mobility(W, at, mover) - mobility(W, at, U(1) - mover))

        return [value]
