"""Othello: bitboards, helper kernels, and a pass as an action of its own (docs/your-game.md).

joute --plugin examples/othello.py check othello
"""

import numpy as np

from joute import Board, BoardGame, Refused, U, kernel, popcount, rule

PASS = 64
# The eight ways on the board: how far to shift, and the cells that may take such a step.
LEFT, RIGHT = U(0xFEFEFEFEFEFEFEFE), U(0x7F7F7F7F7F7F7F7F)
SHIFTS = np.array([1, 7, 8, 9], np.uint64)
UP = np.array([LEFT, RIGHT, ~U(0), LEFT], np.uint64)  # of a step to higher bits
DOWN = np.array([RIGHT, LEFT, ~U(0), RIGHT], np.uint64)


@kernel("u8(u8, u8, u8)")
def flipped(own, other, stone):
    """Return the stones that turn over where the owner of `own` puts a stone; 0: it may not."""
    turned = U(0)
    for way in range(4):
        by = SHIFTS[way]
        run, step = U(0), (stone << by) & UP[way]
        while step & other:
            run |= step
            step = (step << by) & UP[way]
        if step & own:
            turned |= run
        run, step = U(0), (stone >> by) & DOWN[way]
        while step & other:
            run |= step
            step = (step >> by) & DOWN[way]
        if step & own:
            turned |= run
    return turned


@kernel("b1(u8, u8)")
def can_move(own, other):
    for cell in range(64):
        stone = U(1) << U(cell)
        if not (own | other) & stone and flipped(own, other, stone):
            return True
    return False


class Othello(BoardGame):
    """Enclose stones to turn them over; who has more in the end wins."""

    name = "othello"
    summary = "enclose stones to turn them over; more stones win"
    symmetries = ("mirror", "flip", "turn")
    max_plies = 128

    def setup(self):
        self.board = Board.square(8, 8)
        self.slots = 65

    def build(self, stride):
        first, second, ply = self.state.first, self.state.second, self.state.ply

        @rule
        def start(W, at):
            W[at + first], W[at + second], W[at + ply] = U(0x810000000), U(0x1008000000), U(0)

        @rule
        def nth(W, at, i):
            own, other = W[at + first], W[at + second]
            if W[at + ply] & U(1):
                own, other = other, own
            if i == U(64):  # a pass is an action, legal where there is no other
                return np.int64(-1) if can_move(own, other) else np.int64(64)
            stone = U(1) << i
            legal = not (own | other) & stone and flipped(own, other, stone)
            return np.int64(i) if legal else np.int64(-1)

        @rule
        def apply(W, src, dst, action, outcome):
            own, other = W[src + first], W[src + second]
            second_moves = W[src + ply] & U(1)
            if second_moves:
                own, other = other, own
            if action < 64:
                stone = U(1) << U(action)
                turned = flipped(own, other, stone)
                own, other = own | stone | turned, other & ~turned
            W[dst + first] = other if second_moves else own
            W[dst + second] = own if second_moves else other

        @rule
        def status(W, at):
            own, other = W[at + first], W[at + second]
            if can_move(own, other) or can_move(other, own):
                return np.int64(0)
            more = popcount(own) - popcount(other)
            return np.int64(1 if more > 0 else (2 if more < 0 else 3))

        return start, nth, apply, status

    def action_text(self, action):
        return "pass" if action == PASS else f"{'abcdefgh'[action % 8]}{action // 8 + 1}"

    def parse_action(self, text):
        texts = {self.action_text(action): action for action in range(self.slots)}
        if text not in texts:
            raise Refused(f"{text!r} is no move; allowed: a1 to h8, pass")
        return texts[text]
