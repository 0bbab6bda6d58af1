"""The slow, obvious twins of Dodo and Gopher: dictionaries of coordinates, as their rules are told."""

from __future__ import annotations

from functools import cache
from typing import Any

Cell = tuple[int, int]
UP = ((1, 0), (0, 1), (1, 1))
AROUND = (*UP, *((-x, -y) for x, y in UP))


def cells_of(side: int) -> list[Cell]:
    m = side - 1
    span = range(-m, m + 1)
    return [(x, y) for x in span for y in span if abs(x - y) <= m]


class SlowDodo:
    """Who stands where: 0 moves first and upwards, 1 downwards."""

    def __init__(self, side: int, threshold: int) -> None:
        self.board = {c: -1 for c in cells_of(side)}
        for x, y in self.board:
            if x + y <= -threshold:
                self.board[x, y] = 0
            if x + y >= threshold:
                self.board[x, y] = 1
        self.mover = 0

    def moves(self) -> set[tuple[Cell, Cell]]:
        sign = 1 - 2 * self.mover
        found = set()
        for (x, y), owner in self.board.items():
            for dx, dy in UP:
                to = (x + sign * dx, y + sign * dy)
                if owner == self.mover and self.board.get(to) == -1:
                    found.add(((x, y), to))
        return found

    def features(self, player: int) -> dict[str, float]:
        """Return what `steps` weighs, of one player's checkers; blocked ones count against him."""
        sign, mover = 1 - 2 * player, self.mover
        self.mover = player
        moves = self.moves()
        self.mover = mover
        own = [cell for cell, owner in self.board.items() if owner == player]
        top = max(x + y for x, y in self.board)
        room = 0
        for x, y in own:
            while self.board.get((x := x + sign, y := y + sign)) == -1:
                room += 1
        return {
            "ways": len(moves),
            "distance": room,
            "edge": sum(top - sign * (x + y) for x, y in own),
            "blocked": -len(set(own) - {start for start, _ in moves}),
        }

    def play(self, move: tuple[Cell, Cell]) -> None:
        self.board[move[1]], self.board[move[0]] = self.mover, -1
        self.mover = 1 - self.mover

    def unplay(self, move: tuple[Cell, Cell]) -> None:
        self.mover = 1 - self.mover
        self.board[move[0]], self.board[move[1]] = self.mover, -1

    @property
    def winner(self) -> int | None:
        return None if self.moves() else self.mover


class SlowGopher:
    """Who has a stone where."""

    def __init__(self, side: int) -> None:
        self.cells = cells_of(side)
        self.board: dict[Cell, int] = {}
        self.mover = 0

    def moves(self) -> set[Cell]:
        if not self.board:
            return set(self.cells)
        found = set()
        for x, y in self.cells:
            owners = [self.board.get((x + dx, y + dy)) for dx, dy in AROUND]
            free = (x, y) not in self.board
            if free and owners.count(1 - self.mover) == 1 and self.mover not in owners:
                found.add((x, y))
        return found

    def play(self, move: Cell) -> None:
        self.board[move] = self.mover
        self.mover = 1 - self.mover

    def unplay(self, move: Cell) -> None:
        self.mover = 1 - self.mover
        del self.board[move]

    @property
    def winner(self) -> int | None:
        return None if self.moves() else 1 - self.mover


def twin(game: Any) -> SlowDodo | SlowGopher:
    """Return the twin of a game at its start."""
    side = int(game.values["side"])
    return (
        SlowDodo(side, int(game.values["threshold"])) if game.name == "dodo" else SlowGopher(side)
    )


def meant(game: Any, action: int) -> Any:
    """Return an action as the twins have it."""
    places = game.board.places
    if game.name == "gopher":
        return places[action]
    return tuple(places[cell] for cell in game.step_of(action))


def slow_perft(slow: SlowDodo | SlowGopher, depth: int) -> int:
    """Return how many sequences of so many plies there are."""
    moves = slow.moves()
    if depth == 1:
        return len(moves)
    count = 0
    for move in moves:
        slow.play(move)  # type: ignore[arg-type]
        count += slow_perft(slow, depth - 1)
        slow.unplay(move)  # type: ignore[arg-type]
    return count


def first_wins(slow: SlowDodo | SlowGopher) -> bool:
    """Return whether the one to move wins with the best play, by looking at everything once."""

    @cache
    def wins(state: frozenset[tuple[Cell, int]], mover: int) -> bool:
        if slow.winner is not None:
            return slow.winner == mover
        for move in slow.moves():
            slow.play(move)  # type: ignore[arg-type]
            lost = not wins(frozenset(slow.board.items()), slow.mover)
            slow.unplay(move)  # type: ignore[arg-type]
            if lost:
                return True
        return False

    return wins(frozenset(slow.board.items()), slow.mover)
