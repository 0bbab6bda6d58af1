"""Pictures of boards as SVG: the fixed ground, and the content of each cell.

A page draws the ground and the cells once, and puts each position's marks into the cells. Colours
are the page's: class `cell` a cell, `s0` to `s3` what belongs to a player, `moved` a cell that has
just changed, `left` the dot in one that has become empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from math import cos, pi, sin
from typing import NamedTuple

from joute.engines.board import Board

MARGIN = 0.2  # around the board; a cell's corners are 1 from its middle
EDGE = 1 + MARGIN
Point = tuple[float, float]


class Look(NamedTuple):
    """The size of a stone and the height of a cell's texts, below its middle."""

    stone: float
    sign: float
    left: float  # the dot on a cell that has just become empty
    name: float
    stone_name: float


BARE, NAMED = Look(0.58, 0.24, 0.0, 0.0, 0.0), Look(0.72, 0.08, -0.42, 0.18, 0.5)


class Scene(NamedTuple):
    """A board as pages draw it. `box`: the drawing's left, top, width and height; `ground`: SVG
    below all cells; `cell`: SVG of each of them; `middles` and `names` of the cells. Marks in a
    cell have their middle at 0, 0. `left`: how far below it the dot of an emptied cell is. `kind`
    is a class for the page's colours.
    """

    box: tuple[float, float, float, float]
    ground: str
    cell: str
    middles: Sequence[Point]
    names: Sequence[str]
    left: float = 0.0
    kind: str = ""


def composed(scene: Scene, marks: Sequence[str], before: Sequence[str] | None = None) -> str:
    """Return a position as an SVG element: `marks` is the content of each cell; differences from
    `before` are marked.
    """
    parts = [
        _placed(scene, i, mark, before is not None and before[i] != mark)
        for i, mark in enumerate(marks)
    ]
    kind = f"board {scene.kind}".strip()
    return (
        f'<svg class="{kind}" viewBox="{numbers(*scene.box)}" role="img">'
        f"{scene.ground}{''.join(parts)}</svg>"
    )


def _placed(scene: Scene, cell: int, mark: str, changed: bool) -> str:
    x, y = scene.middles[cell]
    stands = "<circle" in mark or "<rect" in mark
    dot = f'<circle class="left" cy="{scene.left:g}" r=".2"/>' if changed and not stands else ""
    moved = ' class="moved"' if changed and stands else ""
    title = f"<title>{escape(scene.names[cell])}</title>"
    return f'<g{moved} transform="translate({numbers(x, y)})">{title}{scene.cell}{mark}{dot}</g>'


def scene_of(board: Board, names: Sequence[str], look: Look = BARE) -> Scene:
    """Return the scene of a board's polygons."""
    (ax, ay), (bx, by) = board.shape.x_step, board.shape.y_step
    middles = [(x * ax + y * bx, x * ay + y * by) for x, y in board.places]
    angles = [
        board.shape.angle + 2 * pi * k / board.shape.corners for k in range(board.shape.corners)
    ]
    outline = " ".join(numbers(cos(angle), sin(angle)) for angle in angles)
    cell = f'<polygon class="cell" points="{outline}"/>'
    return Scene(box_of(middles), "", cell, middles, names, look.left)


def grid(columns: int, rows: int) -> list[Point]:
    """Return the middles of cells of height and width 2, row after row from the top."""
    return [(2.0 * x, 2.0 * y) for y in range(rows) for x in range(columns)]


def box_of(middles: Iterable[Point], more: float = 0.0) -> tuple[float, float, float, float]:
    """Return the box around cells, with so much more room on every side."""
    xs, ys = zip(*middles, strict=True)
    edge = EDGE + more
    left, top = min(xs) - edge, min(ys) - edge
    return left, top, max(xs) - left + edge, max(ys) - top + edge


@cache
def stone(player: int, sign: str, look: Look = BARE, name: str = "") -> str:
    """Return a player's stone with its sign, and the name of its cell where those are written."""
    text = f'<circle class="s{player}" r="{look.stone:g}"/>{label(sign, look.sign)}'
    return text + named(name, look, True) if look is NAMED else text


@cache
def named(name: str, look: Look = NAMED, on: bool = False) -> str:
    """Return the name of a cell as it is written in it, on a stone or not."""
    below = look.stone_name if on else look.name
    return label(name, below, "name on" if on else "name")


@cache
def tile(player: int, sign: str = "", kind: str = "") -> str:
    """Return a square in a player's colour with a sign, and an own class."""
    style = f"s{player} {kind}".strip()
    square = f'<rect class="{style}" x="-.9" y="-.9" width="1.8" height="1.8" rx=".25"/>'
    return square + (label(sign, 0.3) if sign else "")


def label(text: str, below: float, style: str = "") -> str:
    """Return a short text in the middle of a cell, so far below."""
    kind = f' class="{style}"' if style else ""
    return f'<text{kind} y="{below:.2f}">{escape(text)}</text>'


def note(x: float, y: float, text: str) -> str:
    """Return a text on the ground, as the letters beside a board."""
    return f'<text class="side" x="{x:g}" y="{y:g}">{escape(text)}</text>'


def square(extra: str = "") -> str:
    """Return the square that a cell of a grid is."""
    return f'<rect class="cell{extra}" x="-1" y="-1" width="2" height="2"/>'


def numbers(*values: float) -> str:
    """Return numbers as SVG has them."""
    return " ".join(f"{value:.2f}" for value in values)
