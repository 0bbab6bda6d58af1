"""The style of charts: colours safe for the colour-blind, sizes for a laptop, atomic files."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, cast

import matplotlib
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Annotation, Text
from matplotlib.ticker import FixedLocator, FuncFormatter, Locator, MaxNLocator, NullFormatter

from joute.engines.errors import Refused, cut
from joute.engines.parameter import text_of
from joute.reports.ticks import round_ticks
from joute.results.tables import write_atomically

# Okabe and Ito's palette.
BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
GREY = "#8A8A8A"
# These follow the page on which a plot is shown, light or dark; what lies on a coloured cell does not.
PAPER, INK, NOTE, RULE, PALE = "#FFFFFF", "#1A1A1A", "#444444", "#666666", "#EBEBEB"
ON_DARK, ON_LIGHT = "#FEFEFE", "#111111"
WIDTH, HEIGHT, DPI = 8.0, 5.0, 110
SHARP = 2  # pixels of a PNG for one of the page: for screens of twice the density, and for paper
LONGEST = 48  # characters of a name, about half the width
RC: dict[Any, Any] = {
    "font.size": 10,
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": RULE,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "svg.fonttype": "path",
    "svg.hashsalt": "joute",
    "text.parse_math": False,  # a name is a text, whatever signs are in it
}


_given: ContextVar[Axes | None] = ContextVar("given", default=None)


@contextmanager
def drawing_on(axes: Axes) -> Iterator[None]:
    """Draw into given axes within the context, instead of a new figure."""
    before = _given.set(axes)
    try:
        yield
    finally:
        _given.reset(before)


class RoundLocator(Locator):
    """A few round values along a logarithmic axis."""

    def __call__(self) -> list[float]:
        """Return the values in view."""
        assert isinstance(self.axis, Axis)
        return self.tick_values(*self.axis.get_view_interval())

    def tick_values(self, vmin: float, vmax: float) -> list[float]:
        """Return the values between two."""
        return round_ticks(float(vmin), float(vmax), log=True)


class Picture(Figure):
    """A figure that notebooks show by themselves."""

    def _repr_png_(self) -> bytes:
        return drawn(self, "png")


def figure(height: float = HEIGHT, width: float = WIDTH) -> tuple[Figure, Axes]:
    """Return a new figure on a white card, of a size in inches, and its axes; or the given ones
    (`drawing_on`), whose figure may be part of another one.
    """
    if (given := _given.get()) is not None:
        return cast(Figure, given.figure), given
    with matplotlib.rc_context(RC):
        made = Picture(figsize=(width, height), dpi=DPI, layout="constrained", facecolor=PAPER)
        FigureCanvasAgg(made)
        return made, made.subplots()


def panels(count: int, height: float = 3.4, width: float = WIDTH) -> tuple[Figure, list[Axes]]:
    """Return a figure of `count` panels, two in a row (a single one fills it), and their axes."""
    if (given := _given.get()) is not None:
        if count > 1:
            raise Refused(f"this plot has {count} panels: call it without ax")
        return cast(Figure, given.figure), [given]
    columns = 1 if count == 1 else 2
    rows = -(-count // columns)
    with matplotlib.rc_context(RC):
        tall = HEIGHT if count == 1 else 0.6 + height * rows
        made = Picture(figsize=(width, tall), dpi=DPI, layout="constrained", facecolor=PAPER)
        FigureCanvasAgg(made)
        cells = [made.add_subplot(rows, columns, i + 1) for i in range(count)]
        return made, cells


def title(axes: Axes, text: str) -> None:
    """Set the title, which says what is shown: of given axes theirs, else that of the figure, over all
    its panels and from its left edge, wrapped to its width.
    """
    if _given.get() is not None:
        axes.set_title(text, loc="left", fontsize=12, fontweight="bold", pad=10)
        return
    made = cast(Figure, axes.figure)
    wrapped = "\n".join(textwrap.wrap(text, int(made.get_figwidth() * 8.4)))
    made.suptitle(wrapped, x=0.01, ha="left", fontsize=12, fontweight="bold")


def caption(made: Figure, text: str) -> None:
    """Write a note under the chart, wrapped to its width."""
    if text and _given.get() is None:
        columns = int(made.get_figwidth() * 14.5)
        wrapped = "\n".join(textwrap.wrap(text, columns))
        made.supxlabel(wrapped, x=0.01, ha="left", fontsize=8.5, color=NOTE)


def colour_bar(
    made: Figure, image: Any, axes: Axes | list[Axes], label: str, shrink: float = 1.0
) -> None:
    """Draw what the colours of an image mean, beside its axes, with round numbers of its range."""
    with matplotlib.rc_context(RC):
        bar = made.colorbar(image, ax=axes, label=label, shrink=shrink)
        low, high = bar.ax.get_ylim()
        ticks = MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(low, high)
        bar.set_ticks([tick for tick in ticks if low <= tick <= high])


def log_ticks(axis: Axis) -> None:
    """Write round values along a logarithmic axis, as plain numbers."""
    axis.set_major_locator(RoundLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: text_of(float(f"{value:.6g}"))))
    axis.set_minor_formatter(NullFormatter())


def numbered(axes: Axes, label: str, letters: float = 8.5) -> None:
    """Finish axes along whole numbers: their label, pale lines behind, a legend."""
    axes.set_xlabel(label)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(color=PALE)
    axes.set_axisbelow(True)
    axes.legend(fontsize=letters, frameon=False)


def with_plain_texts(made: Figure) -> None:
    """Make matplotlib take every text literally: a name is no formula. Names beside axes, in legends
    and beside points are shortened, for wider than the figure they would leave no room for the axes.
    What has matplotlib's own black gets ours.
    """
    for axes in made.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if isinstance(axis.get_major_locator(), FixedLocator):
                labels = [label.get_text() for label in axis.get_ticklabels()]
                if any(label != shortened(label) for label in labels):
                    axis.set_ticklabels([shortened(label) for label in labels])
    notes = [text for legend in made.findobj(Legend) for text in legend.get_texts()]
    for text in [*notes, *made.findobj(Annotation)]:
        text.set_text(shortened(text.get_text()))
    for text in made.findobj(Text):
        text.set_parse_math(False)
        if text.get_color() == "black":
            text.set_color(INK)


def shortened(label: str) -> str:
    """Return a label with lines of no more than `LONGEST` characters, without their middle."""
    return "\n".join(cut(line, LONGEST) for line in label.split("\n"))


def drawn(made: Figure, kind: str) -> bytes:
    """Return the figure as "png" or "svg", the same bytes for the same figure; no text is a formula."""
    with_plain_texts(made)
    buffer = io.BytesIO()
    metadata = {"Software": None} if kind == "png" else {"Date": None}
    with matplotlib.rc_context(RC):
        made.savefig(
            buffer, format=kind, dpi=SHARP * DPI if kind == "png" else DPI, metadata=metadata
        )
    return buffer.getvalue()


def save(made: Figure, folder: Path, name: str) -> None:
    """Write the figure as PNG and as SVG."""
    folder.mkdir(exist_ok=True)
    for kind in ("png", "svg"):
        write_atomically(folder / f"{name}.{kind}", drawn(made, kind))
