"""The slow, obvious twin of Go: a dictionary of coordinates and every board that there was."""

from __future__ import annotations

from functools import cached_property
from typing import Any

Cell = tuple[int, int]
Board = frozenset[tuple[Cell, int]]


class SlowGo:
    """Who has a stone where, 0 (Black) or 1; columns from the left, rows from the bottom, from 0."""

    def __init__(self, columns: int, rows: int, ko: str, territory: bool, komi: float) -> None:
        self.columns, self.rows = columns, rows
        self.ko, self.territory, self.komi = ko, territory, komi
        self.stones: dict[Cell, int] = {}
        self.mover, self.passes = 0, 0
        self.captured = [0, 0]
        self.boards = [self.board]

    @property
    def board(self) -> Board:
        return frozenset(self.stones.items())

    @cached_property
    def cells(self) -> list[Cell]:
        return [(x, y) for x in range(self.columns) for y in range(self.rows)]

    def beside(self, cell: Cell) -> list[Cell]:
        x, y = cell
        near = ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
        return [(a, b) for a, b in near if 0 <= a < self.columns and 0 <= b < self.rows]

    def chain(self, stones: dict[Cell, int], cell: Cell) -> tuple[set[Cell], set[Cell]]:
        """Return what is connected to a cell and like it, and what lies beside that."""
        inside, border, left = {cell}, set(), [cell]
        while left:
            for near in self.beside(left.pop()):
                if stones.get(near) != stones.get(cell):
                    border.add(near)
                elif near not in inside:
                    inside.add(near)
                    left.append(near)
        return inside, border

    def after(self, cell: Cell) -> dict[Cell, int] | None:
        """Return the stones after a move, None if it is a suicide."""
        stones = {**self.stones, cell: self.mover}
        for near in self.beside(cell):
            if stones.get(near) == 1 - self.mover:
                chain, border = self.chain(stones, near)
                if all(one in stones for one in border):
                    for one in chain:
                        del stones[one]
        return stones if any(one not in stones for one in self.chain(stones, cell)[1]) else None

    def is_legal(self, cell: Cell) -> bool:
        if cell in self.stones:
            return False
        stones = self.after(cell)
        if stones is None:
            return False
        board = frozenset(stones.items())
        if self.ko == "superko":
            return board not in self.boards
        # the board before the opponent's last move; after a pass nothing is forbidden
        return self.ko == "none" or len(self.boards) < 2 or board != self.boards[-2]

    def moves(self) -> set[Cell | None]:
        """Return the legal moves; None is a pass."""
        return {None, *filter(self.is_legal, self.cells)}

    def play(self, move: Cell | None) -> None:
        if move is None:
            self.passes += 1
        else:
            stones = self.after(move)
            assert stones is not None
            self.captured[self.mover] += len(self.stones) + 1 - len(stones)
            self.stones, self.passes = stones, 0
        self.mover = 1 - self.mover
        self.boards.append(self.board)

    @property
    def over(self) -> bool:
        return self.passes == 2

    def lead(self) -> float:
        """Return Black's points less White's and komi."""
        points = [0, 0]
        for cell in self.cells:
            owners = {self.stones.get(cell)}
            if cell in self.stones:
                owners = {None} if self.territory else owners
            else:
                owners = {self.stones[one] for one in self.chain(self.stones, cell)[1]}
            if len(owners) == 1 and owners != {None}:
                points[owners.pop()] += 1  # type: ignore[index]
        if self.territory:
            points = [points[p] + self.captured[p] for p in (0, 1)]
        return points[0] - points[1] - self.komi


def twin(game: Any) -> SlowGo:
    """Return the twin of a game at its start."""
    values = game.values
    territory = values["rules"] == "japanese"
    return SlowGo(game.columns, game.rows, str(values["ko"]), territory, float(values["komi"]))


def meant(game: Any, action: int) -> Cell | None:
    """Return an action as the twin has it."""
    y, x = divmod(action, game.columns)
    return None if action == game.board.cells else (x, game.rows - 1 - y)


def place(game: Any, cells: list[Any]) -> dict[Cell, Any]:
    """Return what the cells of a game hold, those that hold something, as the twin has it."""
    return {meant(game, c): holds for c, holds in enumerate(cells) if holds}  # type: ignore[misc]
