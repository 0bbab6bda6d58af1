"""The images of a game under the symmetries of its rules: of its actions, and with colours exchanged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from joute.engines.board import Map
from joute.engines.games.dodo.dodo import Dodo
from joute.engines.games.go.go import Go
from joute.engines.games.hexagons import STEPS
from joute.engines.kernels.compile import Ints
from joute.engines.position import Position, parse_position


def maps_of(game: Any) -> list[Map]:
    """Return the maps of the board that the rules do not tell apart, the board as it is among them."""
    if isinstance(game, Go):
        return game.board.maps("mirror", "turn" if game.columns == game.rows else "flip")
    return game.board.maps(*game.symmetries)


def images_of(game: Any, maps: Sequence[Map]) -> list[Ints]:
    """Return for each map the image of every action; -1 for a number that no action has."""
    if isinstance(game, Dodo):
        return [steps_under(game, image) for image in maps]
    passing = [game.board.cells] if isinstance(game, Go) else []
    return [np.array([*image, *passing], np.int64) for image in maps]


def steps_under(game: Dodo, image: Map, turned: bool = False) -> Ints:
    """Return the image of every step of Dodo; `turned`: the map turns the players' ways round."""
    found = np.full(8 * 64 * game.parts, -1, np.int64)
    for cell, bit in enumerate(game.bits):
        for player, forward in enumerate((1, -1)):
            for way, step in enumerate(STEPS):
                if (end := game.neighbour(cell, step, forward)) >= 0:
                    after = -forward if turned else forward
                    ends = [game.neighbour(image[cell], one, after) for one in STEPS]
                    code = 8 * game.bits[image[cell]] + 4 * (player ^ turned)
                    found[8 * bit + 4 * player + way] = code + ends.index(image[end])
    return found


class Exchange:
    """A position of a game on a hexagon with the colours exchanged, the other player to move; in Dodo,
    where colours walk opposite ways, turned by a half as well.
    """

    def __init__(self, game: Any) -> None:
        self._game = game
        self._half = [
            game.cell_at[-x, -y] if isinstance(game, Dodo) else cell
            for cell, (x, y) in enumerate(game.board.places)
        ]
        image = tuple(self._half)
        dodo = isinstance(game, Dodo)
        self.actions = steps_under(game, image, True) if dodo else np.array(image, np.int64)

    def of(self, position: Position) -> Position:
        """Return the image of a position."""
        cells = self._game.cells(position.W, position.at)
        held = [0] * len(cells)
        for cell, holds in enumerate(cells):
            held[self._half[cell]] = (0, 2, 1)[holds]
        mover = "XO"[1 - position.to_move]
        return parse_position(self._game, f"{self._game.board.text(held)} {mover}")
