"""Corners: an evaluation with two weights, for the Othello of othello.py (docs/your-evaluation.md).

joute --plugin examples/othello.py --plugin examples/corners.py check corners
"""

from joute import Evaluation, Parameter, U, places, popcount, rule

CORNERS = U(0x8100000000000081)


class Corners(Evaluation):
    """Corners and stones of the side to move, less the opponent's, each with a weight."""

    name = "corners"
    summary = "corners and stones, weighted, for othello"
    games = ("othello",)
    parameters = (
        Parameter("corner", "float", 5.0, 0.0, 50.0, meaning="worth of a corner"),
        Parameter("stone", "float", 1.0, -5.0, 5.0, meaning="worth of a stone"),
    )
    scale = 20.0

    def build(self, game, base):
        p, state = places(self.parameters, base), game.state
        corner, stone = p.corner, p.stone
        first, second, ply = state.first, state.second, state.ply

        @rule
        def value(W, at, P):
            corners = popcount(W[at + first] & CORNERS) - popcount(W[at + second] & CORNERS)
            stones = popcount(W[at + first]) - popcount(W[at + second])
            total = P[corner] * corners + P[stone] * stones
            return -total if W[at + ply] & U(1) else total

        return (value,)
