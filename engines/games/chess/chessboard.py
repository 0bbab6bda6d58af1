"""`chessboard`: chess as a network sees it."""

from __future__ import annotations

import numpy as np

from joute.engines.game import Game
from joute.engines.games.chess.moves import (
    CASTLING,
    FROM,
    PASSANT,
    PAWNS,
    PLY,
    PROMOTION,
    SQUARE,
    WHITE,
)
from joute.engines.games.chess.rules import CLOCK, FIFTY, KINDS
from joute.engines.games.chess.squares import ONE, SEVEN
from joute.engines.kernels.compile import Kernel, U
from joute.engines.kernels.contract import rule
from joute.engines.view import Shape, View

PLANES = 16
LESS = 3 * 3 * 8  # entries of pawns that become less than a queen


class Chessboard(View):
    """The board as the side to move sees it, its own first rank below. A plane for each kind of its own
    men, pawns to kings, and of the other's; the rooks that may castle, its own and the other's; the
    square of en passant; at last everywhere the plies since a capture or a pawn's move, in hundreds.

    An entry is 64 * from + to, squares counted from the own side's left corner. Behind them lie those
    of pawns that become a knight, bishop or rook: 24 * kind + 3 * file + way (left, ahead, right).
    """

    name = "chessboard"
    summary = "own men and the opponent's by kind, castling, en passant; one policy entry per move"
    games = ("chess",)

    def shape(self, game: Game) -> Shape:
        """Return the sizes."""
        return Shape(PLANES, 8, 8, 64 * 64 + LESS)

    def build(self, game: Game, stride: int) -> list[Kernel]:
        """Return the kernels."""

        @rule
        def see(W, at, F, to):
            side = W[at + PLY] & ONE
            own, foe = W[at + WHITE + side], W[at + WHITE + ONE - side]
            turned = U(0) if side else U(56)
            clock = np.float32(W[at + CLOCK]) / np.float32(FIFTY)
            for square in range(64):
                here, place = U(square), to + (U(square) ^ turned)
                for k in range(KINDS):
                    men = W[at + PAWNS + U(k)]
                    F[place + U(64 * k)] = np.float32(((men & own) >> here) & ONE)
                    F[place + U(64 * (KINDS + k))] = np.float32(((men & foe) >> here) & ONE)
                rooks = W[at + CASTLING]
                F[place + U(64 * 12)] = np.float32(((rooks & own) >> here) & ONE)
                F[place + U(64 * 13)] = np.float32(((rooks & foe) >> here) & ONE)
                F[place + U(64 * 14)] = np.float32((W[at + PASSANT] >> here) & ONE)
                F[place + U(64 * 15)] = clock

        @rule
        def entry(W, at, action):
            turned = U(56) * (W[at + PLY] & ONE)
            end, begin = U(action) & SQUARE, (U(action) >> FROM) & SQUARE
            promotion = U(action) >> PROMOTION
            if promotion == U(0) or promotion == U(4):
                return np.int64(U(64) * (begin ^ turned) + (end ^ turned))
            way = (end & SEVEN) + ONE - (begin & SEVEN)
            return np.int64(U(64 * 64) + U(24) * (promotion - ONE) + U(3) * (begin & SEVEN) + way)

        return [see, entry]

    def cells(self, game: Game) -> list[int]:
        """Return the place of the square that each entry's man leaves."""
        plain = [square ^ 56 for square in range(64) for _ in range(64)]
        return plain + [8 + file for _ in range(3) for file in range(8) for _ in range(3)]
