"""The plot of a comparison: every engine's score in A and in B, and the difference, with intervals."""

from __future__ import annotations

import io
import re

import matplotlib
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.compare_lines import Line
from reports.plots.style import BLUE, DPI, GREY, INK, ORANGE, RC, caption, panels, title

ROWS = 40
"""Engines shown at most: those whose difference is the least likely to be luck."""
APART = 0.17
"""Distance of A and B from the middle of a row."""


def draw(lines: list[Line]) -> Figure:
    """Draw scores on the left and differences on the right, one row a line, in their order."""
    shown = sorted(lines, key=lambda line: 1.0 if line.p is None else line.p)[:ROWS]
    shown = [line for line in lines if line in shown]
    staged = len({line.stage for line in shown}) > 1
    made, (scores, gaps) = panels(2, max(2.2, 1.3 + 0.42 * len(shown)), 9.2)
    for y, line in enumerate(shown):
        _side(scores, y - APART, line.a.score, line.a.low, line.a.high, BLUE, "o")
        _side(scores, y + APART, line.b.score, line.b.low, line.b.high, ORANGE, "s")
        if line.low is None or line.high is None:
            gaps.text(0, y, "same games", ha="center", va="center", fontsize=8.5, color="#444444")
            continue
        colour, marker = (INK, "D") if line.real else (GREY, "o")
        _side(gaps, y, line.difference, line.low, line.high, colour, marker)
    for axes in (scores, gaps):
        axes.set_ylim(len(shown) - 0.4, -0.6)
        axes.grid(axis="x", color="#E6E6E6")
        axes.set_axisbelow(True)
    names = [
        folded(f"{one.engine.label} ({one.stage})" if staged else one.engine.label) for one in shown
    ]
    scores.set_yticks(range(len(shown)), names, parse_math=False)
    gaps.set_yticks(range(len(shown)), [])
    scores.axvline(50, color="#666666", lw=1, ls=":")
    gaps.axvline(0, color="#666666", lw=1, ls=":")
    scores.set_xlabel("Score against the same opponents (%)")
    gaps.set_xlabel("B less A (percentage points)")
    title(scores, "Scores in A and B")
    title(gaps, "Difference")
    _key(scores, [(BLUE, "o", "A"), (ORANGE, "s", "B")])
    _key(gaps, [(INK, "D", "more than luck"), (GREY, "o", "may be luck")])
    more = f" {len(shown)} of {len(lines)} lines are shown, the least likely to be luck."
    caption(made, f"Lines are 95 % intervals.{more if len(shown) < len(lines) else ''}")
    return made


def _side(
    axes: Axes, y: float, middle: float, low: float, high: float, colour: str, marker: str
) -> None:
    axes.plot([100 * low, 100 * high], [y, y], color=colour, lw=2, solid_capstyle="butt")
    axes.plot(100 * middle, y, marker, color=colour, ms=7, mec="white", mew=0.8)


def _key(axes: Axes, entries: list[tuple[str, str, str]]) -> None:
    for colour, marker, label in entries:
        axes.plot([], [], marker, color=colour, label=label, ms=7)
    axes.legend(
        loc="lower right", bbox_to_anchor=(1, 1), ncols=2, fontsize=8.5, frameon=False,
        handletextpad=0.2, columnspacing=0.8, borderaxespad=0.1,
    )  # fmt: skip


def folded(name: str, width: int = 30) -> str:
    """Return a long name on several lines, broken after commas, spaces and slashes."""
    lines = [""]
    for word in re.split(r"(?<=[, /:])", name):
        if lines[-1] and len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] += word
    return "\n".join(lines)


def svg(made: Figure) -> Markup:
    """Return the figure for use inside a page: no XML header, the same text for the same figure."""
    buffer = io.BytesIO()
    with matplotlib.rc_context(RC):
        made.savefig(buffer, format="svg", dpi=DPI, metadata={"Date": None})
    text = buffer.getvalue().decode()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    return Markup(text)  # our own drawing, in which names are outlines
