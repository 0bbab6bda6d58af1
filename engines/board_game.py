"""A game of stones on a board: text, drawing and key follow from the stones of both players."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np

from joute.engines.board import Board, symmetric_key
from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.kernels.compile import Kernel, U, Words, kernel
from joute.engines.kernels.contract import State
from joute.engines.pictures import BARE, NAMED, Scene, named, scene_of, stone

MOVERS = "XO"


class BoardGame(Game):
    """Two players' stones on `board`, which `setup` makes: bit b % 64 of word b // 64 is the cell whose
    number in `bits` is b; by default cell b itself.

    State: `first` and `second`, the stones of each player, and `ply`. `symmetries` are those of the
    rules, by name: see `Board.maps`. A subclass gives start, nth (or actions), apply and status, the
    latter from the stones, so that any position can be set up.
    """

    board: Board
    symmetries: ClassVar[tuple[str, ...]] = ()
    named_cells: ClassVar[bool] = False  # whether pictures write a cell's name into it
    notation = (
        "startpos, then moves; or the rows from the top, '/' between them, X and O for the players' "
        "stones, a number for that many empty cells; then who is to move and, maybe, the plies: 3/1X1/2O X 8"
    )

    @cached_property
    def bits(self) -> list[int]:
        """The bit of each cell. A game may leave gaps, so that neighbours are the same way apart."""
        return list(range(self.board.cells))

    @property
    def parts(self) -> int:
        """The number of words of a set of cells."""
        return max(self.bits) // 64 + 1

    @cached_property
    def state(self) -> State:  # type: ignore[override]
        """The words of a state."""
        return State(first=self.parts, second=self.parts, ply=1)

    def default_key(self) -> Kernel:
        """Return `key`: the same for positions that the symmetries map on each other."""
        first, second = self.state.first, self.state.second
        bits = np.array(self.bits, np.uint64)

        @kernel("i8(u8[::1], u8, u8)")
        def content(W, at, cell):
            word, bit = bits[cell] >> U(6), bits[cell] & U(63)
            one = (W[at + first + word] >> bit) & U(1)
            return np.int64(one + U(2) * ((W[at + second + word] >> bit) & U(1)))

        return symmetric_key(content, self.board.maps(*self.symmetries), ply=self.state.ply)

    def cells(self, W: Words, at: int) -> list[int]:
        """Return the content of each cell: 0, or 1 and 2 for the players' stones."""
        return [
            next((p + 1 for p, word in enumerate(self._words) if self._holds(W, at + word, b)), 0)
            for b in self.bits
        ]

    @property
    def _words(self) -> tuple[int, int]:
        return int(self.state.first), int(self.state.second)

    @staticmethod
    def _holds(W: Words, at: int, bit: int) -> bool:
        return bool(int(W[at + bit // 64]) >> bit % 64 & 1)

    def position_text(self, W: Words, at: int) -> str:
        """Return the rows, the player to move, and the number of plies played."""
        ply = int(W[at + int(self.state.ply)])
        return f"{self.board.text(self.cells(W, at))} {MOVERS[ply & 1]} {ply}"

    def write_position(self, text: str, W: Words, at: int) -> None:
        """Write the position of a text like 3/1X1/2O X 8; the number may be left out."""
        rows, *rest = text.split()
        mover, number = (*rest, "", "")[:2]
        if mover not in tuple(MOVERS) or len(rest) > 2:
            raise Refused(f"position {text!r}: who is to move? allowed after the rows: X or O")
        ply = number or str(MOVERS.index(mover))
        if not (
            ply.isascii() and ply.isdigit() and len(ply) < 6 and int(ply) % 2 == MOVERS.index(mover)
        ):
            raise Refused(
                f"position {text!r}: {number!r} plies; X moves at even ones, O at odd ones"
            )
        W[at : at + self.words] = 0
        for bit, holds in zip(self.bits, self.board.read(rows), strict=True):
            if holds:
                W[at + self._words[holds - 1] + bit // 64] |= U(1 << bit % 64)
        W[at + int(self.state.ply)] = U(int(ply))

    def draw(self, W: Words, at: int) -> str:
        """Return the board in colours."""
        return self.board.draw(self.cells(W, at))

    @cached_property
    def scene(self) -> Scene | None:
        """The board with its cells."""
        names = [self.cell_text(cell) for cell in range(self.board.cells)]
        return scene_of(self.board, names, NAMED if self.named_cells else BARE)

    def holding(self, W: Words, at: int) -> list[int]:
        """Return the same as `cells`, faster: it is called for every position of long games."""
        words: list[int] = W[at : at + self.words].tolist()
        one, other = (
            sum(words[first + k] << 64 * k for k in range(self.parts)) for first in self._words
        )
        return [(one >> bit & 1) + 2 * (other >> bit & 1) for bit in self.bits]

    def marks(self, W: Words, at: int) -> list[str]:
        """Return the stones with their signs, and the names of cells where they are written."""
        signs = self.board.signs
        if not self.named_cells:
            looks = ["", *(stone(player, sign) for player, sign in enumerate(signs[1:]))]
            return [looks[holds] for holds in self.holding(W, at)]
        return [
            stone(holds - 1, signs[holds], NAMED, self.cell_text(cell))
            if holds
            else named(self.cell_text(cell))
            for cell, holds in enumerate(self.holding(W, at))
        ]

    def cell_text(self, cell: int) -> str:
        """Return the name of a cell for people."""
        return f"{cell + 1}"
