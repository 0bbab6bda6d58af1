"""Tron in plain Python, cell by cell, and its evaluations by the obvious route: the slow twins."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from functools import cache

from joute.engines.position import Position

Cell = tuple[int, int]
STEPS = ((0, -1), (0, 1), (-1, 0), (1, 0))


@dataclass
class Field:
    """Walls, ribbons (start first, head last) by player, whose turn it is, the dead in order."""

    width: int
    height: int
    walls: set[Cell]
    ribbons: dict[int, list[Cell]]
    mover: int
    dead: list[int] = field(default_factory=list)
    players: int = 2

    def free(self, cell: Cell) -> bool:
        x, y = cell
        inside = 0 <= x < self.width and 0 <= y < self.height
        return (
            inside and cell not in self.walls and all(cell not in r for r in self.ribbons.values())
        )

    def ahead(self, action: int) -> Cell:
        x, y = self.ribbons[self.mover][-1]
        return x + STEPS[action][0], y + STEPS[action][1]

    def actions(self) -> list[int]:
        if self.over:
            return []
        return [a for a in range(4) if self.free(self.ahead(a))] or [0]

    @property
    def over(self) -> bool:
        return len(self.ribbons) == 1

    def play(self, action: int) -> None:
        mover = self.mover
        if action < 4 and self.free(self.ahead(action)):
            self.ribbons[mover].append(self.ahead(action))
        else:
            del self.ribbons[mover]
            self.dead.append(mover)
        self.mover = next(
            p % self.players
            for p in range(mover + 1, mover + 1 + self.players)
            if p % self.players in self.ribbons
        )

    def returns(self) -> list[float]:
        order = [*self.dead, *self.ribbons]
        return [order.index(p) / (self.players - 1) for p in range(self.players)]

    def copy(self) -> Field:
        ribbons = {p: list(r) for p, r in self.ribbons.items()}
        return Field(self.width, self.height, self.walls, ribbons, self.mover, list(self.dead),
                     self.players)  # fmt: skip


def slow_of(position: Position) -> Field:
    """Return the slow twin of a position without moves: ribbons in no order but start and head."""
    game, W, at = position.game, position.W, position.at
    board = game.cells(W, at)  # type: ignore[attr-defined]
    walls, ribbons = set(), dict[int, list[Cell]]()
    for y, row in enumerate(board):
        for x, cell in enumerate(row):
            if cell == "#":
                walls.add((x, y))
            elif cell in "abcd":
                ribbons.setdefault("abcd".index(cell), []).append((x, y))
    for y, row in enumerate(board):
        for x, cell in enumerate(row):
            if cell in "ABCD":
                ribbons.setdefault("ABCD".index(cell), []).append((x, y))
    meta = int(W[at + game.words - 1])
    deaths = {meta >> 16 + 4 * p & 15: p for p in range(game.players)}
    dead = [deaths[i] for i in sorted(deaths) if i]
    width, height = int(game.values["width"]), int(game.values["height"])
    return Field(width, height, walls, dict(sorted(ribbons.items())), position.to_move, dead,
                 game.players)  # fmt: skip


def around(cell: Cell) -> list[Cell]:
    return [(cell[0] + dx, cell[1] + dy) for dx, dy in STEPS]


def zones(f: Field) -> dict[int, set[Cell]]:
    """Who reaches each free cell first; turns decide between equals."""
    turns = [
        p % f.players for p in range(f.mover, f.mover + f.players) if p % f.players in f.ribbons
    ]
    fronts = {p: [f.ribbons[p][-1]] for p in turns}
    owner: dict[Cell, int] = {}
    while any(fronts.values()):
        for p in turns:
            new = []
            for cell in fronts[p]:
                for c in around(cell):
                    if f.free(c) and c not in owner:
                        owner[c] = p
                        new.append(c)
            fronts[p] = new
    return {p: {c for c, o in owner.items() if o == p} for p in turns}


def walk_bound(start: Cell, cells: set[Cell]) -> int:
    """The longest walk that alternates colours, from a start outside the cells."""
    other = sum((x + y) % 2 != sum(start) % 2 for x, y in cells)
    same = len(cells) - other
    return min(2 * other, 2 * same + 1)


def one_eyed(f: Field, head: Cell, zone: set[Cell]) -> list[set[Cell]]:
    """The zone by its two ways out, where two opposite ones are open; else the zone."""
    x, y = head
    for dx, dy in ((1, 0), (0, 1)):
        ways = [(x - dx, y - dy), (x + dx, y + dy)]
        if all(way in zone for way in ways):
            line = set()
            for sign in (1, -1):
                c = (x + sign * dy, y + sign * dx)
                while c in zone:
                    line.add(c)
                    c = (c[0] + sign * dy, c[1] + sign * dx)
            distance = []
            sides = [{ways[0]}, {ways[1]}]
            rest = zone - line
            while True:
                taken = sides[0] | sides[1]
                grown = [
                    {c for s in side for c in around(s) if c in rest and c not in taken}
                    for side in sides
                ]
                if not any(grown):
                    break
                distance.append(grown)
                sides = [side | new for side, new in zip(sides, grown, strict=True)]
            return [side | line for side in sides]
    return [zone]


def rooms_at(entry: Cell, cells: set[Cell]) -> list[tuple[set[Cell], dict[Cell, set[Cell]]]]:
    """The rooms entered from a cell, and what lies behind each of their doors.

    A cell belongs to such a room if no other single cell cuts it off from the entry.
    """
    found = []
    for part in parts_of({c for c in around(entry) if c in cells}, cells):
        cut = {v: part - {v} - reached(entry, part - {v}) for v in part}
        room = {c for c in part if not any(c in cut[v] for v in part if v != c)}
        beyond = {v: reached(v, part - room) - {v} for v in room}
        found.append((room, {v: b for v, b in beyond.items() if b}))
    return found


def parts_of(begins: set[Cell], cells: set[Cell]) -> list[set[Cell]]:
    """The connected parts of the cells that hold one of the first."""
    found: list[set[Cell]] = []
    for begin in sorted(begins):
        if not any(begin in part for part in found):
            found.append(reached(begin, cells))
    return found


def reached(begin: Cell, cells: set[Cell]) -> set[Cell]:
    """The cells that can be reached from the first, which counts."""
    seen, queue = {begin}, deque([begin])
    while queue:
        for d in around(queue.popleft()):
            if d in cells and d not in seen:
                seen.add(d)
                queue.append(d)
    return seen


def rooms_worth(head: Cell, zone: set[Cell], worth) -> float:  # type: ignore[no-untyped-def]
    """The best way through the rooms: worth(entry, cells) of each room on it, summed."""
    return max(
        (
            worth(head, room)
            + max((rooms_worth(door, left, worth) for door, left in beyond.items()), default=0.0)
            for room, beyond in rooms_at(head, zone)
        ),
        default=0.0,
    )


def longest_walk(f: Field) -> int:
    """The most cells the player to move can cover alone, by trying all walks."""
    free = frozenset((x, y) for x in range(f.width) for y in range(f.height) if f.free((x, y)))

    @cache
    def best(cell: Cell, left: frozenset[Cell]) -> int:
        return max((1 + best(c, left - {c}) for c in around(cell) if c in left), default=0)

    return best(f.ribbons[f.mover][-1], free)
