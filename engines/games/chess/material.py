"""`material`: the men of both sides, each kind with its worth."""

from __future__ import annotations

from joute.engines.evaluation import Evaluation
from joute.engines.game import Game
from joute.engines.games.chess.moves import PAWNS, PLY, WHITE
from joute.engines.games.chess.squares import ONE
from joute.engines.kernels.bits import popcount
from joute.engines.kernels.compile import Kernel, U
from joute.engines.kernels.contract import places, rule
from joute.engines.parameter import Parameter

USUAL = {"pawn": 100.0, "knight": 320.0, "bishop": 330.0, "rook": 500.0, "queen": 900.0}


def worths() -> tuple[Parameter, ...]:
    """Return the worth of each kind of man, in centipawns."""
    source = "Shannon 1950 has 100, 300, 300, 500, 900"
    return tuple(
        Parameter(
            kind,
            "float",
            usual,
            0,
            2000,
            meaning=f"worth of a {kind}, in centipawns",
            source=source,
        )
        for kind, usual in USUAL.items()
    )


class Material(Evaluation):
    """Own men less the opponent's, in centipawns. They are counted anew at each leaf: a sum kept from move to
    move was not faster.
    """

    name = "material"
    summary = "the worth of each kind of man"
    games = ("chess",)
    scale = 230.0  # fitted by `python -m benchmarks.chess_scale 800`
    parameters = worths()

    def build(self, game: Game, base: int) -> list[Kernel]:
        """Return the kernels."""
        pawn = places(self.parameters, base).pawn

        @rule
        def value(W, at, P):
            side, total = W[at + PLY] & ONE, 0.0
            own, foe = W[at + WHITE + side], W[at + WHITE + ONE - side]
            for k in range(5):
                men = W[at + PAWNS + U(k)]
                total += P[pawn + U(k)] * (popcount(men & own) - popcount(men & foe))
            return total

        return [value]
