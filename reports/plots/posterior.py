"""Where the best value of each parameter may lie, by all games of a tune study."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from joute.engines.parameter import Value, text_of
from joute.reports.plots.plot import Plot
from joute.reports.plots.style import (
    BLUE,
    GREEN,
    ORANGE,
    PALE,
    PAPER,
    caption,
    log_ticks,
    panels,
    title,
)
from joute.reports.reading.search import Search
from joute.studies.tuner.answer import Effect
from joute.studies.tuner.axis import Axis

BINS = 24
FEW = 30  # values up to which each has a bar of its own


class PosteriorPlot(Plot):
    """Where the best value of each parameter may lie, by all games of a tune study."""

    name = "posterior"
    summary = "where the best value of each parameter may lie, by all games of a tune study"
    title = "Where the best point may lie"
    place = 11
    leads = True
    of = "search"

    def wanted(self, search: Search) -> bool:
        """Tell whether this is a tune study with trials to read."""
        return search.kind != "scan" and len(search.trials) > 2

    def draw(self, search: Search) -> tuple[Figure, pd.DataFrame]:
        """Draw one panel a parameter: how often draws of the model have their top at a value."""
        made, cells = panels(len(search.axes), height=2.6)
        rows: list[dict[str, Any]] = []
        for axis, effect, axes in zip(search.axes, search.effects, cells, strict=True):
            values = [top[axis.name] for top in search.tops if axis.name in top]
            bars = shares(axis, values)
            _panel(axes, search, axis, effect, bars)
            rows += [{"parameter": axis.name, **bar} for bar in bars]
        title(cells[0], self.title)
        caption(
            made,
            "Bars: the chance that the best point of the space has a value there, by the model of "
            "all "
            "games. Shaded: the middle 80 %. Dashed: the default. Solid: the best point found.",
        )
        return made, pd.DataFrame(rows, columns=["parameter", "low", "high", "chance"])


def shares(axis: Axis, values: list[Value]) -> list[dict[str, Any]]:
    """Return the chance of each value, or of each bin of equal width on the axis' scale."""
    whole = max(len(values), 1)
    if axis.kind == "choice" or (axis.discrete and axis.count <= FEW):
        each = axis.values()
        return [{"low": v, "high": v, "chance": values.count(v) / whole} for v in each]
    edges = np.linspace(0, 1, BINS + 1)
    counts, _ = np.histogram([axis.place(v) for v in values], edges)
    ends = [axis.value(float(edge)) for edge in edges]
    return [
        {"low": low, "high": high, "chance": int(n) / whole}
        for low, high, n in zip(ends[:-1], ends[1:], counts, strict=True)
    ]


def _panel(
    axes: Axes, search: Search, axis: Axis, effect: Effect, bars: list[dict[str, Any]]
) -> None:
    choice = axis.kind == "choice"
    lone = all(bar["low"] == bar["high"] for bar in bars)

    def at(value: Any) -> float:
        return float(axis.choices.index(str(value))) if choice else float(value)

    heights = [100 * bar["chance"] for bar in bars]
    lows, highs = [at(bar["low"]) for bar in bars], [at(bar["high"]) for bar in bars]
    if lone:
        gap = min(np.diff(lows), default=1.0)
        axes.bar(lows, heights, 0.7 * gap, color=BLUE, alpha=0.75)
    else:
        wide = [high - low for low, high in zip(lows, highs, strict=True)]
        axes.bar(lows, heights, wide, align="edge", color=BLUE, alpha=0.75, ec=PAPER, lw=0.4)
    if choice:
        axes.set_xticks(range(len(axis.choices)), list(axis.choices))
    if effect.low is not None and effect.high is not None:
        axes.axvspan(effect.low, effect.high, color=BLUE, alpha=0.1, lw=0)
    default = search.default_point.get(axis.name)
    if default is not None and search.inside({axis.name: default}):
        axes.axvline(at(default), color=ORANGE, ls="--", lw=1.6)
    if effect.value is not None:
        axes.axvline(at(effect.value), color=GREEN, lw=1.6)
    if axis.log:
        axes.set_xscale("log")
        log_ticks(axes.xaxis)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(f"{axis.name}{value_text(effect)}")
    axes.set_ylabel("chance (%)")
    axes.grid(color=PALE, axis="y")
    axes.set_axisbelow(True)


def value_text(effect: Effect) -> str:
    """Return the recommended value of a parameter, with its 80 % interval, as text."""
    if effect.value is None:
        return ": no effect at the best point"
    text = f" = {text_of(effect.value)}"
    if effect.low is not None and effect.high is not None:
        low, high = text_of(effect.low), text_of(effect.high)
        text += f" (80 %: {low})" if low == high else f" (80 %: {low} to {high})"
    return text if effect.detected else f"{text}\nno detectable effect"
