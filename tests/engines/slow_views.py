"""Views in plain Python, from nothing but texts of positions and actions: the slow twins.

`planes` gives rows of numbers, plane by plane; `entry` the number of an action in the policy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from joute.engines.games.vampires.board import parse_board

Rows = list[list[float]]
Cell = tuple[int, int]
WAYS = ((1, 1), (1, 0), (0, 1))
EIGHT = ((0, -1), (0, 1), (1, 0), (-1, 0), (1, -1), (1, 1), (-1, -1), (-1, 1))
COLUMNS = "ABCDEFGHJKLMNOPQRST"


@dataclass
class Told:
    """A position: its text and those of all before it in the line; its actions; the game's options."""

    texts: Sequence[str]
    actions: Sequence[str]
    options: dict[str, int] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> list[str]:
        """The rows of the board."""
        return rows_of(self.texts[-1])

    @property
    def mover(self) -> str:
        """Who is to move, by the text."""
        return self.texts[-1].split()[1]


def rows_of(text: str) -> list[str]:
    """Return the rows of a text, empty cells as dots."""
    return re.sub(r"\d+", lambda m: "." * int(m[0]), text.split()[0]).split("/")


def where(rows: Sequence[str], signs: str) -> Rows:
    """Return a plane with 1 where one of the signs stands."""
    return [[float(sign in signs) for sign in row] for row in rows]


def discs(told: Told) -> list[Rows]:
    """Connect 4: as many X as O, and X is to move."""
    signs = "".join(told.rows)
    pair = "XO" if signs.count("X") == signs.count("O") else "OX"
    return [where(told.rows, sign) for sign in pair]


def hexagon(side: int) -> list[Cell]:
    """Return the cells of a hexagon in the order of texts: the highest first, then by x."""
    m = side - 1
    every = [(x, y) for x in range(-m, m + 1) for y in range(-m, m + 1) if abs(x - y) <= m]
    return sorted(every, key=lambda c: (-c[0] - c[1], c[0]))


def named(text: str, side: int) -> list[Cell]:
    """Return the cells that an action names: a1 is the lowest."""
    return [
        (ord(letter) - ord("a") + 1 - side, int(number) - side)
        for letter, number in re.findall(r"([a-m])(\d+)", text)
    ]


def hexagons(told: Told, turned: bool) -> list[Rows]:
    """Dodo and Gopher: stones, cells where an action ends, cells of the board."""
    side = told.options["side"]
    m, sign = side - 1, -1 if turned else 1
    holds = dict(zip(hexagon(side), "".join(told.rows), strict=True))
    ends = {named(action, side)[-1] for action in told.actions}
    own, other = ("XO", "OX")[told.mover == "O"]
    marks = {"playable": [ends], "board": [set(holds)], "both": [ends, set(holds)]}
    sets = [{c for c in holds if holds[c] == s} for s in (own, other)] + marks[
        told.settings["marks"]
    ]
    span = range(-m, m + 1)
    return [[[float((sign * x, sign * y) in one) for x in span] for y in span] for one in sets]


def stones(told: Told) -> list[Rows]:
    """Gopher."""
    return hexagons(told, turned=False)


def checkers(told: Told) -> list[Rows]:
    """Dodo: O sees the board turned by half."""
    return hexagons(told, turned=told.mover == "O")


def goban(told: Told) -> list[Rows]:
    """Go: boards back to the start of the line, which stands for all before it."""
    found = []
    for back in range(int(told.settings["history"])):
        rows = rows_of(told.texts[max(len(told.texts) - 1 - back, 0)])
        found += [where(rows, sign) for sign in ("XO", "OX")[told.mover == "O"]]
    return [*found, [[float(told.mover == "X")] * len(row) for row in told.rows]]


def ribbons(told: Told) -> list[Rows]:
    """Tron: what a text leaves out at the right and below is wall."""
    rows = [row.ljust(told.options["width"], "#") for row in told.rows]
    rows += ["#" * told.options["width"]] * (told.options["height"] - len(rows))
    heads = ("AB", "BA")[told.mover == "2"]
    return [where(rows, "#abAB"), *(where(rows, head) for head in heads)]


def units(told: Told) -> list[Rows]:
    """Vampires: units by 16 x 16 cells."""
    board = parse_board(told.texts[-1])
    sides = [board.vampires, board.werewolves]
    kinds = [sides[board.turn], sides[1 - board.turn], board.humans]
    each, span = float(told.settings["unit"]), range(16)
    found = [[[kind.get((x, y), 0) / each for x in span] for y in span] for kind in kinds]
    if told.settings["edge"] == "seen":
        found.append([[float(x < board.columns and y < board.rows) for x in span] for y in span])
    return found


def entry(view: str, told: Told, action: str) -> int:
    """Return the entry of an action by its text."""
    if view == "discs":
        return int(action) - 1
    if view == "ribbons":
        return ("UP", "DOWN", "LEFT", "RIGHT").index(action)
    if view == "goban":
        rows, wide = told.rows, len(told.rows[0])
        if action == "pass":
            return wide * len(rows)
        return (len(rows) - int(action[1:])) * wide + COLUMNS.index(action[0])
    if view == "units":
        x, y, u, v, _ = map(int, re.findall(r"\d+", action))
        return 8 * (16 * y + x) + EIGHT.index((u - x, v - y))
    side = told.options["side"]
    cells = [(-x, -y) if turned(view, told) else (x, y) for x, y in named(action, side)]
    first = hexagon(side).index(cells[0])
    if view == "stones":
        return first
    (x, y), (u, v) = cells
    return 3 * first + WAYS.index((u - x, v - y))


def turned(view: str, told: Told) -> bool:
    """Whether the side to move sees the board turned."""
    return view == "checkers" and told.mover == "O"


TWINS: dict[str, Callable[[Told], list[Rows]]] = {
    "discs": discs,
    "stones": stones,
    "checkers": checkers,
    "goban": goban,
    "ribbons": ribbons,
    "units": units,
}
