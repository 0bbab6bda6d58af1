"""Pictures of boards as SVG: a polygon a cell, a disc with its sign for what stands there.

Colours are the page's: class `cell` a cell, `moved` one that has just changed, `s0`, `s1`, ... the
players' stones. Every cell says its name when it is pointed at; on boards whose cells are `named` it is
written in them as well, class `name`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from html import escape
from math import cos, pi, sin
from typing import NamedTuple

from engines.board import Board

MARGIN = 0.2  # around the board; a cell's corners are 1 from its middle


class Look(NamedTuple):
    """How large a stone is and where a cell's texts stand, below its middle."""

    stone: float
    sign: float
    left: float  # the dot on a cell that has just become empty
    name: float
    stone_name: float


BARE, NAMED = Look(0.58, 0.24, 0.0, 0.0, 0.0), Look(0.72, 0.08, -0.42, 0.18, 0.5)


def picture(
    board: Board,
    cells: Sequence[int],
    name: Callable[[int], str],
    moved: Collection[int] = (),
    named: bool = False,
) -> str:
    """Return the board as an SVG element: `cells` says what each holds, `moved` which are marked."""
    (ax, ay), (bx, by) = board.shape.x_step, board.shape.y_step
    middles = [(x * ax + y * bx, x * ay + y * by) for x, y in board.places]
    left, right = (end(x for x, _ in middles) for end in (min, max))
    top, bottom = (end(y for _, y in middles) for end in (min, max))
    edge = 1 + MARGIN
    box = (left - edge, top - edge, right - left + 2 * edge, bottom - top + 2 * edge)
    parts = [
        _cell(board, middle, holds, name(cell), cell in moved, NAMED if named else BARE)
        for cell, (middle, holds) in enumerate(zip(middles, cells, strict=True))
    ]
    return f'<svg class="board" viewBox="{numbers(*box)}" role="img">{"".join(parts)}</svg>'


def _cell(
    board: Board, middle: tuple[float, float], holds: int, name: str, moved: bool, look: Look
) -> str:
    (x, y), shape = middle, board.shape
    angles = [shape.angle + 2 * pi * k / shape.corners for k in range(shape.corners)]
    outline = " ".join(numbers(x + cos(angle), y + sin(angle)) for angle in angles)
    text = f'<title>{escape(name)}</title><polygon class="cell" points="{outline}"/>'
    if holds:
        mark = " moved" if moved else ""
        text += (
            f'<circle class="s{holds - 1}{mark}" cx="{x:.2f}" cy="{y:.2f}" r="{look.stone:g}"/>'
            f'<text x="{x:.2f}" y="{y + look.sign:.2f}">{escape(board.signs[holds])}</text>'
        )
    elif moved:
        text += f'<circle class="left" cx="{x:.2f}" cy="{y + look.left:.2f}" r=".2"/>'
    if look is NAMED:
        on, below = (" on", look.stone_name) if holds else ("", look.name)
        text += f'<text class="name{on}" x="{x:.2f}" y="{y + below:.2f}">{escape(name)}</text>'
    return f"<g>{text}</g>"


def numbers(*values: float) -> str:
    """Return numbers as SVG has them."""
    return " ".join(f"{value:.2f}" for value in values)
