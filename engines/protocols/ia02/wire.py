"""The requests of the course's server: POST of JSON to register, start and play, answered in JSON."""

from __future__ import annotations

import re
from typing import Any

from joute.engines.errors import ProtocolError, cut
from joute.engines.games.hexagons import HexagonGame
from joute.engines.protocols.ia02.words import Cell, State, state_of

GAMES = ("gopher", "dodo")  # by their numbers
ILLEGAL = 310  # the status of an answer to an illegal action, which is asked for again
CELL = re.compile(r"\(\s*(-?\d{1,3})\s*,\s*(-?\d{1,3})\s*\)")


def cell_text(cell: Cell) -> str:
    """Return a cell as the server writes it."""
    return f"({cell[0]}, {cell[1]})"


def grid_of(position: Any) -> dict[str, Any]:
    """Return a position as the server sends it."""
    cells = {cell_text(cell): holder for cell, holder in state_of(position)}
    return {"Size": position.game.side, "Grid": cells}


def state_of_grid(grid: object, game: HexagonGame) -> State:
    """Return the state that a server sent; raise ProtocolError if it is not of this game."""
    cells = grid.get("Grid") if isinstance(grid, dict) else None
    if not isinstance(cells, dict) or len(cells) != game.board.cells:
        count = len(cells) if isinstance(cells, dict) else "no"
        raise ProtocolError(f"a grid of {count} cells; {game.label} has {game.board.cells}")
    state = []
    for text, holder in cells.items():
        match = CELL.fullmatch(text)
        place = (int(match[1]), int(match[2])) if match else (99, 99)
        if place not in game.cell_at or holder not in (0, 1, 2):
            shown = cut(f"{text!r} that holds {holder!r}", 80)
            raise ProtocolError(f"a cell {shown}")
        state.append((place, int(holder)))
    if len({place for place, _ in state}) < len(state):
        raise ProtocolError("a grid that names a cell twice")
    return state
