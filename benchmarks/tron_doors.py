"""Makes `studies/library/suites/tron-doors.toml`: choices between two doors of Tron, the right one proved.

    python -m benchmarks.tron_doors > studies/library/suites/tron-doors.toml

A stands between the doors of two rooms of random walls and cannot come back; B walks a corridor of a
length between the longest walks of the two rooms. All walks are tried, so the right door wins and the
other one loses. In half of the cases the right room has fewer cells, or as many.
"""

from __future__ import annotations

from functools import cache

import numpy as np

WIDTH, HEIGHT, ROOM, MIDDLE, CASES = 13, 9, 5, 3, 40
LEAST, MOST = 7, 21  # cells of a room
Cell = tuple[int, int]

HEAD = """\
# Choices between two doors of Tron without a way back, the right one proved
# Run it:  joute suite tron-doors 'uct:evaluation=zones,iterations=300' 'uct:iterations=300'
# A bot's author found random playouts good here, and flooded zones sometimes bad. Every walk was tried: the
# right door wins, the other one loses. In half of the cases (traps) the right room has no more cells than
# the other. Made by benchmarks/tron_doors.py.

game = "tron[width=13,height=9]"
"""


def main() -> None:
    """Print the suite."""
    rng, kinds = np.random.default_rng(2014), {"trap": 0, "larger": 0}
    print(HEAD)
    while min(kinds.values()) < CASES // 2:
        rooms = [drawn(rng), drawn(rng)]
        walks = [longest(frozenset(room)) for room in rooms]
        best, worst = max(walks), min(walks)
        corridor = (best + worst) // 2
        few, many = sorted(map(len, rooms))
        if best - worst < 2 or corridor > WIDTH - 1 or few < LEAST or many > MOST:
            continue
        right = walks.index(best)
        kind = "trap" if len(rooms[right]) <= len(rooms[1 - right]) else "larger"
        if kinds[kind] == CASES // 2:
            continue
        kinds[kind] += 1
        cells = ", ".join(f"{w} of {len(room)}" for w, room in zip(walks, rooms, strict=True))
        print("[[case]]")
        print(f'name = "{kind} {kinds[kind]}"')
        print(f'position = "{text_of(rooms, corridor)}"')
        print(f'best = ["{("LEFT", "RIGHT")[right]}"]')
        print(f'remark = "walks left and right: {cells} cells; B has {corridor}"\n')


def drawn(rng: np.random.Generator) -> set[Cell]:
    """Return a room's cells, walls drawn at random; the door lies at column 0 of row MIDDLE."""
    free = {
        (x, y) for x in range(1, ROOM + 1) for y in range(2 * MIDDLE + 1) if rng.random() < 0.72
    }
    free.add((0, MIDDLE))
    room, front = {(0, MIDDLE)}, [(0, MIDDLE)]
    while front:
        new = [c for c in around(front.pop()) if c in free and c not in room]
        room.update(new)
        front += new
    return room


def longest(room: frozenset[Cell]) -> int:
    """Return the most cells that can be walked from the door on, the door counted, by trying all walks."""

    @cache
    def best(cell: Cell, left: frozenset[Cell]) -> int:
        return max((1 + best(c, left - {c}) for c in around(cell) if c in left), default=0)

    return 1 + best((0, MIDDLE), room - {(0, MIDDLE)}) if len(room) <= MOST else 0


def around(cell: Cell) -> list[Cell]:
    """Return the four neighbours of a cell."""
    return [(cell[0] + dx, cell[1] + dy) for dx, dy in ((0, -1), (0, 1), (-1, 0), (1, 0))]


def text_of(rooms: list[set[Cell]], corridor: int) -> str:
    """Return the position: the rooms left and right of A, B's corridor below."""
    centre = WIDTH // 2
    board = [["#"] * WIDTH for _ in range(HEIGHT)]
    board[MIDDLE][centre] = "A"
    for side, room in zip((-1, 1), rooms, strict=True):
        for x, y in room:
            board[y][centre + side * (x + 1)] = "."
    board[-1][: corridor + 1] = ["B", *"." * corridor]
    text = "/".join("".join(row) for row in board)
    for n in range(WIDTH, 0, -1):
        text = text.replace("." * n, str(n))
    return text


if __name__ == "__main__":
    main()
