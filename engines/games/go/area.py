"""`area`: the area score of the board as it is, for boards small enough to be read out."""

from __future__ import annotations

from joute.engines.evaluation import Evaluation
from joute.engines.game import Game
from joute.engines.games.go.cells import ONE, both, cells_of, either, less, size
from joute.engines.games.go.go import Go
from joute.engines.games.go.rules import score_kernel
from joute.engines.kernels.compile import Kernel
from joute.engines.kernels.contract import places, rule
from joute.engines.parameter import Parameter


class Area(Evaluation):
    """Points of the side to move less the opponent's, komi among them; a finished game is its score.

    So a search that comes to the end of every line says by how much the game is won.
    """

    name = "area"
    summary = "points as the board stands, and liberties"
    games = ("go",)
    scale = 8.0
    parameters = (
        Parameter(
            "liberty",
            "float",
            0.25,
            0.0,
            2.0,
            meaning="points added for an empty cell beside own stones and subtracted for one "
            "beside the opponent's, during the game",
        ),
    )

    def build(self, game: Game, base: int) -> list[Kernel]:
        """Return the kernels."""
        assert isinstance(game, Go)
        rules, liberty = game.what, places(self.parameters, base).liberty
        state, cells = rules.state, cells_of(rules.columns, rules.rows)
        score, komi = score_kernel(rules, state, cells), rules.komi
        first, second, ply = state.first, state.second, state.ply
        whole, load, around = cells.whole, cells.load, cells.around

        @rule
        def final(W, at, P):
            lead = score(W, at) - 0.5 * komi
            return -lead if W[at + ply] & ONE else lead

        @rule
        def value(W, at, P):
            black, white = load(W, at + first), load(W, at + second)
            empty = less(whole(), either(black, white))
            room = size(both(around(black), empty)) - size(both(around(white), empty))
            lead = score(W, at) - 0.5 * komi + P[liberty] * room
            return -lead if W[at + ply] & ONE else lead

        return [value, final]
