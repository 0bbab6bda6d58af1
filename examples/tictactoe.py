"""Tic-tac-toe, compiled: the smallest whole game (docs/your-game.md).

joute --plugin examples/tictactoe.py check tictactoe
"""

import numpy as np

from joute import Board, BoardGame, U, kernel, rule

LINES = np.array([7, 56, 448, 73, 146, 292, 273, 84], np.uint64)  # three cells each, as bits
FULL = U(511)


@kernel("b1(u8)")
def has_line(stones):
    complete = False
    for line in LINES:
        complete = complete or stones & line == line
    return complete


class TicTacToe(BoardGame):
    """Three in a row."""

    name = "tictactoe"
    summary = "three in a row on nine cells"
    symmetries = ("mirror", "flip", "turn")

    def setup(self):
        self.board = Board.square(3, 3)
        self.slots = 9

    def build(self, stride):
        first, second, ply = self.state.first, self.state.second, self.state.ply

        @rule
        def start(W, at):
            W[at + first], W[at + second], W[at + ply] = U(0), U(0), U(0)

        @rule
        def nth(W, at, i):
            taken = W[at + first] | W[at + second]
            return np.int64(-1) if (taken >> i) & U(1) else np.int64(i)

        @rule
        def apply(W, src, dst, action, outcome):
            stone = U(1) << U(action)
            mover = W[src + ply] & U(1)
            W[dst + first] = W[src + first] | (U(0) if mover else stone)
            W[dst + second] = W[src + second] | (stone if mover else U(0))

        @rule
        def status(W, at):  # 0: goes on; 1, 2: that player has won; 3: a draw
            if has_line(W[at + first]):
                return np.int64(1)
            if has_line(W[at + second]):
                return np.int64(2)
            return np.int64(3 if W[at + first] | W[at + second] == FULL else 0)

        return start, nth, apply, status
