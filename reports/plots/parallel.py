"""Every trial as a line through its parameters, coloured by the model's estimate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from joute.engines.parameter import Value, text_of
from joute.reports.plots.plot import Plot
from joute.reports.plots.style import PAPER, RULE, caption, colour_bar, figure, title
from joute.reports.reading.search import Search
from joute.reports.ticks import round_ticks
from joute.results.tables import trials_table
from joute.studies.tuner.axis import Axis
from joute.studies.tuner.model.gp import chance

ROOM = 64  # bold letters from the first line to the last


class ParallelPlot(Plot):
    """Every trial as a line through its parameters, coloured by the model's estimate."""

    name = "parallel"
    summary = (
        "every trial as a line through its parameters, coloured by the score that the model expects"
    )
    title = "Trials through their parameters"
    place = 18
    of = "search"

    def wanted(self, search: Search) -> bool:
        """Tell whether several parameters were searched in trials worth a line each."""
        return search.kind != "scan" and len(search.axes) > 1 and len(search.trials) > 2

    def draw(self, search: Search) -> tuple[Figure, pd.DataFrame]:
        """Draw the lines, the best on top; a parameter without effect is at the bottom."""
        mean, _ = search.surrogate.predict(search.space.places([t.point for t in search.trials]))
        believed = 100 * chance(mean)
        made, axes = figure()
        scale = Normalize(
            float(believed.min()), max(float(believed.max()), float(believed.min()) + 1)
        )
        colours = colormaps["cividis"]
        for i in np.argsort(believed):
            point = search.trials[int(i)].point
            ys = [_height(axis, point.get(axis.name)) for axis in search.axes]
            lit = float(scale(believed[i]))
            axes.plot(
                range(len(ys)), ys, color=colours(lit), lw=0.8 + 1.4 * lit, alpha=0.35 + 0.6 * lit
            )
        for x, axis in enumerate(search.axes):
            axes.axvline(x, color=RULE, lw=1)
            _ticks(axes, x, axis)
        axes.set_xticks(
            range(len(search.axes)), [axis.name for axis in search.axes], fontweight="bold",
            **_slanted([axis.name for axis in search.axes]),
        )  # fmt: skip
        axes.set_yticks([])
        axes.set_ylim(-0.18, 1.06)
        axes.set_xlim(-0.35, len(search.axes) - 0.55)
        for side in ("left", "bottom"):
            axes.spines[side].set_visible(False)
        colour_bar(made, ScalarMappable(scale, "cividis"), axes, "expected score (%)", 0.9)
        title(axes, f"{self.title}, best on top")
        caption(
            made,
            "A line is a trial, thicker the higher its expected score. It touches the bottom where a "
            "parameter has no effect at that point.",
        )
        numbers = trials_table(search.results)
        numbers["believed"] = believed / 100
        return made, numbers


def _slanted(names: Sequence[str]) -> dict[str, Any]:
    """Return how names are written under lines: slanted where they are too long to stand side by side."""
    room = ROOM / max(len(names) - 1, 1)
    return {"rotation": 25, "ha": "right"} if max(map(len, names)) > room else {}


def _height(axis: Axis, value: Value | None) -> float:
    if value is None:
        return -0.12
    if axis.kind == "choice":
        return axis.choices.index(str(value)) / max(len(axis.choices) - 1, 1)
    return axis.place(value)


def _ticks(axes: Axes, x: int, axis: Axis) -> None:
    values: list[Value] = list(axis.choices) if axis.kind == "choice" else []
    if not values:
        values = list(dict.fromkeys(map(axis.tidy, round_ticks(axis.low, axis.high, axis.log))))
    for value in values:
        axes.text(
            x + 0.02, _height(axis, value), text_of(value), fontsize=8.5, va="center",
            bbox={"facecolor": PAPER, "alpha": 0.75, "edgecolor": "none", "pad": 1},
        )  # fmt: skip
