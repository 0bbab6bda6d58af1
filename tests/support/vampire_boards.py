"""Boards of Vampires vs Werewolves on which much happens, and turns as the slow twin has them."""

from __future__ import annotations

from random import Random

from joute.engines.games.vampires.board import Cell, VampiresBoard
from joute.engines.games.vampires.vampires import Vampires, moves_of
from joute.engines.position import Position, parse_position

WEIGHTS = {
    "battles": 0.5,
    "neutral_battles": 0.4,
    "groups": -0.25,
    "cum_score": 0.01,
    "lose_over_win_ratio": 0.8,
}


def crowded(seed: int, groups: int = 4, most: int = 60) -> VampiresBoard:
    """Return a board where much happens; both sides have a group."""
    chance = Random(seed)
    columns, rows = chance.randint(2, 6), chance.randint(2, 5)
    cells = [(x, y) for x in range(columns) for y in range(rows)]
    chance.shuffle(cells)
    kinds: list[dict[tuple[int, int], int]] = [{}, {}, {}]
    for i, cell in enumerate(cells[: chance.randint(3, min(9, len(cells)))]):
        kind = (1, 2)[i] if i < 2 else chance.choice((0, 0, 1, 2))
        if kind == 0 or len(kinds[kind]) < groups:
            kinds[kind][cell] = chance.choice((1, 2, 3, 5, 8, 12, chance.randint(1, most)))
    return VampiresBoard(columns, rows, *kinds, turn=chance.randint(0, 1))


def set_up(game: Vampires, board: VampiresBoard) -> Position:
    """Return the position of a board."""
    return parse_position(game, board.text())


def twin_moves(action: int) -> list[tuple[Cell, int, Cell]]:
    """Return a turn as the slow twin has it."""
    return [(start, units, end) for start, units, end in moves_of(action)]


def roomy(seed: int) -> VampiresBoard:
    """Return a board of two groups a side with room to go other ways to the same place."""
    chance = Random(seed)
    columns, rows = chance.randint(4, 7), chance.randint(4, 7)
    cells = chance.sample([(x, y) for x in range(columns) for y in range(rows)], 8)
    humans = {cell: chance.randint(1, 6) for cell in cells[4 : chance.randint(4, 8)]}
    sides = [{cell: chance.randint(4, 12) for cell in cells[i : i + 2]} for i in (0, 2)]
    return VampiresBoard(columns, rows, humans, *sides, turn=chance.randint(0, 1))
