"""Hex: a rhombus of hexagons, half a turn as its symmetry, and a helper that fills (docs/your-game.md).

joute --plugin examples/hex.py check hex
"""

import numpy as np

from joute import Board, BoardGame, Parameter, Refused, U, kernel, rule


class Hex(BoardGame):
    """Put a stone on any cell: X joins top and bottom, O left and right. There is no draw."""

    name = "hex"
    summary = "join your two sides of a rhombus with a chain of stones"
    options = (Parameter("side", "int", 7, 2, 8, meaning="cells a side"),)
    symmetries = ("half",)

    def setup(self):
        self.side = int(self.values["side"])
        self.board = Board.rhombus(self.side, self.side)
        self.slots = self.board.cells

    def build(self, stride):
        first, second, ply, n = self.state.first, self.state.second, self.state.ply, self.side
        top = (1 << n) - 1
        left = sum(1 << n * y for y in range(n))
        TOP, BOTTOM = U(top), U(top << n * (n - 1))
        LEFT, RIGHT = U(left), U(left << (n - 1))
        ROW, ASLANT = U(n), U(n - 1)

        @kernel("b1(u8, u8, u8)")
        def joined(stones, begin, end):
            """Whether a chain leads from one side to the other: fill from the first, step by step."""
            chain, grown = U(0), stones & begin
            while grown != chain:
                chain = grown
                right, back = (chain & ~RIGHT) << U(1), (chain & ~LEFT) >> U(1)
                up, down = chain >> ROW, chain << ROW
                above, below = (chain & ~RIGHT) >> ASLANT, (chain & ~LEFT) << ASLANT
                grown = chain | ((right | back | up | down | above | below) & stones)
            return chain & end != U(0)

        @rule
        def nth(W, at, i):
            taken = (W[at + first] | W[at + second]) >> i & U(1)
            return np.int64(-1) if taken else np.int64(i)

        @rule
        def apply(W, src, dst, action, outcome):
            stone = U(1) << U(action)
            mover = W[src + ply] & U(1)
            W[dst + first] = W[src + first] | (U(0) if mover else stone)
            W[dst + second] = W[src + second] | (stone if mover else U(0))

        @rule
        def status(W, at):
            if joined(W[at + first], TOP, BOTTOM):
                return np.int64(1)
            return np.int64(2 if joined(W[at + second], LEFT, RIGHT) else 0)

        return nth, apply, status

    def action_text(self, action):
        return f"{'abcdefgh'[action % self.side]}{action // self.side + 1}"

    def parse_action(self, text):
        texts = {self.action_text(action): action for action in range(self.slots)}
        if text not in texts:
            raise Refused(f"{text!r} is no move; allowed: a1 to {self.action_text(self.slots - 1)}")
        return texts[text]

    def cell_text(self, cell):
        return self.action_text(cell)
