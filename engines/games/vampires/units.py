"""`units`: Vampires vs Werewolves as Vamperouge's network sees it."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.games.vampires import maps
from joute.engines.games.vampires.board import VampiresBoard
from joute.engines.games.vampires.field import DX, DY
from joute.engines.games.vampires.vampires import ROOM, STEPS, Vampires
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import rule
from joute.engines.parameter import Parameter
from joute.engines.position import Position
from joute.engines.view import Shape, Symmetry, View

ONE, CELLS = U(1), ROOM * ROOM


class Units(View):
    """Three planes of 16 x 16 with the units of the side to move, of the other and of the humans; a
    smaller map lies at the top left, and its images may lie in other corners. An entry is
    8 * cell + direction: one group goes, as a whole.
    """

    name = "units"
    summary = (
        "own units, the opponent's and humans on 16 x 16; one policy entry per direction of a group"
    )
    games = ("vampires",)
    generator = "vamperouge"
    parameters = (
        Parameter(
            "unit", "float", 1.0, 1.0, 255.0,
            meaning="number of units that count as 1", source="Vamperouge: 1",
        ),
        Parameter(
            "edge", "choice", "unseen", choices=("unseen", "seen"),
            meaning="whether a fourth plane marks the cells of the map",
            source="Vamperouge: unseen",
        ),
        Parameter(
            "corner", "choice", "top-left", choices=("top-left", "any"),
            meaning="where the images of a smaller map lie: at the top left, which leaves maps of many "
            "sizes two symmetries, or in any corner, which gives every map eight",
            source="Vamperouge: any",
        ),
    )  # fmt: skip

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._right = self._bottom = False  # where a smaller map lies
        self._others: dict[tuple[bool, bool], Units] = {}

    def check(self, game: Game) -> None:
        """Refuse other games, and larger maps."""
        super().check(game)
        assert isinstance(game, Vampires)
        columns, rows = maps.largest(game.map)
        if max(columns, rows) > ROOM:
            raise Refused(
                f"view {self.name} shows maps up to {ROOM}x{ROOM}; "
                f"those of {game.label} have up to {columns}x{rows}"
            )

    def goes_with(self, learnt: str, game: Game) -> bool:
        """Always: maps of all games are seen on the same 16 x 16 cells."""
        return True

    def shape(self, game: Game) -> Shape:
        """Return the sizes."""
        return Shape(3 + (self.values["edge"] == "seen"), ROOM, ROOM, 8 * CELLS)

    def build(self, game: Game, stride: int) -> list[Kernel]:
        """Return the kernels."""
        assert isinstance(game, Vampires)
        meta = game.layout.state.meta
        count, holds, planes = game.field.count, game.field.holds, self.shape(game).planes
        unit, seen = float(self.values["unit"]), self.values["edge"] == "seen"
        size, cells, wide = U(CELLS), CELLS, U(ROOM)
        right, bottom = self._right, self._bottom

        @kernel("u8(u8[::1], u8)")
        def shift(W, at):
            # The cell of the planes in which the map's first cell lies.
            columns, rows = (W[at + meta] >> U(8)) & U(255), (W[at + meta] >> U(16)) & U(255)
            return (wide * (wide - rows) if bottom else U(0)) + (wide - columns if right else U(0))

        @rule
        def see(W, at, F, to):
            mover, first = W[at + meta] & ONE, shift(W, at)
            columns, rows = (W[at + meta] >> U(8)) & U(255), (W[at + meta] >> U(16)) & U(255)
            for c in range(planes * cells):
                F[to + U(c)] = np.float32(0)
            for y in range(rows):
                for x in range(columns):
                    cell = U(y) * wide + U(x)
                    place = to + first + cell
                    units = np.float32(np.float64(count(W, at, cell)) / unit)
                    if holds(W, at, mover, cell):
                        F[place] = units
                    elif holds(W, at, ONE - mover, cell):
                        F[place + size] = units
                    elif holds(W, at, U(2), cell):
                        F[place + U(2) * size] = units
                    if seen:
                        F[place + U(3) * size] = np.float32(1)

        @rule
        def entry(W, at, action):
            return (np.int64(shift(W, at)) + (action & 1023)) * 8 + (((action >> 10) - 1) & 7)

        return [see, entry]

    def cells(self, game: Game) -> list[int]:
        """Return the cell that each group leaves."""
        return [entry // 8 for entry in range(self.shape(game).policy)]

    def symmetries(self, game: Game) -> list[Symmetry]:
        """Return the eight of a square map, or the four of an oblong one; where a game's maps differ in
        size, only the exchange of columns and rows, which leaves all of them at the top left. If a map
        may lie in any corner, the eight of all 16 x 16 cells.
        """
        assert isinstance(game, Vampires)
        size, sides = maps.size(game.map), (False, True)
        if self.values["corner"] == "any":
            size = (ROOM, ROOM)
        mirrors = sides if size else (False,)
        swaps = sides if size is None or size[0] == size[1] else (False,)
        columns, rows = size or (ROOM, ROOM)
        return [symmetry(columns, rows, *how) for how in product(swaps, mirrors, mirrors)]

    def image(self, game: Game, start: str, symmetry: Symmetry) -> str:
        """Return the board with its groups where a symmetry leads them."""
        assert isinstance(game, Vampires)
        position = Position(game, start)
        board = game.board(position.W, position.at)

        def led(x: int, y: int) -> tuple[int, int]:
            y, x = divmod(symmetry.cells[y * ROOM + x], ROOM)
            return x, y

        ends = [led(x, y) for x in (0, board.columns - 1) for y in (0, board.rows - 1)]
        (left, right), (top, bottom) = ((min(end), max(end)) for end in zip(*ends, strict=True))
        humans, vampires, werewolves = (
            {(x - left, y - top): units for cell, units in kind.items() for x, y in [led(*cell)]}
            for kind in (board.humans, board.vampires, board.werewolves)
        )
        columns, rows = right - left + 1, bottom - top + 1
        return VampiresBoard(columns, rows, humans, vampires, werewolves, board.turn).text()

    def image_view(self, game: Game, symmetry: Symmetry) -> Units:
        """Return the view that shows maps in the corner to which a symmetry takes the top left one."""
        if self.values["corner"] != "any":
            return self
        y, x = divmod(
            symmetry.cells[self._bottom * (CELLS - ROOM) + self._right * (ROOM - 1)], ROOM
        )
        corner = (x > 0, y > 0)
        if corner not in self._others:
            other = self._others[corner] = Units(**self.values)
            other._right, other._bottom = corner
        return self._others[corner]


def symmetry(columns: int, rows: int, swap: bool, mirror: bool, flip: bool) -> Symmetry:
    """Return a map of the 16 x 16 cells: a map at the top left is mirrored left-right, flipped up-down,
    then columns and rows are exchanged; the cells outside of it take what places are left.
    """
    places, steps = [], []
    for y, x in product(range(ROOM), repeat=2):
        u, v = x, y
        if x < columns and y < rows:
            u, v = columns - 1 - x if mirror else x, rows - 1 - y if flip else y
        places.append(u * ROOM + v if swap else v * ROOM + u)
    for dx, dy in zip(DX.tolist(), DY.tolist(), strict=True):
        u, v = -dx if mirror else dx, -dy if flip else dy
        steps.append(STEPS[(v, u) if swap else (u, v)])
    return Symmetry(places, [8 * place + step for place in places for step in steps])
