"""Dodo (Mark Steere): walk forward, and be the first who cannot."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from engines.errors import Refused
from engines.games.hexagons import STEPS, HexagonGame
from engines.kernels.bits import lowest, popcount
from engines.kernels.compile import Kernel, U, kernel
from engines.kernels.contract import rule
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

    def step_kernels(self) -> tuple[Kernel, Kernel]:
        """Return `goes(W, at, action)`: whether a way leads to an empty cell, and `ways(W, at, action)`:
        which of three do, a bit each, from an action on; whoever stands where they begin.
        """
        first, second = self.state.first, self.state.second
        target = np.array(self.target, np.int64)

        @kernel("b1(u8[::1], u8, u8)")
        def goes(W, at, action):
            if target[action] < 0:
                return False
            word, bit = U(target[action]) >> U(6), U(target[action]) & U(63)
            return ((W[at + first + word] | W[at + second + word]) >> bit) & U(1) == U(0)

        @kernel("u8(u8[::1], u8, u8)")
        def ways(W, at, action):
            found = U(0)
            for way in range(3):
                if goes(W, at, action + U(way)):
                    found |= U(1) << U(way)
            return found

        return goes, ways

    def mobility(self) -> Kernel:
        """Return `mobility(W, at, player)`: in how many ways a player's checkers might go."""
        first, second = self.state.first, self.state.second
        _, ways = self.step_kernels()
        parts = (self.board.cells + 63) // 64

        @kernel("i8(u8[::1], u8, u8)")
        def mobility(W, at, player):
            own, count = second if player else first, np.int64(0)
            for k in range(parts):
                left = W[at + own + U(k)]
                while left:
                    action = U(6) * (U(64 * k) + lowest(left)) + U(3) * player
                    count += popcount(ways(W, at, action))
                    left &= left - U(1)
            return count

        return mobility

    def build(self, stride: int) -> list[Kernel]:
        """Return the kernels of the contract."""
        first, second, ply = self.state.first, self.state.second, self.state.ply
        slots, parts = self.slots, (self.board.cells + 63) // 64
        begin = np.zeros(2 * parts, np.uint64)
        for player, army in enumerate(self.armies):
            for cell in army:
                begin[player * parts + cell // 64] |= U(1 << cell % 64)
        target = np.array(self.target, np.int64)

        @rule
        def start(W, at):
            for k in range(2 * parts):
                W[at + first + U(k)] = begin[k]
            W[at + ply] = U(0)

        goes, ways = self.step_kernels()

        @rule
        def actions(W, at, A, to):
            mover = W[at + ply] & U(1)
            own, n = second if mover else first, to
            for k in range(parts):
                left = W[at + own + U(k)]
                while left:
                    action = U(6) * (U(64 * k) + lowest(left)) + U(3) * mover
                    left &= left - U(1)
                    free = ways(W, at, action)
                    while free:
                        A[n] = np.int64(action + lowest(free))
                        free &= free - U(1)
                        n += U(1)
            return np.int64(n - to)

        @rule
        def is_legal(W, at, action):
            if action < 0 or action >= slots:
                return False
            mover = W[at + ply] & U(1)
            own = second if mover else first
            cell, way = U(action // 6), U(action % 6)
            if (way >= U(3)) != (mover == U(1)):
                return False
            if not (W[at + own + (cell >> U(6))] >> (cell & U(63))) & U(1):
                return False
            return goes(W, at, U(action))

        @rule
        def apply(W, src, dst, action, outcome):
            mover = W[src + ply] & U(1)
            own = second if mover else first
            for k in range(2 * parts):
                W[dst + first + U(k)] = W[src + first + U(k)]
            left, reached = U(action // 6), U(target[U(action)])
            W[dst + own + (left >> U(6))] ^= U(1) << (left & U(63))
            W[dst + own + (reached >> U(6))] ^= U(1) << (reached & U(63))

        @rule
        def status(W, at):
            mover = W[at + ply] & U(1)
            own = second if mover else first
            for k in range(parts):
                left = W[at + own + U(k)]
                while left:
                    if ways(W, at, U(6) * (U(64 * k) + lowest(left)) + U(3) * mover):
                        return np.int64(0)
                    left &= left - U(1)
            return np.int64(mover) + 1

        return [start, actions, is_legal, apply, status]

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
