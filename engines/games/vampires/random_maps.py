"""Random maps as three public programs draw them, and one of ours; each a pure function of its seed.

* `random:twilight:COLSxROWS:HUMANS:MONSTERS`: the generator of the server twilight.
* `random:langorou`: what Langorou's tournament feeds to it: 10 to 16 rows and columns, 2 to 30
  groups of humans, 4 to 40 monsters a side.
* `random:vamperouge`: what Vamperouge learned on: 3 to 16 rows and columns, up to a quarter of the
  cells drawn for humans (each then mirrored), 3 to 10 monsters.
* `random:tame`: the same with few and weak humans, up to a sixteenth of the cells and never more in
  a group than there are monsters a side: ours, after what Vamperouge's report blames.

All are symmetric: rows mirrored, or, on a square board, one of three chosen evenly (rows mirrored,
turned by half, transposed). The originals may write a cell twice or start a side upon humans that
stay listed. Here the distribution is theirs and the board is valid: the later of two groups stays,
on both sides, and humans in a start cell are gone. Where the originals draw a start cell anew until
it is not its own mirror image, it is drawn from those that are not: the same, without a loop.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from joute.engines.errors import Refused, suggest
from joute.engines.games.vampires.board import (
    MOST_CELLS_A_SIDE,
    MOST_UNITS,
    Cell,
    VampiresBoard,
    shown,
)

PREFIX = "random:"
TWILIGHT = re.compile(r"([0-9]{1,4})x([0-9]{1,4}):([0-9]{1,4}):([0-9]{1,4})")
TWILIGHT_FORM = "random:twilight:COLSxROWS:HUMANS:MONSTERS"
LARGEST = {"langorou": (16, 16), "vamperouge": (16, 16), "tame": (16, 16)}  # columns, rows
HUMANS = {"vamperouge": (4, 4), "tame": (16, 0)}  # cells a group; units beyond a side's monsters


def draw(spec: str, seed: int) -> VampiresBoard:
    """Return the board that a random specification gives for a seed."""
    stream = Random(seed)
    fixed = parse(spec)
    if fixed is not None:
        return twilight(stream, *fixed)
    if spec == "random:langorou":
        rows, columns = between(stream, 10, 16), between(stream, 10, 16)
        return twilight(stream, columns, rows, between(stream, 2, 30), between(stream, 4, 40))
    columns, rows = between(stream, 3, 16), between(stream, 3, 16)
    cells, more = HUMANS[spec.removeprefix(PREFIX)]
    groups, monsters = between(stream, 1, max(1, columns * rows // cells)), between(stream, 3, 10)
    return mirrored(stream, columns, rows, groups, (1, monsters + more), monsters)


def largest(spec: str) -> tuple[int, int]:
    """Return how many columns and rows a board of a random specification has at most."""
    fixed = parse(spec)
    return fixed[:2] if fixed is not None else LARGEST[spec.removeprefix(PREFIX)]


def parse(spec: str) -> tuple[int, int, int, int] | None:
    """Return columns, rows, humans and monsters of a twilight map, None for a drawn one."""
    name, _, rest = spec.removeprefix(PREFIX).partition(":")
    if name in LARGEST and spec == PREFIX + name:
        return None
    match = TWILIGHT.fullmatch(rest)
    if not spec.startswith(PREFIX) or name != "twilight" or match is None:
        forms = [f"{PREFIX}{known}" for known in LARGEST] + [TWILIGHT_FORM]
        raise Refused(f"map {shown(spec)}: no random map{suggest(spec[:80], forms)}")
    columns, rows, humans, monsters = map(int, match.groups())
    if not (1 <= columns <= MOST_CELLS_A_SIDE and 1 <= rows <= MOST_CELLS_A_SIDE):
        raise Refused(f"map {spec!r}: {columns}x{rows}; allowed: 1 to {MOST_CELLS_A_SIDE} a side")
    if rows == 1:
        raise Refused(f"map {spec!r}: one row is its own mirror image; allowed: 2 rows or more")
    if humans // 2 > columns * rows:
        raise Refused(f"map {spec!r}: {humans} humans; allowed: 0 to {2 * columns * rows + 1}")
    if not 1 <= monsters <= MOST_UNITS - 4:  # a group of humans has up to 4 more
        raise Refused(f"map {spec!r}: {monsters} monsters; allowed: 1 to {MOST_UNITS - 4}")
    return columns, rows, humans, monsters


def twilight(stream: Random, columns: int, rows: int, humans: int, monsters: int) -> VampiresBoard:
    """Return a map as the server twilight draws it; an odd number of humans counts as one less."""
    return mirrored(stream, columns, rows, humans // 2, (5, 4 + monsters), monsters)


def mirrored(
    stream: Random, columns: int, rows: int, groups: int, sizes: tuple[int, int], monsters: int
) -> VampiresBoard:
    """Return a symmetric board: groups of humans of low..high units with their images, two starts."""
    image = symmetry(stream, columns, rows)
    cells = [(x, y) for x in range(columns) for y in range(rows)]
    humans: dict[Cell, int] = {}
    for i in range(groups):  # the first steps of a Fisher-Yates shuffle
        j = between(stream, i, len(cells) - 1)
        cells[i], cells[j] = cells[j], cells[i]
        humans[cells[i]] = humans[image(cells[i])] = between(stream, *sizes)
    starts = sorted(cell for cell in cells if image(cell) != cell)
    start = starts[between(stream, 0, len(starts) - 1)]
    for cell in (start, image(start)):
        humans.pop(cell, None)
    return VampiresBoard(columns, rows, humans, {image(start): monsters}, {start: monsters})


def symmetry(stream: Random, columns: int, rows: int) -> Callable[[Cell], Cell]:
    """Return the map from a cell to its image; a map that is not square has its rows mirrored."""
    kinds: list[Callable[[Cell], Cell]] = [
        lambda cell: (cell[0], rows - 1 - cell[1]),
        lambda cell: (columns - 1 - cell[0], rows - 1 - cell[1]),
        lambda cell: (cell[1], cell[0]),
    ]
    return kinds[between(stream, 0, 2) if columns == rows else 0]


def between(stream: Random, low: int, high: int) -> int:
    """Return a number from low to high, each equally likely.

    From random() alone, whose sequence Python promises to keep; randint's may change.
    """
    return low + int(stream.random() * (high - low + 1))
