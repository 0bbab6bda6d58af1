"""A board of Vampires vs Werewolves as plain data, and its text on one line.

    9x9 V8@0,0 W8@8,8 H6@1,0 H2@3,4 turn V

is 9 columns by 9 rows, 8 vampires in the top-left corner, 8 werewolves in the opposite one, two
houses of humans, vampires to move. Columns and rows count from 0 at the top left.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from joute.engines.errors import Refused

Cell = tuple[int, int]  # x (column), y (row), from 0 at the top left

VAMPIRES, WEREWOLVES = 0, 1  # values of `turn`
MOST_CELLS_A_SIDE = 32  # of columns and of rows
MOST_UNITS = 255  # in one cell: the protocol's counts are bytes

SIZE = re.compile(r"([0-9]{1,4})x([0-9]{1,4})")
PIECE = re.compile(r"([VWH])([0-9]{1,4})@([0-9]{1,4}),([0-9]{1,4})")
FORM = "COLSxROWS V8@0,0 W8@8,8 H6@1,0 turn V"


@dataclass(frozen=True)
class VampiresBoard:
    """Units by cell, and the player to move. Valid by construction; equal to any with the same
    cells.

    Cells of each species are kept row by row, whatever the order in which they were given.
    """

    columns: int
    rows: int
    humans: Mapping[Cell, int]
    vampires: Mapping[Cell, int]
    werewolves: Mapping[Cell, int]
    turn: int = VAMPIRES  # VAMPIRES or WEREWOLVES

    def __post_init__(self) -> None:
        for name in ("humans", "vampires", "werewolves"):
            cells = getattr(self, name)
            object.__setattr__(self, name, {c: cells[c] for c in sorted(cells, key=row_by_row)})
        self.check()

    def check(self) -> None:
        """Refuse invalid boards: sizes, counts, cells outside, two species in one cell."""
        for what, size in (("columns", self.columns), ("rows", self.rows)):
            if not 1 <= size <= MOST_CELLS_A_SIDE:
                raise Refused(f"board: {size} {what}; allowed: 1 to {MOST_CELLS_A_SIDE}")
        if self.turn not in (VAMPIRES, WEREWOLVES):
            raise Refused(f"board: turn {self.turn}; allowed: 0 (vampires), 1 (werewolves)")
        taken: set[Cell] = set()
        for letter, cells in self.species().items():
            for (x, y), count in cells.items():
                if not (0 <= x < self.columns and 0 <= y < self.rows):
                    raise Refused(
                        f"board: {letter}{count}@{x},{y} is outside of {self.columns} columns"
                        f" by {self.rows} rows (cells count from 0)"
                    )
                if not 1 <= count <= MOST_UNITS:
                    raise Refused(f"board: {count} units at {x},{y}; allowed: 1 to {MOST_UNITS}")
                if (x, y) in taken:
                    raise Refused(f"board: two species at {x},{y}; allowed: one a cell")
                taken.add((x, y))

    def species(self) -> dict[str, Mapping[Cell, int]]:
        """Return the cells of each species by its letter, in the order of the text."""
        return {"V": self.vampires, "W": self.werewolves, "H": self.humans}

    def text(self) -> str:
        """Return the one canonical text: vampires, werewolves, humans, each row by row, the turn."""
        pieces = [
            f"{letter}{count}@{x},{y}"
            for letter, cells in self.species().items()
            for (x, y), count in cells.items()
        ]
        return " ".join([f"{self.columns}x{self.rows}", *pieces, "turn", "VW"[self.turn]])


def parse_board(text: str) -> VampiresBoard:
    """Return the board of a text: pieces in any order, `turn` last (vampires where it is left out).

    A side may have no unit: such a game is over.
    """
    words = text.split()
    turn = VAMPIRES
    if "turn" in words[-2:]:
        if words[-2:-1] != ["turn"] or words[-1] not in ("V", "W"):
            raise Refused(f"board {shown(text)}: after 'turn' one of V, W, and nothing more")
        turn = "VW".index(words[-1])
        words = words[:-2]
    size = SIZE.fullmatch(words[0]) if words else None
    if size is None:
        raise Refused(f"board {shown(text)}: it starts with its size; allowed: {FORM}")
    cells: dict[str, dict[Cell, int]] = {"V": {}, "W": {}, "H": {}}
    for word in words[1:]:
        piece = PIECE.fullmatch(word)
        if piece is None:
            raise Refused(f"board {shown(text)}: {shown(word)} is no piece; allowed: {FORM}")
        letter, (count, x, y) = piece[1], map(int, piece.groups()[1:])
        if (x, y) in cells[letter]:
            raise Refused(f"board {shown(text)}: {x},{y} twice; allowed: each cell once")
        cells[letter][x, y] = count
    return VampiresBoard(int(size[1]), int(size[2]), cells["H"], cells["V"], cells["W"], turn)


def row_by_row(cell: Cell) -> Cell:
    """Return the key that sorts cells row by row."""
    return cell[1], cell[0]


def shown(text: str, most: int = 40) -> str:
    """Return a text quoted for a message, cut where it is long."""
    return repr(text if len(text) <= most else text[: most - 3] + "...")
