"""The expected score over pairs of numeric parameters."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from joute.engines.kernels.compile import Floats
from joute.engines.parameter import Value
from joute.reports.plots.plot import Plot
from joute.reports.plots.style import (
    INK,
    ORANGE,
    PAPER,
    caption,
    colour_bar,
    log_ticks,
    panels,
    title,
)
from joute.reports.reading.search import Search, key_of
from joute.studies.tuner.axis import Axis
from joute.studies.tuner.domain import Point
from joute.studies.tuner.model.gp import chance

GRID = 31
EDGE = 1e-6  # percent by which the outer levels lie beyond all values
PAIRS = 6


class ContourPlot(Plot):
    """The expected score over pairs of numeric parameters."""

    name = "contour"
    summary = "the expected score over pairs of numeric parameters"
    title = "Score over pairs of parameters"
    place = 16
    of = "search"

    def wanted(self, search: Search) -> bool:
        """Tell whether there are two numbers among the parameters of the best point."""
        return len(search.trials) > 2 and bool(_pairs(search))

    def draw(self, search: Search) -> tuple[Figure, pd.DataFrame]:
        """Draw one panel a pair; the other parameters are those of the best point."""
        weight = {name: share[0] for name, share in search.importance.items()}
        pairs = sorted(_pairs(search), key=lambda p: -weight[p[0].name] - weight[p[1].name])
        shown = pairs[:PAIRS]
        made, cells = panels(len(shown), height=4.2)
        rows: list[dict[str, Any]] = []
        grids = [_grid(search, across, up) for across, up in shown]
        low = min(float(grid[2].min()) for grid in grids)
        high = max(float(grid[2].max()) for grid in grids)
        for (across, up), (xs, ys, score), axes in zip(shown, grids, cells, strict=True):
            _panel(made, axes, search, across, up, xs, ys, score, low, high)
            rows += [
                {"across": across.name, "x": x, "up": up.name, "y": y, "score": float(score[j, i])}
                for i, x in enumerate(xs)
                for j, y in enumerate(ys)
            ]
        title(cells[0], "Expected score (%) over pairs of parameters")
        rest, ring = "", "the default"
        if len(search.axes) > 2:
            rest = " The other parameters are at the best point, so the ring is not the default's score."
            ring = "the default's values of the two"
        left = f" {len(pairs) - PAIRS} more pairs are not shown." if len(pairs) > PAIRS else ""
        caption(
            made,
            f"By the model of all trials. Dots: trials; star: the best point; ring: {ring}."
            f"{rest}{left}",
        )
        return made, pd.DataFrame(rows)


def _pairs(search: Search) -> list[tuple[Axis, Axis]]:
    """Return the pairs of numbers that act together beside the choices of the best point."""
    numeric = [axis for axis in search.axes if axis.kind != "choice"]
    if len(numeric) < 2:
        return []
    return [
        (one, other)
        for one, other in combinations(numeric, 2)
        if {one.name, other.name} <= {*_beside(search, one, one.at(0.5), other, other.at(0.5))}
    ]


def _beside(search: Search, one: Axis, x: Value, other: Axis, y: Value) -> Point:
    """Return the best point with other values of two parameters."""
    return search.with_value(search.with_value(search.reported, one, x), other, y)


def _grid(search: Search, across: Axis, up: Axis) -> tuple[list[Value], list[Value], Floats]:
    xs, ys = search.values_of(across, GRID), search.values_of(up, GRID)
    points = [_beside(search, across, x, up, y) for y in ys for x in xs]
    mean, _ = search.surrogate.predict(search.space.places(points))
    return xs, ys, chance(mean).reshape(len(ys), len(xs))


def _panel(
    made: Figure,
    axes: Axes,
    search: Search,
    across: Axis,
    up: Axis,
    xs: list[Value],
    ys: list[Value],
    score: Floats,
    low: float,
    high: float,
) -> None:
    levels = np.linspace(100 * low, max(100 * high, 100 * low + 1), 13)
    gx, gy = [float(x) for x in xs], [float(y) for y in ys]
    levels[0], levels[-1] = levels[0] - EDGE, levels[-1] + EDGE
    image = axes.contourf(gx, gy, 100 * score, levels=levels, cmap="cividis")
    tried = [p for t in search.trials for p in (t.point, t.other) if p is not None]
    places = {key_of(point): point for point in tried}
    dots = [p for p in places.values() if across.name in p and up.name in p]
    axes.plot(
        [float(p[across.name]) for p in dots], [float(p[up.name]) for p in dots],
        ".", color=PAPER, ms=4, mec=INK, mew=0.4, ls="none",
    )  # fmt: skip
    for point, mark, colour in (
        (search.reported, "*", ORANGE),
        (search.default_point, "o", "none"),
    ):
        if across.name in point and up.name in point and search.inside(point):
            axes.plot(
                [float(point[across.name])], [float(point[up.name])], mark, ms=13,
                mfc=colour, mec=PAPER, mew=1.6, clip_on=False, zorder=5,
                path_effects=[withStroke(linewidth=3.2, foreground=INK)],
            )  # fmt: skip
    if across.log:
        axes.set_xscale("log")
    if up.log:
        axes.set_yscale("log")
    for axis, drawn in ((across, axes.xaxis), (up, axes.yaxis)):
        if axis.log:
            log_ticks(drawn)
        elif axis.kind == "int":
            drawn.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel(across.name)
    axes.set_ylabel(up.name)
    colour_bar(made, image, axes, "expected score (%)")
