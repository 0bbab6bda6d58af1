"""Shared parts of games on a hexagon: names of cells, for people and for a server."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import ClassVar

from joute.engines.board import Board
from joute.engines.board_game import BoardGame
from joute.engines.errors import Refused
from joute.engines.kernels.compile import Kernel

STEPS = ((1, 1), (1, 0), (0, 1))
"""From a cell to its neighbours above; those below are at the negatives."""
LETTERS = "abcdefghijklm"
CELL = re.compile(r"([a-m])(\d{1,2})|\(\s*(-?\d+)\s*,\s*(-?\d+)\s*\)")


class HexagonGame(BoardGame):
    """A game on a hexagon of `side` cells a side that stands on a corner.

    Cell (x, y) is called by the letter of x and the number of y, the lowest corner a1; the
    coordinates themselves, "(-3, 0)", are understood as well.
    """

    stuck_loses: ClassVar[bool] = True  # a player without an action loses
    named_cells = True
    named: ClassVar[int] = 1  # cells that name an action

    @abstractmethod
    def mobility(self) -> Kernel:
        """Return `mobility(W, at, player)`, i8(u8[::1], u8, u8): how many actions a player would have if
        it were his turn.
        """

    def setup(self) -> None:
        """Make the board; `side` is an option of every such game."""
        self.side = int(self.values["side"])
        self.board = Board.standing_hexagon(self.side)
        self.cell_at = {place: cell for cell, place in enumerate(self.board.places)}

    def neighbour(self, cell: int, step: tuple[int, int], forward: int = 1) -> int:
        """Return the cell one step further (`forward` 1) or back (-1); -1 where the board ends."""
        x, y = self.board.places[cell]
        return self.cell_at.get((x + forward * step[0], y + forward * step[1]), -1)

    def around(self, cell: int) -> list[int]:
        """Return the neighbours of a cell, up to six."""
        neighbours = (self.neighbour(cell, step, forward) for forward in (1, -1) for step in STEPS)
        return [one for one in neighbours if one >= 0]

    def cell_text(self, cell: int) -> str:
        """Return the name of a cell."""
        x, y = self.board.places[cell]
        return f"{LETTERS[x + self.side - 1]}{y + self.side}"

    def cells_of(self, text: str, count: int, form: str) -> list[int]:
        """Return the cells that a text names, so many; raise Refused with the `form` that is meant."""
        cells, end = [], 0
        for match in CELL.finditer(text):
            letter, number, x, y = match.groups()
            if letter:
                place = LETTERS.index(letter) + 1 - self.side, int(number) - self.side
            else:
                place = int(x), int(y)
            if text[end : match.start()].strip(" -,[]") or place not in self.cell_at:
                break
            cells.append(self.cell_at[place])
            end = match.end()
        if len(cells) != count or text[end:].strip(" ]"):
            raise Refused(f"{self.name}: {text!r} is no move; allowed: {form}")
        return cells
