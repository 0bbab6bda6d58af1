"""`steps`: features of Dodo weighed by students of the course, each weight a parameter."""

from __future__ import annotations

import numpy as np

from joute.engines.evaluation import Evaluation
from joute.engines.game import Game
from joute.engines.games.dodo.dodo import Dodo
from joute.engines.kernels.bits import lowest, popcount
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import places, rule
from joute.engines.parameter import Parameter

COURSE = "students of UTC's course IA02; docs/dodo.md"


def weight(name: str, default: float, meaning: str) -> Parameter:
    """Return the weight of a feature."""
    return Parameter(name, "float", default, -8.0, 8.0, meaning=meaning, source=COURSE)


class Steps(Evaluation):
    """A weighted sum over the checkers, the opponent's less one's own: to be stuck first is to win."""

    name = "steps"
    summary = "free moves, room ahead, distance to the far edge and blocked checkers, weighted"
    games = ("dodo",)
    scale = 6.0
    parameters = (
        weight("ways", 1.0, "value of each free move of the opponent, minus each of one's own"),
        weight("distance", 0.0, "the same for each empty cell straight ahead of a checker, up to "
            "the next one: how far the sides are apart"),
        weight("edge", 0.0, "the same for each step between a checker and the far edge, on an "
            "empty board, by the longest path"),
        weight("blocked", 0.0, "value of each own checker that cannot move, minus each of the "
            "opponent's"),
    )  # fmt: skip

    def build(self, game: Game, base: int) -> list[Kernel]:
        """Return the kernels."""
        assert isinstance(game, Dodo)
        at_ = places(self.parameters, base)
        w_ways, w_distance, w_edge, w_blocked = at_.ways, at_.distance, at_.edge, at_.blocked
        first, second, ply = game.state.first, game.state.second, game.state.ply
        top = 2 * (game.side - 1)
        parts, movers, cells = game.parts, game.movers(), game.board.cells
        # by bit: the height that is left to a checker of either player; and the cells by word
        heights = np.zeros(2 * 64 * parts, np.int64)
        board = np.zeros(parts, np.uint64)
        for cell in range(cells):
            (x, y), bit = game.board.places[cell], game.bits[cell]
            heights[bit], heights[64 * parts + bit] = top - (x + y), top + (x + y)
            board[bit // 64] |= U(1 << bit % 64)
        ahead = U(game.shifts[0])

        @kernel("b1(u8[::1], u8, u8)")
        def empty(W, at, bit):
            word = bit >> U(6)
            if word >= U(parts):  # beyond the last line of cells, or before the first
                return False
            taken = W[at + first + word] | W[at + second + word]
            return ((board[word] & ~taken) >> (bit & U(63))) & U(1) == U(1)

        @kernel("f8(u8[::1], u8, u8, f8[::1])")
        def burden(W, at, player, P):
            """What still lies before a player's checkers."""
            own = second if player else first
            free, room, steps, stuck = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
            for k in range(parts):
                able = U(0)
                for way in range(3):
                    one = movers(W, at, player, U(way), U(k))
                    free += popcount(one)
                    able |= one
                rest = W[at + own + U(k)]
                stuck += popcount(rest & ~able)
                while rest:
                    bit = U(64 * k) + lowest(rest)
                    rest &= rest - U(1)
                    steps += heights[player * U(64 * parts) + bit]
                    to = bit - ahead if player else bit + ahead
                    while empty(W, at, to):
                        room += 1
                        to = to - ahead if player else to + ahead
            return (
                P[w_ways] * free + P[w_distance] * room + P[w_edge] * steps - P[w_blocked] * stuck
            )

        @rule
        def value(W, at, P):
            mover = W[at + ply] & U(1)
            return burden(W, at, U(1) - mover, P) - burden(W, at, mover, P)

        return [value]
