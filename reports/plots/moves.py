"""How often engines play another move than the first one, on the whole and by ply."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from joute.reports.asked_positions import Asked
from joute.reports.moves import Difference
from joute.reports.plots.style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PALE,
    PURPLE,
    RULE,
    caption,
    drawn,
    figure,
    panels,
    shortened,
    title,
)
from joute.reports.reading.words import counted
from joute.results.tables import write_atomically

LOOKS = ((BLUE, "o"), (ORANGE, "s"), (GREEN, "^"), (PURPLE, "D"), (GREY, "v"))
"""Colours and markers of the engines that are shown by ply: the first ones."""


def write_plot(asked: Asked, first: str, found: Sequence[Difference], path: Path) -> None:
    """Write the plot to a PNG or SVG file, by its ending."""
    kind = path.suffix.lower().removeprefix(".")
    write_atomically(path, drawn(draw(asked, first, found), kind))


def draw(asked: Asked, first: str, found: Sequence[Difference]) -> Figure:
    """Draw the shares of other moves: of each engine, and where plies are known by ply."""
    shown = [d for d in found if d.share is not None]
    by_ply = any(d.parts for d in shown)
    made: Figure
    if by_ply:
        made, (left, right) = panels(2, max(3.4, 1.6 + 0.3 * len(shown)))
        _by_ply(right, shown)
    else:
        made, left = figure(max(3.0, 1.6 + 0.35 * len(shown)))
    _on_the_whole(left, shown)
    title(left, f"Moves other than those of {shortened(first)}")
    blocks = len({position.block for position in asked.positions})
    groups = f" of {counted(blocks, 'block')}" if blocks < len(asked.positions) else ""
    caption(
        made,
        f"{counted(len(asked.positions), 'position')}{groups}, {asked.game.label}. Lines: 95 % "
        "intervals, in which positions of one block count as alike as they are."
        + (
            f" By ply: the first {len(LOOKS)} engines."
            if len(shown) > len(LOOKS) and by_ply
            else ""
        ),
    )
    return made


def _on_the_whole(axes: Axes, shown: Sequence[Difference]) -> None:
    for i, d in enumerate(shown):
        assert d.share is not None
        colour, marker = LOOKS[i] if i < len(LOOKS) else (RULE, ".")
        axes.plot([100 * d.share.low, 100 * d.share.high], [i, i], color=colour, lw=2)
        axes.plot(100 * d.share.mean, i, marker, color=colour, ms=6)
    axes.set_yticks(range(len(shown)), [d.name for d in shown])
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.set_xlim(left=0)
    axes.set_xlabel("other moves (%)")
    axes.grid(axis="x", color=PALE)
    axes.set_axisbelow(True)


def _by_ply(axes: Axes, shown: Sequence[Difference]) -> None:
    few = shown[: len(LOOKS)]
    for i, (d, (colour, marker)) in enumerate(zip(few, LOOKS, strict=False)):
        at = [(p.first + p.last) / 2 + 0.3 * (i - (len(few) - 1) / 2) for p in d.parts]
        for x, p in zip(at, d.parts, strict=True):
            axes.plot([x, x], [100 * p.share.low, 100 * p.share.high], color=colour, lw=1.5)
        shares = [100 * p.share.mean for p in d.parts]
        axes.plot(at, shares, marker=marker, color=colour, ms=5, lw=1, label=d.name)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("ply (middle of each part)")
    axes.set_ylabel("other moves (%)")
    axes.grid(color=PALE)
    axes.set_axisbelow(True)
    axes.legend(fontsize=8.5, frameon=False)
