"""Boards of cells: one line of text, drawings in colours, and keys that symmetries do not change.

A game hands over what its cells hold as a row of numbers: 0 is empty, 1 the first player's stone, 2
the second's, and so on. Text: the rows from the top, '/' between them, a sign a stone, a number for
that many empty cells, `7/7/7/7/3O3/2XXO2`. A game with other contents (walls, heads) uses the same
functions of rows: `read_rows`, `rows_text`, `painted`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import pi, sqrt
from typing import NamedTuple

import numpy as np

from joute.engines.colours import paint
from joute.engines.errors import Refused, suggest
from joute.engines.kernels.bits import mix
from joute.engines.kernels.compile import Ints, Kernel, U
from joute.engines.kernels.contract import rule
from joute.engines.kernels.random import next_word, stream

Map = tuple[int, ...]  # the image of each cell


class BoardShape(NamedTuple):
    """The geometry of a board's cells: its symmetries in coordinates, and the places on a screen.

    `turns`: (x, y) -> (a x + b y, c x + d y) for mirror, flip and turn, seen from the middle.
    `x_step`, `y_step`: to the right and down, where a cell's `corners` are 1 from its middle, the
    first of them at `angle` (radians).
    """

    turns: Sequence[tuple[int, int, int, int]]
    corners: int
    angle: float
    x_step: tuple[float, float]
    y_step: tuple[float, float]


HALF, TALL = sqrt(0.5), sqrt(0.75)
SQUARE = BoardShape(  # a step from cell to cell is 2 in x or y
    ((-1, 0, 0, 1), (1, 0, 0, -1), (0, -1, 1, 0)), 4, pi / 4, (HALF, 0), (0, HALF)
)
AXIAL = BoardShape(
    ((-1, -1, 0, 1), (1, 1, 0, -1), (0, -1, 1, 1)), 6, pi / 6, (2 * TALL, 0), (TALL, 1.5)
)
SLANTED = BoardShape(AXIAL.turns, 6, pi / 6, (TALL, 0), (TALL / 2, 0.75))  # a step is 2, as above
STANDING = BoardShape(
    ((0, 1, 1, 0), (0, -1, -1, 0), (1, -1, 1, 0)), 6, 0, (1.5, -TALL), (-1.5, -TALL)
)


class Board:
    """The cells of a board, numbered from 0, in rows as a person sees them.

    `rows` lists the cells of each row from the top; `signs` are those of a cell's possible
    contents, the empty one first. `places` are the cells' coordinates, on which symmetries act.
    """

    def __init__(
        self,
        rows: Sequence[Sequence[int]],
        places: Sequence[tuple[int, int]],
        shape: BoardShape,
        signs: str = ".XO",
    ) -> None:
        self.rows, self.signs, self.shape = [list(row) for row in rows], signs, shape
        self.cells = sum(map(len, self.rows))
        self.places = list(places)

    @classmethod
    def square(cls, columns: int, rows: int, signs: str = ".XO") -> Board:
        """Return a board of squares: cell y * columns + x, y from the top."""
        cells = [[y * columns + x for x in range(columns)] for y in range(rows)]
        middle = [
            (2 * x - columns + 1, 2 * y - rows + 1) for y in range(rows) for x in range(columns)
        ]
        return cls(cells, middle, SQUARE, signs)

    @classmethod
    def rhombus(cls, columns: int, rows: int, signs: str = ".XO") -> Board:
        """Return a board of hexagons in rows of the same length, each half a cell to the right of the
        one above: cell y * columns + x touches those at x ± 1, at y ± 1, and aslant at (1, -1), (-1, 1).
        """
        square = cls.square(columns, rows, signs)
        return cls(square.rows, square.places, SLANTED, signs)

    @classmethod
    def hexagon(cls, side: int, signs: str = ".XO") -> Board:
        """Return a board of hexagons in the form of one, `side` cells a side, numbered row by row."""
        cells, places, n = [], [], 0
        for r in range(1 - side, side):
            span = range(max(1 - side, 1 - side - r), min(side - 1, side - 1 - r) + 1)
            cells.append(list(range(n, n + len(span))))
            places += [(q, r) for q in span]
            n += len(span)
        return cls(cells, places, AXIAL, signs)

    @classmethod
    def standing_hexagon(cls, side: int, signs: str = ".XO") -> Board:
        """Return the same board standing on a corner: cell (x, y) with |x|, |y|, |x - y| < side has its
        neighbours at (1, 0), (0, 1), (1, 1) and their negatives. Rows are of the same height x + y,
        the highest first; in a row x - y grows.
        """
        span = range(1 - side, side)
        places = [(x, y) for x in span for y in span if abs(x - y) < side]
        places.sort(key=lambda place: (-sum(place), place[0]))
        rows: dict[int, list[int]] = {}
        for cell, place in enumerate(places):
            rows.setdefault(sum(place), []).append(cell)
        return cls(list(rows.values()), places, STANDING, signs)

    def text(self, cells: Sequence[int]) -> str:
        """Return the rows as one line of text; `cells` has the content of each cell."""
        return rows_text([[self.signs[cells[c]] for c in row] for row in self.rows])

    def read(self, text: str) -> list[int]:
        """Return the content of each cell; raise Refused with the row and what is allowed."""
        place, contents = f"position {text!r}", [0] * self.cells
        if (given := text.count("/") + 1) != len(self.rows):
            raise Refused(f"{place}: {given} rows; the board has {len(self.rows)}")
        board = read_rows(text, self.signs[1:], place)
        for number, (signs, row) in enumerate(zip(board, self.rows, strict=True), 1):
            if len(signs) != len(row):
                raise Refused(
                    f"{place}: row {number} has {len(signs)} cells; the board has {len(row)}"
                )
            for sign, cell in zip(signs, row, strict=True):
                contents[cell] = self.signs.index(sign)
        return contents

    def draw(self, cells: Sequence[int]) -> str:
        """Return the board in the players' colours; rows of hexagons are set in by half a cell."""
        return "\n".join(
            indent + " ".join(painted(self.signs[cells[c]], self.signs[1:]) for c in row)
            for indent, row in zip(self._indents(), self.rows, strict=True)
        )

    def _indents(self) -> list[str]:
        """Return the blanks before each row: of hexagons one for half a cell."""
        if self.shape.corners != 6:
            return [""] * len(self.rows)
        (right, _), (down, _) = self.shape.x_step, self.shape.y_step
        across = [x * right + y * down for x, y in self.places]
        # Half a cell on the screen: of hexagons with a corner on top, or aside.
        first, half = min(across), TALL if self.shape.angle else 1.5
        return [" " * round((across[row[0]] - first) / half) for row in self.rows]

    def maps(self, *names: str) -> list[Map]:
        """Return all symmetries that these make together: mirror (left-right), flip (up-down), turn, half.

        A turn is by a quarter on a board of squares, which must be as high as wide, and by a sixth on
        a hexagon; half is half a turn, on every board, and the only one of a rhombus. Without names: only the board as it is.
        """
        moves = [self._map(name) for name in names]
        maps, left = {tuple(range(self.cells))}, [tuple(range(self.cells))]
        while left:
            one = left.pop()
            for move in moves:
                image = tuple(move[c] for c in one)
                if image not in maps:
                    maps.add(image)
                    left.append(image)
        return sorted(maps)

    def turned(self, image: Map, steps: Sequence[tuple[int, int]]) -> list[int]:
        """Return which of `steps`, in coordinates of `places`, each of them becomes under a map."""
        number, indexes = {place: cell for cell, place in enumerate(self.places)}, []
        for dx, dy in steps:
            start, end = next(
                (cell, number[x + dx, y + dy])
                for (x, y), cell in number.items()
                if (x + dx, y + dy) in number
            )
            (x, y), (u, v) = self.places[image[start]], self.places[image[end]]
            indexes.append(steps.index((u - x, v - y)))
        return indexes

    def _map(self, name: str) -> Map:
        if name not in SYMMETRIES:
            raise ValueError(f"no symmetry is called {name!r}{suggest(name, SYMMETRIES)}")
        a, b, c, d = [*self.shape.turns, HALF_TURN][SYMMETRIES.index(name)]
        number = {place: cell for cell, place in enumerate(self.places)}
        images = [(a * x + b * y, c * x + d * y) for x, y in self.places]
        if not set(images) <= number.keys():
            slanted = self.shape == SLANTED
            why = "a rhombus only has the symmetry 'half'" if slanted else "it is not square"
            raise ValueError(f"the board has no symmetry {name!r}: {why}")
        return tuple(number[place] for place in images)


RUN = re.compile(r"\.+")  # of empty cells
SYMMETRIES = ("mirror", "flip", "turn", "half")
HALF_TURN = (-1, 0, 0, -1)


def symmetric_key(
    content: Kernel, maps: Iterable[Map], contents: int = 3, ply: np.uint64 | None = None
) -> Kernel:
    """Return `key`: the least hash over the images of the board under `maps`.

    `content(W, at, cell)`, i8(u8[::1], u8, u8), is a cell's content, 0 (empty) to contents - 1;
    with `ply`, the offset of the word of plies, the side to move counts, too.
    """
    images = np.array(list(maps), np.int64)
    many, cells = images.shape
    image: Ints = images.ravel()
    S = stream(20190412)
    worth = np.array([next_word(S) for _ in range(cells * contents)], np.uint64)
    counted, count = ply is not None, U(0 if ply is None else ply)

    @rule
    def key(W, at):
        best = ~U(0)
        for m in range(many):
            h = W[at + count] & U(1) if counted else U(0)
            for c in range(cells):
                holds = content(W, at, U(c))
                if holds:
                    h ^= worth[U(image[U(m * cells + c)] * contents + holds)]
            best = min(best, mix(U(1), h))
        return best

    return key


def rows_text(board: Iterable[Sequence[str]]) -> str:
    """Return rows of signs as text, runs of '.' as numbers."""
    return "/".join(map(row_text, map("".join, board)))


@lru_cache(maxsize=1 << 13)
def row_text(row: str) -> str:
    """Return a row of signs as text: most rows stay as they are from ply to ply."""
    return RUN.sub(lambda run: str(run.end() - run.start()), row)


def read_rows(text: str, signs: Sequence[str], place: str, allowed: str = "") -> list[list[str]]:
    """Return the rows of signs that a text means; raise Refused, after `place`, naming the row."""
    return [
        _read_row(row, number, signs, place, allowed or f"{' '.join(signs)} 0-9")
        for number, row in enumerate(text.split("/"), 1)
    ]


def _read_row(row: str, number: int, signs: Sequence[str], place: str, allowed: str) -> list[str]:
    cells: list[str] = []
    digits = ""
    for character in row + " ":
        if character.isascii() and character.isdigit():
            digits += character
            continue
        if len(digits) > 2:
            raise Refused(f"{place}: {digits} empty cells in row {number}")
        cells += ["."] * int(digits or "0")
        digits = ""
        if character in signs or character == ".":
            cells.append(character)
        elif character != " ":
            raise Refused(f"{place}: {character!r} in row {number}; allowed: {allowed}")
    return cells


def painted(cell: str, signs: str, width: int = 1) -> str:
    """Return a cell's sign in its player's colour, at the right of so many characters."""
    text = cell.rjust(width)
    return paint(text, signs.index(cell)) if cell in signs else text
