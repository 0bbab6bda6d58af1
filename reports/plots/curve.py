"""The score over each searched parameter: games in bins with intervals, the model with its band."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from joute.reports.plots.plot import Plot
from joute.reports.plots.style import BLUE, GREY, ORANGE, PALE, caption, log_ticks, panels, title
from joute.reports.reading.binned import binned
from joute.reports.reading.search import Curve, Search
from joute.reports.reading.search_answer import range_text
from joute.reports.reading.words import listed
from joute.studies.tuner.axis import Axis


class CurvePlot(Plot):
    """The score over each searched parameter: games in bins with intervals, the model with its band."""

    name = "curve"
    summary = "the score over each searched parameter: games in bins with intervals, the model with its band"
    title = "Score over each parameter"
    place = 10
    leads = True
    of = "search"

    def wanted(self, search: Search) -> bool:
        """Tell whether a trial is finished."""
        return len(search.trials) > 0

    def draw(self, search: Search) -> tuple[Figure, pd.DataFrame]:
        """Draw one panel a parameter."""
        made, cells = panels(len(search.axes))
        level = level_of(search)
        rows: list[dict[str, Any]] = []
        for axis, axes in zip(search.axes, cells, strict=True):
            curve = search.curve(axis)
            bins = binned(search, axis, curve)
            _panel(axes, search, axis, bins, curve)
            if level is not None:
                axes.axhline(level, color=ORANGE, ls="--", lw=0.9)
            rows += [{"parameter": axis.name, "what": "blocks", **row} for row in bins]
            rows += [
                {
                    "parameter": axis.name,
                    "what": "model",
                    "value": value,
                    "games": None,
                    "score": float(mean),
                    "score_low": float(low),
                    "score_high": float(high),
                }
                for value, mean, low, high in zip(
                    curve.values, curve.mean, curve.low, curve.high, strict=True
                )
            ]
        if len(cells) > 1:
            ends = [axes.get_ylim() for axes in cells]
            for axes in cells:  # one scale, so that slopes can be compared
                axes.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))
        over = "each parameter" if len(cells) > 1 else search.axes[0].name
        over += ", averaged over the others" if len(cells) > 1 and search.kind == "scan" else ""
        title(cells[0], f"Score against {listed(search.against)} over {over}")
        dots, model = "", "the model of all games"
        if len(search.axes) > 1:
            dots = ", each adjusted by the model for its other parameters"
            others = "averaged over" if search.kind == "scan" else "at the best point in"
            model += f", {others} the other parameters"
        caption(
            made,
            f"Dots: games in bins, with 95 % intervals{dots}. {drawn_as(search.axes)}: {model}, with its "
            f"95 % {'interval' if all_choices(search.axes) else 'band'}. Dashed: the default's value"
            f"{'' if level is None else ', and across its score'}. Shaded: where the best "
            "value may lie (95 %)."
            + (
                " Dotted: values that the study marks." if any(a.marks for a in search.axes) else ""
            ),
        )
        return made, pd.DataFrame(rows)


def all_choices(axes: Sequence[Axis]) -> bool:
    """Whether no parameter is a number."""
    return all(axis.kind == "choice" for axis in axes)


def drawn_as(axes: Sequence[Axis]) -> str:
    """Return how the model is drawn: a line over numbers, squares at choices."""
    if all_choices(axes):
        return "Squares"
    return "Line (squares at choices)" if any(axis.kind == "choice" for axis in axes) else "Line"


def level_of(search: Search) -> float | None:
    """Return the default's score in a tune study, in percent, as its curves have it; None outside the ranges,
    and in a scan, whose curves are of no one point.
    """
    default = search.default_point
    if search.kind == "scan" or not default or not search.inside(default):
        return None
    return 100 * search.level(default)


def _panel(
    axes: Axes, search: Search, axis: Axis, bins: list[dict[str, Any]], curve: Curve
) -> None:
    place = {value: i for i, value in enumerate(axis.choices)}

    def at(value: Any) -> float:
        return float(place[str(value)]) if axis.kind == "choice" else float(value)

    xs = [at(value) for value in curve.values]
    mean, low, high = 100 * curve.mean, 100 * curve.low, 100 * curve.high
    if axis.kind == "choice":
        axes.errorbar(
            [x + 0.12 for x in xs], mean, [mean - low, high - mean], fmt="s", color=BLUE, capsize=4
        )
        axes.set_xticks(xs, list(axis.choices))
        axes.set_xlim(-0.6, len(xs) - 0.4)
    else:
        axes.fill_between(xs, low, high, color=BLUE, alpha=0.18, lw=0)
        axes.plot(xs, mean, color=BLUE, lw=2)
    for row in bins:
        score = 100 * row["score"]
        bars = [[score - 100 * row["score_low"]], [100 * row["score_high"] - score]]
        x = at(row["value"]) - (0.12 if axis.kind == "choice" else 0)
        axes.errorbar([x], [score], bars, fmt="o", color=GREY, ms=4, lw=1, capsize=2)
    if axis.log:
        axes.set_xscale("log")
        log_ticks(axes.xaxis)
    value = search.default_point.get(axis.name)
    shown = (
        value in axis.choices
        if axis.kind == "choice"
        else (value is not None and axis.low <= float(value) <= axis.high)
    )
    if shown:
        axes.axvline(at(value), color=ORANGE, ls="--", lw=1.4)
    for mark in axis.marks:
        axes.axvline(mark, color=GREY, ls=":", lw=1.2)
        axes.annotate(f" {mark:g}", (mark, 0.01), xycoords=("data", "axes fraction"), color=GREY,
                      fontsize=8.5, rotation=90, va="bottom", ha="right")  # fmt: skip
    ends = search.best_ranges.get(axis.name)
    if isinstance(ends, tuple):
        axes.axvspan(float(ends[0]), float(ends[1]), color=BLUE, alpha=0.06, lw=0)
    axes.set_xlabel(f"{axis.name} (best: {range_text(search, axis.name)})")
    axes.set_ylabel("score (%)")
    axes.grid(color=PALE)
    axes.set_axisbelow(True)
