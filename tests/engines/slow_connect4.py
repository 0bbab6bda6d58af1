"""The slow, obvious twin of Connect 4, of its evaluations and of alpha-beta, for the tests."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

Cell = tuple[int, int]
Line = tuple[Cell, Cell, Cell, Cell]

WIN = float(1 << 40)


@lru_cache
def straight_lines(columns: int, rows: int) -> list[Line]:
    """All straight lines of four cells (column, row)."""
    found = []
    for c in range(columns):
        for r in range(rows):
            for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1)):
                cells = [(c + i * dc, r + i * dr) for i in range(4)]
                if all(0 <= x < columns and 0 <= y < rows for x, y in cells):
                    found.append(tuple(cells))
    return found  # type: ignore[return-value]


class Slow:
    """A board as one list of stones (0 or 1: whose) a column, from the bottom."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.stacks: list[list[int]] = [[] for _ in range(columns)]
        self.moves: list[int] = []

    @property
    def mover(self) -> int:
        return len(self.moves) % 2

    def at(self, cell: Cell) -> int | None:
        c, r = cell
        return self.stacks[c][r] if r < len(self.stacks[c]) else None

    def play(self, column: int) -> None:
        self.stacks[column].append(self.mover)
        self.moves.append(column)

    def undo(self) -> None:
        self.stacks[self.moves.pop()].pop()

    def playable(self) -> list[int]:
        """The columns that are not full, centre first, the left one of two equally far."""
        free = [c for c in range(self.columns) if len(self.stacks[c]) < self.rows]
        return sorted(free, key=lambda c: (abs(c - (self.columns - 1) / 2), c))

    def winner(self) -> int | None:
        for line in straight_lines(self.columns, self.rows):
            owners = {self.at(cell) for cell in line}
            if len(owners) == 1 and None not in owners:
                return self.at(line[0])
        return None

    def status(self) -> int:
        winner = self.winner()
        if winner is not None:
            return winner + 1
        return 3 if len(self.moves) == self.columns * self.rows else 0

    def legal(self) -> list[int]:
        return [] if self.status() else self.playable()

    def picture(self) -> list[str]:
        """Rows from the top, '.' empty, X the first player."""
        return [
            "".join(".XO"[0 if s is None else s + 1] for s in row)
            for row in (
                [self.at((c, r)) for c in range(self.columns)] for r in reversed(range(self.rows))
            )
        ]


def static_value(board: Slow) -> Fraction:
    """Lines through the mover's stones less lines through the other's."""
    total = 0
    for line in straight_lines(board.columns, board.rows):
        for cell in line:
            owner = board.at(cell)
            if owner is not None:
                total += 1 if owner == board.mover else -1
    return Fraction(total)


def cells_to_fill(board: Slow, line: Line, reading: str) -> int:
    empty = {cell for cell in line if board.at(cell) is None}
    if reading == "A":
        return len(empty)
    dropped = {(c, y) for c, r in empty for y in range(r + 1) if board.at((c, y)) is None}
    return len(dropped) if reading == "B" else len(dropped - set(line))


def lines_value(board: Slow, reading: str, quantum: int = 0) -> Fraction:
    """The second utility of docs/measured/seeds.md's report; each line's worth rounded to 1 / quantum if that is given."""
    total = Fraction(0)
    for side, sign in ((board.mover, 1), (1 - board.mover, -1)):
        for line in straight_lines(board.columns, board.rows):
            owners = [board.at(cell) for cell in line]
            k = owners.count(side)
            if k == 0 or 1 - side in owners:
                continue
            worth = Fraction(k * k, cells_to_fill(board, line, reading) + 1) * k
            if quantum:
                worth = Fraction(round(worth * quantum), quantum)
            total += sign * worth
    return total


Evaluate = Callable[[Slow], float]

EVALUATIONS: dict[str, Evaluate] = {
    "evaluation=static": lambda board: float(static_value(board)),
    **{
        f"evaluation=lines,reading={reading}": (
            lambda board, reading=reading: float(lines_value(board, reading, 1 << 32))
        )
        for reading in "ABC"
    },
}


def after(board: Slow, evaluate: Evaluate, ply: int) -> tuple[float, bool]:
    """The value of the position for the player who moved into it at `ply`; whether it is over."""
    status = board.status()
    if status == 0:
        return -evaluate(board), False
    return (0.0 if status == 3 else WIN - ply), True


def negamax(
    board: Slow,
    evaluate: Evaluate,
    depth: int,
    width: float = 1.0,
    sort: bool = False,
    ply: int = 0,
) -> tuple[float, int]:
    """Value for the mover and the first best column; no cuts but those of `width`."""
    columns = board.playable()
    children = []
    for column in columns:
        board.play(column)
        value, over = after(board, evaluate, ply + 1)
        board.undo()
        children.append((column, value, over))
    if depth > 1 and (sort or width < 1.0):
        for column, value, over in children:
            if over and value > 0:
                return value, column
        children.sort(key=lambda child: -child[1])
        children = children[: max(1, math.ceil(width * len(children) - 1e-9))]
    best, chosen = -math.inf, -1
    for column, value, over in children:
        if depth > 1 and not over:
            board.play(column)
            value = -negamax(board, evaluate, depth - 1, width, sort, ply + 1)[0]
            board.undo()
        if value > best:
            best, chosen = value, column
    return best, chosen


def random_board(columns: int, rows: int, plies: int, chance: random.Random) -> Slow:
    """A position that is not over, `plies` random moves (or a few fewer) from the start."""
    board = Slow(columns, rows)
    for _ in range(plies):
        legal = board.legal()
        chance.shuffle(legal)
        for column in legal:
            board.play(column)
            if board.status() == 0:
                break
            board.undo()
        else:
            break
    return board
