"""Regret against games, one panel a problem, six panels a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from benchmarks.tuners.ours import NAME
from benchmarks.tuners.problems import find_problem
from benchmarks.tuners.rivals import RIVALS
from benchmarks.tuners.run import NO_DEFAULT, Row, tuner_names
from benchmarks.tuners.table import group, present, regret
from joute.reports.plots.style import (
    BLUE,
    DPI,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PURPLE,
    RC,
    caption,
    drawn,
)
from joute.results.tables import write_atomically

PAGE = 6
FLOOR = 1e-4
"""Smaller regrets are drawn here: 0.07 Elo."""

SKY, GOLD, BLACK = "#56B4E9", "#E69F00", INK  # the rest of Okabe and Ito's palette
LOOKS = {
    NAME: (BLUE, "o", "-"),
    "clop": (ORANGE, "s", "-"),
    "spsa": (GREEN, "^", "-"),
    "spsa-log": (GREEN, "2", ":"),
    "spsa-duel": (GREEN, "<", "-."),
    "spsa-duel-10": (GREEN, ">", "-."),
    "spsa-duel-50": (GREEN, "p", "-."),
    "tree": (PURPLE, "D", "-"),
    "tpe": (SKY, "v", "-"),
    "cmaes": (GOLD, "P", "-"),
    "gp": (BLACK, "X", "-"),
    "random": (GREY, "x", "--"),
}


def pictures(rows: Sequence[Row], folder: Path) -> list[Path]:
    """Write `regret-1.png` and so on into a folder, of runs without a default; return the files.

    Problems without possible loss have no panel; runs with the most games are drawn.
    """
    free = [row for row in rows if row["default"] == NO_DEFAULT]
    free = [row for row in free if row["games"] == max(other["games"] for other in free)]
    known = [name for name in present(free, "problem") if _loses(free, name)]
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number, first in enumerate(range(0, len(known), PAGE), 1):
        path = folder / f"regret-{number}.png"
        write_atomically(path, drawn(_page(free, known[first : first + PAGE]), "png"))
        written.append(path)
    return written


def _loses(rows: Sequence[Row], problem: str) -> bool:
    return any(c["regret"] > 0 for r in rows if r["problem"] == problem for c in r["checkpoints"])


def _page(rows: Sequence[Row], problems: Sequence[str]) -> Figure:
    columns = min(3, len(problems))
    height = -(-len(problems) // columns)
    with matplotlib.rc_context(RC):
        size = (1.2 + 3.6 * columns, 1.3 + 2.9 * height)
        made = Figure(figsize=size, dpi=DPI, layout="constrained", facecolor="white")
        FigureCanvasAgg(made)
        tuners = [name for name in tuner_names() if name in present(rows, "tuner")]
        for place, problem in enumerate(problems):
            axes = made.add_subplot(height, columns, place + 1)
            _panel(axes, rows, problem, tuners)
            if place % columns == 0:
                axes.set_ylabel("mean regret of the score")
            if place >= len(problems) - columns:
                axes.set_xlabel("games")
        handles = {
            label: handle
            for axes in made.axes
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        shown = [name for name in tuners if _label(name) in handles]
        made.legend(
            [handles[_label(name)] for name in shown],
            [_label(name) for name in shown],
            loc="outside upper center",
            ncols=min(9, len(shown)),
            frameon=False,
        )
        caption(
            made,
            "Best expected score less that of the recommended point: 0.007 is about 5 Elo. Bands: one "
            "standard error over the seeds. Regrets below 0.0001 are drawn there.",
        )
    return made


def _panel(axes: Axes, rows: Sequence[Row], problem: str, tuners: Sequence[str]) -> None:
    games = rows[0]["games"]
    for tuner in tuners:
        own = group(rows, problem, tuner, games)
        if not own:
            continue
        points = np.array([c["games"] for c in own[0]["checkpoints"]])
        regrets = [regret(own, int(point)) for point in points]
        values = np.array([estimate.value for estimate in regrets])
        errors = np.nan_to_num(np.array([estimate.error for estimate in regrets]))
        colour, marker, line = LOOKS[tuner]
        own_line = tuner == NAME
        axes.plot(
            points, np.maximum(values, FLOOR), line, color=colour, marker=marker, label=_label(tuner),
            lw=2.2 if own_line else 1.3, ms=6 if own_line else 5, zorder=3 if own_line else 2,
        )  # fmt: skip
        low, high = np.maximum(values - errors, FLOOR), np.maximum(values + errors, FLOOR)
        axes.fill_between(points, low, high, color=colour, alpha=0.15, lw=0)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(points, [f"{p:,}" for p in points])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.grid(axis="y", color="#DDDDDD", lw=0.6)
    about = find_problem(problem)
    axes.set_title(f"{problem}: {about.summary}", fontsize=10)


def _label(tuner: str) -> str:
    oracle = tuner in RIVALS and RIVALS[tuner].oracle
    return f"{tuner} (oracle)" if oracle else tuner
