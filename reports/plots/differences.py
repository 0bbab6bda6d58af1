"""The plot of a comparison: every engine's score in A and in B, and the difference, with intervals."""

from __future__ import annotations

import re

from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from joute.reports.compare.scores import ScoreLine
from joute.reports.plots.style import (
    BLUE,
    GREY,
    INK,
    NOTE,
    ORANGE,
    PALE,
    PAPER,
    RULE,
    caption,
    drawn,
    panels,
    title,
)
from joute.results.quantity import Quantity

ROWS = 40
"""Engines shown at most: those whose difference is the least likely to be luck."""
APART = 0.17
"""Distance of A and B from the middle of a row."""
LOOKS = {
    "A": (BLUE, "o"),
    "B": (ORANGE, "s"),
    "more than luck": (INK, "D"),
    "may be luck": (GREY, "o"),
}


def draw(lines: list[ScoreLine]) -> Figure:
    """Draw scores on the left and differences on the right, one row a line, in their order."""
    likely = sorted(lines, key=lambda line: 1.0 if line.p is None else line.p)[:ROWS]
    shown = [line for line in lines if line in likely]
    made, (scores, gaps) = panels(2, max(2.2, 1.3 + 0.42 * len(shown)), 9.2)
    for y, line in enumerate(shown):
        interval(scores, y - APART, line.scores[0], "A")
        interval(scores, y + APART, line.scores[1], "B")
        if line.p is None:
            gaps.text(0, y, "same games", ha="center", va="center", fontsize=8.5, color=NOTE)
        else:
            interval(gaps, y, line.difference, "more than luck" if line.real else "may be luck")
    staged = len({line.stage for line in shown}) > 1
    names = [f"{line.engine.label}{f' ({line.stage})' if staged else ''}" for line in shown]
    scores.set_yticks(range(len(shown)), map(folded, names))
    gaps.set_yticks(range(len(shown)), [])
    dress(scores, "Scores in A and B", "Score against the same opponents (%)", 50, ["A", "B"])
    keys = ["more than luck", "may be luck"]
    dress(gaps, "Difference", "B less A (percentage points)", 0, keys)
    more = f" {len(shown)} of {len(lines)} lines are shown: those least likely to be luck."
    caption(made, f"Lines are 95 % intervals.{more if len(shown) < len(lines) else ''}")
    return made


def interval(axes: Axes, y: float, quantity: Quantity, look: str) -> None:
    """Draw a value and its interval in percent at the height `y`."""
    colour, marker = LOOKS[look]
    low, middle, high = (100 * (x or 0.0) for x in (quantity.low, quantity.value, quantity.high))
    axes.plot([low, high], [y, y], color=colour, lw=2, solid_capstyle="butt")
    axes.plot(middle, y, marker, color=colour, ms=7, mec=PAPER, mew=0.8)


def dress(axes: Axes, name: str, below: str, middle: float, looks: list[str]) -> None:
    """Set a panel's title, axis, line of no difference and key."""
    axes.set_ylim(max(axes.get_yticks()) + 0.6, -0.6)
    axes.grid(axis="x", color=PALE)
    axes.set_axisbelow(True)
    axes.axvline(middle, color=RULE, lw=1, ls=":")
    axes.set_xlabel(below)
    title(axes, name)
    for look in looks:
        axes.plot([], [], LOOKS[look][1], color=LOOKS[look][0], label=look, ms=7)
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
    text = drawn(made, "svg").decode()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    return Markup(text)  # our own drawing, in which names are outlines
