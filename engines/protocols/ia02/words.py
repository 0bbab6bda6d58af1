"""How the course writes positions and actions: cells are (x, y), a state is a list of (cell, holder).

Exported files hold this code as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from joute.engines.errors import Refused
from joute.engines.games.hexagons import HexagonGame
from joute.engines.position import Position, parse_position

Cell = tuple[int, int]
State = list[tuple[Cell, int]]  # every cell, with 0 (empty), 1 (moves first) or 2
PLAYERS = "XO"


def state_of(position: Position) -> State:
    """Return the content of each cell."""
    game: Any = position.game
    return list(zip(game.board.places, game.cells(position.W, position.at), strict=True))


def text_of_state(game: Any, state: Iterable[tuple[Cell, int]], player: int) -> str:
    """Return the text of a position; `player`, 1 or 2, is to move. Raises Refused."""
    held = [0] * game.board.cells
    for place, holder in state:
        cell = game.cell_at.get((place[0], place[1]), -1)
        if cell < 0 or holder not in (0, 1, 2):
            raise Refused(f"{game.label} has no cell {place} that holds {holder}")
        held[cell] = holder
    return f"{game.board.text(held)} {PLAYERS[player - 1]} {player - 1}"


def followed(game: Any, last: Position | None, state: State, player: int) -> Position:
    """Return the position of a state, with `player`, 1 or 2, to move: the one before moved on by the
    opponent's action if that explains it, so that a player knows its game again; else a start.
    """
    fresh = parse_position(game, text_of_state(game, state, player))
    if last is not None and not last.over:
        wanted = game.cells(fresh.W, fresh.at)
        for action in last.legal_actions():
            after = last.copy()
            after.play(action)
            if after.to_move == fresh.to_move and game.cells(after.W, after.at) == wanted:
                return after
    return fresh


def cells_of_action(game: Any, action: int) -> list[Cell]:
    """Return the cells that name an action: where a stone is placed, or from where to where it goes."""
    places = game.board.places
    return [places[cell] for cell in game.cells_of(game.action_text(action), game.named, "")]


def text_of_cells(cells: Sequence[Sequence[int]]) -> str:
    """Return cells as a game reads them."""
    return " ".join(f"({x}, {y})" for x, y in cells)


def hexagons(game: Any) -> HexagonGame:
    """Return a game with positions that the course can write; raise Refused for any other."""
    if not isinstance(game, HexagonGame):
        raise Refused(f"protocol ia02 is for games on a hexagon, not for {game.name}")
    return game
