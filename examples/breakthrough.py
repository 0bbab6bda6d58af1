"""Breakthrough on a small board: a whole game as a plugin, with an evaluation (docs/your-game.md).

joute --plugin examples/breakthrough.py match breakthrough/alphabeta:evaluation=advance,depth=4 random
"""

from __future__ import annotations

import numpy as np

from joute import Board, BoardGame, Evaluation, Parameter, Refused, U, places, popcount, rule


class Breakthrough(BoardGame):
    """Move forward, straight or aslant; capture aslant; reach the last row, or take every stone."""

    name = "breakthrough"
    summary = "move forward, capture aslant, first on the other side wins"
    options = (Parameter("side", "int", 6, 4, 8, meaning="squares a side"),)
    symmetries = ("mirror",)

    def setup(self):
        self.side = int(self.values["side"])
        self.board = Board.square(self.side, self.side)
        self.slots = 3 * self.board.cells  # to the left, straight, to the right from each cell

    def build(self, stride):
        first, second, ply, n = self.state.first, self.state.second, self.state.ply, self.side
        rows, last = U((1 << 2 * n) - 1), U(n * (n - 2))  # X begins below, O above

        @rule
        def start(W, at):
            W[at + first], W[at + second], W[at + ply] = rows << last, rows, U(0)

        @rule
        def nth(W, at, i):
            cell, step = np.int64(i) // 3, np.int64(i) % 3 - 1
            x, second_moves = cell % n + step, W[at + ply] & U(1)
            own, other = W[at + first], W[at + second]
            if second_moves:
                own, other = other, own
            to = U(cell + (n if second_moves else -n) + step)
            if x < 0 or x >= n or not (own >> U(cell)) & U(1) or (own >> to) & U(1):
                return np.int64(-1)
            return np.int64(-1) if step == 0 and (other >> to) & U(1) else np.int64(i)

        @rule
        def apply(W, src, dst, action, outcome):
            second_moves = W[src + ply] & U(1)
            to = U(action // 3 + (n if second_moves else -n) + action % 3 - 1)
            moved = (U(1) << U(action // 3)) | (U(1) << to)
            W[dst + first] = (
                W[src + first] & ~(U(1) << to) if second_moves else W[src + first] ^ moved
            )
            W[dst + second] = (
                W[src + second] ^ moved if second_moves else W[src + second] & ~(U(1) << to)
            )

        @rule
        def status(W, at):
            top = (U(1) << U(n)) - U(1)
            if W[at + first] & top or W[at + second] == U(0):
                return np.int64(1)
            return (
                np.int64(2)
                if W[at + second] >> U(n * (n - 1)) or W[at + first] == U(0)
                else np.int64(0)
            )

        return start, nth, apply, status

    def action_text(self, action):
        cell, to = action // 3, action % 3 - 1
        return f"{'abcdefgh'[cell % self.side]}{self.side - cell // self.side}{'lsr'[to + 1]}"

    def parse_action(self, text):
        found = {self.action_text(action): action for action in range(self.slots)}
        if text not in found:
            raise Refused(f"{text!r} is no move; a2s is straight on from a2, a2l and a2r aslant")
        return found[text]


class Advance(Evaluation):
    """Stones, and how far the foremost rows have come: each row is worth `step` more."""

    name = "advance"
    summary = "stones and their advance, for breakthrough"
    games = ("breakthrough",)
    parameters = (Parameter("step", "float", 0.2, 0.0, 2.0, meaning="worth of a row forward"),)

    def build(self, game, base):
        step, n, state = places(self.parameters, base).step, game.side, game.state
        first, second, ply = state.first, state.second, state.ply
        row = U((1 << n) - 1)

        @rule
        def value(W, at, P):
            total = 0.0
            for y in range(n):
                mine = popcount((W[at + first] >> U(y * n)) & row)
                theirs = popcount((W[at + second] >> U(y * n)) & row)
                total += mine * (1.0 + P[step] * (n - 1 - y)) - theirs * (1.0 + P[step] * y)
            return -total if W[at + ply] & U(1) else total

        return (value,)
