"""Dodo (Mark Steere): walk forward; the first player who cannot move wins."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from joute.engines.board_game import MOVERS
from joute.engines.errors import Refused
from joute.engines.games.hexagons import STEPS, HexagonGame
from joute.engines.kernels.bits import lowest, popcount
from joute.engines.kernels.compile import Kernel, U, Words, kernel
from joute.engines.kernels.contract import rule
from joute.engines.kernels.random import next_word
from joute.engines.parameter import Parameter

SIDES = (2, 7)


def usual_threshold(side: int) -> int:
    """Return the threshold of the usual armies: 1 on sides 2 and 3, 2 on side 4, one more for each side."""
    return max(1, side - 2)


class Dodo(HexagonGame):
    """Checkers step forward, straight or aslant, to empty cells. A player who cannot move has won.

    Action 8 * bit + 4 * player + way: a player's checker on the cell of that bit (`bits`) goes one of
    three ways (`STEPS`), the second player's their negatives. There are no captures, passes or draws.
    """

    name = "dodo"
    summary = "walk forward; a player without a move on their turn wins"
    options: ClassVar[tuple[Parameter, ...]] = (
        Parameter("side", "int", 4, *SIDES, meaning="cells per side of the hexagon"),
        Parameter(
            "threshold", "int", 2, 1, 12,
            meaning="X starts on the cells with x + y up to minus this, O on those from this up; "
                "by default side - 2, at least 1",
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
        self.slots = 3 * len(self.armies[0])
        self.cell_of = {bit: cell for cell, bit in enumerate(self.bits)}
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
        parts, most = self.parts, 8 * 64 * self.parts
        begin = np.zeros(2 * parts, np.uint64)
        for player, army in enumerate(self.armies):
            for cell in army:
                begin[player * parts + self.bits[cell] // 64] |= U(1 << self.bits[cell] % 64)
        shifts = np.array(self.shifts, np.uint64)
        movers, mobility = self.movers(), self.mobility()

        @kernel("u8(u8, u8)")
        def cell_in(bit, k):
            # What of the cell of a bit lies in word k of a set.
            if parts == 1:
                return U(1) << bit
            return U(1) << (bit & U(63)) if bit >> U(6) == k else U(0)

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
                        bit = U(64 * k) + lowest(left)
                        left &= left - U(1)
                        A[n] = np.int64(U(8) * bit + U(4) * player + U(way))
                        n += U(1)
            return np.int64(n - to)

        @rule
        def sample(W, at, A, to, S):
            # Chosen is the last word of movers that does not begin beyond the one drawn: no branch.
            # Drawn first: after a store into S the movers would be computed anew.
            player, drawn = W[at + ply] & U(1), next_word(S) >> U(32)
            skip = np.int64((drawn * U(mobility(W, at, player))) >> U(32))
            chosen, code, before, total = U(0), U(0), np.int64(0), np.int64(0)
            for way in range(3):
                for k in range(parts):
                    left = movers(W, at, player, U(way), U(k))
                    here = skip >= total
                    chosen = left if here else chosen
                    code = U(8 * 64 * k + way) if here else code
                    before = total if here else before
                    total += popcount(left)
            for _ in range(skip - before):
                chosen &= chosen - U(1)
            return np.int64(code + U(8) * lowest(chosen) + U(4) * player)

        @rule
        def is_legal(W, at, action):
            if action < 0 or action >= most:
                return False
            player, way = W[at + ply] & U(1), U(action) & U(3)
            if (U(action) >> U(2)) & U(1) != player or way == U(3):
                return False
            bit = U(action) >> U(3)
            can = movers(W, at, player, way, bit >> U(6))
            return (can >> (bit & U(63))) & U(1) == U(1)

        @rule
        def apply(W, src, dst, action, outcome):
            # Each word is written once: what is read back from a word just written waits for it.
            player, s = W[src + ply] & U(1), shifts[U(action) & U(3)]
            left = U(action) >> U(3)
            reached = left - s if player else left + s
            for k in range(parts):
                step = cell_in(left, U(k)) | cell_in(reached, U(k))
                W[dst + first + U(k)] = W[src + first + U(k)] ^ (U(0) if player else step)
                W[dst + second + U(k)] = W[src + second + U(k)] ^ (step if player else U(0))

        @rule
        def status(W, at):
            player, can = W[at + ply] & U(1), U(0)
            for k in range(parts):
                can |= movers(W, at, player, U(0), U(k))
            if can:
                return np.int64(0)
            for k in range(parts):
                can |= movers(W, at, player, U(1), U(k)) | movers(W, at, player, U(2), U(k))
            return np.int64(0) if can else np.int64(player) + 1

        return [start, actions, sample, is_legal, apply, status]

    def write_position(self, text: str, W: Words, at: int) -> None:
        """Write the position of a text; raise Refused for more checkers than an army has."""
        super().write_position(text, W, at)
        cells, most = self.cells(W, at), len(self.armies[0])
        for player, sign in enumerate(MOVERS, 1):
            if (count := cells.count(player)) > most:
                raise Refused(
                    f"position {text!r}: {count} checkers {sign}; {self.label} has {most}"
                )

    def step_of(self, action: int) -> tuple[int, int]:
        """Return the cells of an action: from where, to where."""
        start, back, way = self.cell_of[action >> 3], action >> 2 & 1, action & 3
        return start, self.neighbour(start, STEPS[way], -1 if back else 1)

    def action_text(self, action: int) -> str:
        """Return the cells of a step: a1b2."""
        return "".join(map(self.cell_text, self.step_of(action)))

    def parse_action(self, text: str) -> int:
        """Return the action of a step from cell to cell."""
        start, end = self.cells_of(
            text, self.named, "two neighbouring cells, a1b2 or (-3, -3) (-2, -2)"
        )
        for player, forward in enumerate((1, -1)):
            for way, step in enumerate(STEPS):
                if self.neighbour(start, step, forward) == end:
                    return 8 * self.bits[start] + 4 * player + way
        raise Refused(f"dodo: {text!r}: the cells are no neighbours")
