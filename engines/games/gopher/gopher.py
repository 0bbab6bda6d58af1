"""Gopher (Mark Steere): place beside exactly one enemy stone and none of your own, or lose."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from joute.engines.games.hexagons import HexagonGame
from joute.engines.kernels.bits import lowest, popcount
from joute.engines.kernels.compile import Kernel, U, Words, kernel
from joute.engines.kernels.contract import State, rule
from joute.engines.kernels.random import next_word
from joute.engines.parameter import Parameter


class Gopher(HexagonGame):
    """Stones are placed, none ever moves. The first may be anywhere; action c is cell number c.

    Beside the stones a state keeps, of each player, the cells that have one of his stones as a
    neighbour and those that have more: with them the legal cells are a few operations on words.
    """

    name = "gopher"
    summary = (
        "place a stone beside exactly one enemy stone and no own one; a player who cannot loses"
    )
    options: ClassVar[tuple[Parameter, ...]] = (
        Parameter("side", "int", 6, 2, 7, meaning="cells per side of the hexagon"),
    )
    symmetries = ("mirror", "turn")

    def setup(self) -> None:
        """Make the board and the table of neighbours."""
        super().setup()
        self.slots = self.max_plies = self.board.cells
        parts = self.parts
        self.state = State(first=parts, second=parts, near=2 * parts, crowded=2 * parts, ply=1)
        self.beside = np.zeros((self.board.cells, parts), np.uint64)
        for cell in range(self.board.cells):
            for other in self.around(cell):
                self.beside[cell, other // 64] |= U(1 << other % 64)

    def legal_for(self) -> Kernel:
        """Return `legal_for(W, at, player, k)`: word k of the cells where a player might place."""
        cells, first = self.board.cells, self.state.first
        near, crowded = self.state.near, self.state.crowded
        parts = self.parts
        board = np.array([(1 << min(64, cells - 64 * k)) - 1 for k in range(parts)], np.uint64)

        @kernel("u8(u8[::1], u8, u8, u8)")
        def legal_for(W, at, player, k):
            mover = player * U(parts)
            other = U(parts) - mover
            taken = U(0)
            for i in range(2 * parts):
                taken |= W[at + first + U(i)]
            if taken == U(0):
                return board[k]
            free = W[at + near + other + k] & ~W[at + crowded + other + k]
            free &= ~(W[at + near + mover + k] | W[at + first + k] | W[at + first + U(parts) + k])
            return free

        return legal_for

    def mobility(self) -> Kernel:
        """Return `mobility(W, at, player)`: on how many cells a player might place."""
        legal_for, parts = self.legal_for(), self.parts

        @kernel("i8(u8[::1], u8, u8)")
        def mobility(W, at, player):
            count = np.int64(0)
            for k in range(parts):
                count += popcount(legal_for(W, at, player, U(k)))
            return count

        return mobility

    def build(self, stride: int) -> list[Kernel]:
        """Return the kernels of the contract."""
        state, cells = self.state, self.board.cells
        first, near, crowded, ply = state.first, state.near, state.crowded, state.ply
        parts = self.parts
        beside = self.beside.ravel()

        legal_for = self.legal_for()

        @kernel("u8(u8[::1], u8, u8)")
        def legal(W, at, k):
            return legal_for(W, at, W[at + ply] & U(1), k)

        @rule
        def actions(W, at, A, to):
            n = to
            for k in range(parts):
                left = legal(W, at, U(k))
                while left:
                    A[n] = np.int64(U(64 * k) + lowest(left))
                    n += U(1)
                    left &= left - U(1)
            return np.int64(n - to)

        @rule
        def is_legal(W, at, action):
            if action < 0 or action >= cells:
                return False
            return (legal(W, at, U(action) >> U(6)) >> (U(action) & U(63))) & U(1) == U(1)

        @rule
        def sample(W, at, A, to, S):
            # Drawn first: after a store into S the sets would be computed anew.
            drawn, count = next_word(S) >> U(32), np.int64(0)
            for k in range(parts):
                count += popcount(legal(W, at, U(k)))
            skip = np.int64((drawn * U(count)) >> U(32))
            for k in range(parts):
                left = legal(W, at, U(k))
                here = popcount(left)
                if skip >= here:
                    skip -= here
                    continue
                while skip > 0:
                    left &= left - U(1)
                    skip -= 1
                return np.int64(U(64 * k) + lowest(left))
            return np.int64(-1)

        @rule
        def apply(W, src, dst, action, outcome):
            # Each word is written once: what is read back from a word just written waits for it.
            mover, cell = W[src + ply] & U(1), U(action)
            for player in range(2):
                for k in range(parts):
                    i = U(player * parts + k)
                    own = mover == U(player)
                    stone = U(1) << (cell & U(63)) if own and cell >> U(6) == U(k) else U(0)
                    around = beside[cell * U(parts) + U(k)] if own else U(0)
                    W[dst + first + i] = W[src + first + i] | stone
                    W[dst + crowded + i] = W[src + crowded + i] | (W[src + near + i] & around)
                    W[dst + near + i] = W[src + near + i] | around

        @rule
        def status(W, at):
            for k in range(parts):
                if legal(W, at, U(k)):
                    return np.int64(0)
            return np.int64(2) - np.int64(W[at + ply] & U(1))

        return [actions, is_legal, sample, apply, status]

    def write_position(self, text: str, W: Words, at: int) -> None:
        """Write the position of a text, and which cells its stones are beside."""
        super().write_position(text, W, at)
        for cell, holds in enumerate(self.cells(W, at)):
            for other in self.around(cell) if holds else ():
                word = at + int(self.state.near) + (holds - 1) * self.parts + other // 64
                bit = U(1 << other % 64)
                W[word + 2 * self.parts] |= W[word] & bit  # `crowded` follows `near`
                W[word] |= bit

    def action_text(self, action: int) -> str:
        """Return the name of the cell."""
        return self.cell_text(action)

    def parse_action(self, text: str) -> int:
        """Return the action of placing on a cell."""
        return self.cells_of(text, self.named, "a cell, d4 or (0, 0)")[0]
