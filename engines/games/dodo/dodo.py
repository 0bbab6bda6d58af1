"""Dodo (Mark Steere): walk forward, and be the first who cannot."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from engines.errors import Refused
from engines.games.hexagons import STEPS, HexagonGame
from engines.kernels.bits import lowest, popcount
from engines.kernels.compile import Kernel, U, kernel
from engines.kernels.contract import rule
from engines.kernels.random import below
from engines.parameter import Parameter

SIDES = (2, 7)


def usual_threshold(side: int) -> int:
    """Return the threshold of the usual armies: 1 on sides 2 and 3, 2 on side 4, one more for each side."""
    return max(1, side - 2)


class Dodo(HexagonGame):
    """Checkers walk forward one step, straight or aslant, to empty cells. Who cannot move has won.

    Action 6 * cell + way: the checker on that cell goes one way of six, the first player's the first
    three (`STEPS`), the second player's their negatives. There are no captures, passes or draws.
    """

    name = "dodo"
    summary = "walk forward; who has no move at his turn wins"
    options: ClassVar[tuple[Parameter, ...]] = (
        Parameter("side", "int", 4, *SIDES, meaning="cells a side of the hexagon"),
        Parameter(
            "threshold", "int", 2, 1, 12,
            meaning="X starts on the cells with x + y up to minus this, O from this on up; by default side - 2, at least 1",
        ),
    )  # fmt: skip
    symmetries = ("mirror",)
    stuck_loses = False
    named = 2

    def __init__(self, **options: Any) -> None:
        side = options.get("side", 4)
        if "threshold" not in options and str(side).isdigit():
            options["threshold"] = usual_threshold(int(side))
        super().__init__(**options)

    def setup(self) -> None:
        """Make the board, the armies and the table of where each step leads."""
        super().setup()
        threshold = int(self.values["threshold"])
        if threshold > 2 * (self.side - 1):
            raise Refused(
                f"dodo: threshold = {threshold} leaves no checkers on side {self.side}; "
                f"allowed: 1 to {2 * (self.side - 1)}"
            )
        heights = [x + y for x, y in self.board.places]
        self.armies = [
            [cell for cell, height in enumerate(heights) if sign * height <= -threshold]
            for sign in (1, -1)
        ]
        self.slots = 6 * self.board.cells
        self.target = [self.neighbour(cell, step, forward) for cell in range(self.board.cells)
                       for forward in (1, -1) for step in STEPS]  # fmt: skip
        # every step makes a checker higher by 1 at least, for the second player lower
        self.max_plies = 2 * 4 * (self.side - 1) * len(self.armies[0]) + 1

    @cached_property
    def bits(self) -> list[int]:
        """The bit of each cell: a line of cells of the same x after the other, one empty bit between
        them, so that every step leads the same number of bits further (`shifts`).
        """
        m = self.side - 1
        return [(x + m) * (2 * m + 2) + (y + m) for x, y in self.board.places]

    @property
    def shifts(self) -> list[int]:
        """How many bits further each of `STEPS` leads; the second player's lead back."""
        return [x * 2 * self.side + y for x, y in STEPS]

    def movers(self) -> Kernel:
        """Return `movers(W, at, player, way, k)`: word k of a player's checkers that can go a way, 0 to 2."""
        first, second = self.state.first, self.state.second
        shifts, last = np.array(self.shifts, np.uint64), U(self.parts - 1)
        board = np.zeros(self.parts, np.uint64)
        for bit in self.bits:
            board[bit // 64] |= U(1 << bit % 64)

        @kernel("u8(u8[::1], u8, u8)")
        def empty(W, at, k):
            return board[k] & ~(W[at + first + k] | W[at + second + k])

        @kernel("u8(u8[::1], u8, u8, u8, u8)")
        def movers(W, at, player, way, k):
            s = shifts[way]
            if player:
                reached = empty(W, at, k) << s
                if k > U(0):
                    reached |= empty(W, at, k - U(1)) >> (U(64) - s)
                return W[at + second + k] & reached
            reached = empty(W, at, k) >> s
            if k < last:
                reached |= empty(W, at, k + U(1)) << (U(64) - s)
            return W[at + first + k] & reached

        return movers

    def mobility(self) -> Kernel:
        """Return `mobility(W, at, player)`: in how many ways a player's checkers might go."""
        movers, parts = self.movers(), self.parts

        @kernel("i8(u8[::1], u8, u8)")
        def mobility(W, at, player):
            count = np.int64(0)
            for way in range(3):
                for k in range(parts):
                    count += popcount(movers(W, at, player, U(way), U(k)))
            return count

        return mobility

    def build(self, stride: int) -> list[Kernel]:
        """Return the kernels of the contract."""
        first, second, ply = self.state.first, self.state.second, self.state.ply
        slots, parts = self.slots, self.parts
        begin = np.zeros(2 * parts, np.uint64)
        for player, army in enumerate(self.armies):
            for cell in army:
                begin[player * parts + self.bits[cell] // 64] |= U(1 << self.bits[cell] % 64)
        target = np.array(self.target, np.int64)
        bits = np.array(self.bits, np.uint64)
        cell_at = np.zeros(64 * parts, np.uint64)
        cell_at[self.bits] = np.arange(self.board.cells)
        movers, mobility = self.movers(), self.mobility()

        @rule
        def start(W, at):
            for k in range(2 * parts):
                W[at + first + U(k)] = begin[k]
            W[at + ply] = U(0)

        @rule
        def actions(W, at, A, to):
            player, n = W[at + ply] & U(1), to
            for way in range(3):
                for k in range(parts):
                    left = movers(W, at, player, U(way), U(k))
                    while left:
                        cell = cell_at[U(64 * k) + lowest(left)]
                        left &= left - U(1)
                        A[n] = np.int64(U(6) * cell + U(3) * player + U(way))
                        n += U(1)
            return np.int64(n - to)

        @rule
        def sample(W, at, A, to, S):
            player = W[at + ply] & U(1)
            skip = np.int64(below(S, U(mobility(W, at, player))))
            for way in range(3):
                for k in range(parts):
                    left = movers(W, at, player, U(way), U(k))
                    here = popcount(left)
                    if skip >= here:
                        skip -= here
                        continue
                    while skip > 0:
                        left &= left - U(1)
                        skip -= 1
                    cell = cell_at[U(64 * k) + lowest(left)]
                    return np.int64(U(6) * cell + U(3) * player + U(way))
            return np.int64(-1)

        @rule
        def is_legal(W, at, action):
            if action < 0 or action >= slots:
                return False
            player, bit, way = W[at + ply] & U(1), bits[U(action // 6)], U(action % 6)
            if way // U(3) != player:
                return False
            can = movers(W, at, player, way % U(3), bit >> U(6))
            return (can >> (bit & U(63))) & U(1) == U(1)

        @rule
        def apply(W, src, dst, action, outcome):
            own = second if W[src + ply] & U(1) else first
            for k in range(2 * parts):
                W[dst + first + U(k)] = W[src + first + U(k)]
            left, reached = bits[U(action // 6)], bits[U(target[U(action)])]
            W[dst + own + (left >> U(6))] ^= U(1) << (left & U(63))
            W[dst + own + (reached >> U(6))] ^= U(1) << (reached & U(63))

        @rule
        def status(W, at):
            player = W[at + ply] & U(1)
            for way in range(3):
                for k in range(parts):
                    if movers(W, at, player, U(way), U(k)):
                        return np.int64(0)
            return np.int64(player) + 1

        return [start, actions, sample, is_legal, apply, status]

    def action_text(self, action: int) -> str:
        """Return the cells of a step: a1b2."""
        return self.cell_text(action // 6) + self.cell_text(self.target[action])

    def parse_action(self, text: str) -> int:
        """Return the action of a step from cell to cell."""
        start, end = self.cells_of(
            text, self.named, "two neighbouring cells, a1b2 or (-3, -3) (-2, -2)"
        )
        ways = self.target[6 * start : 6 * start + 6]
        if end not in ways:
            raise Refused(f"dodo: {text!r}: the cells are no neighbours")
        return 6 * start + ways.index(end)
