"""The score over two parameters: one cell a combination, with its 95 % half-interval."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from joute.reports.plots.plot import Plot
from joute.reports.plots.style import ON_DARK, ON_LIGHT, WIDTH, caption, colour_bar, figure, title
from joute.results.frames import Results
from joute.results.quantity import whole
from joute.results.standings import standings_table

CELLS = 400
"""Cells shown at most."""


class HeatmapPlot(Plot):
    """The score over two parameters: one cell a combination, with its 95 % half-interval."""

    name = "heatmap"
    summary = "the score over two parameters: one cell per combination, with half its 95 % interval"
    title = "Score over two parameters"
    place = 20
    leads = True

    def wanted(self, results: Results) -> bool:
        """Tell whether exactly two parameters vary, both numbers, and most cells hold an engine."""
        names = varied(results)
        if len(names) != 2 or len(results.seats) == 0:
            return False
        values = [value for name in names for value in results.engines[name]]
        if not all(isinstance(value, int | float) for value in values):
            return False
        cells = results.engines[names[0]].nunique() * results.engines[names[1]].nunique()
        engines = set(results.of_stage(results.seats, _widest(results))["engine"])
        met = results.engines[results.engines["name"].isin(engines)]
        filled = len(met.drop_duplicates(names))
        return cells <= CELLS and filled > met[names[0]].nunique() * met[names[1]].nunique() / 2

    def draw(self, results: Results) -> tuple[Figure, pd.DataFrame]:
        """Draw the stage in which most engines met, one cell an engine."""
        stage = _widest(results)
        table = standings_table(results, stage)
        across, up = _axes(results, table)
        unit = unit_of(results, stage, table)
        columns = [*unit.columns, "tied_with_best", "games"]
        numbers = table[["stage", "group", up, across, "engine", *columns]]
        numbers = numbers.sort_values([up, across, "group"], ignore_index=True)
        cells = numbers.drop_duplicates([up, across])
        xs, ys = (sorted(set(cells[name])) for name in (across, up))
        grid = np.full((len(ys), len(xs)), np.nan)
        made, axes = figure(1.9 + 0.62 * len(ys), max(WIDTH, 2.2 + 0.78 * len(xs)))
        value, middle = unit.columns[0], unit.middle
        best = cells.groupby("group")[value].transform("max")
        reach = max(10.0, *(abs(unit.scale * one - middle) for one in cells[value]))
        for row, top in zip(cells.to_dict("records"), cells[value] == best, strict=True):
            x, y = xs.index(row[across]), ys.index(row[up])
            grid[y, x] = unit.scale * row[value]
            _annotate(axes, x, y, row, bool(top), 0.6 * reach, unit)
        image = axes.imshow(
            *(grid,), cmap="RdBu", norm=Normalize(middle - reach, middle + reach), origin="lower",
            aspect="auto",
        )  # fmt: skip
        colour_bar(made, image, axes, unit.label, 0.9)
        axes.set_xticks(range(len(xs)), [f"{x:g}" for x in xs])
        axes.set_yticks(range(len(ys)), [f"{y:g}" for y in ys])
        axes.set_xlabel(across)
        axes.set_ylabel(up)
        title(axes, f"{unit.name} by {up} and {across}: stage “{stage}”")
        text = f"{_caption(table, up, across, unit)} Dots: not told from it."
        if stage != results.stages[-1]:
            text += f" A later stage, “{results.stages[-1]}”, names the best of all."
        caption(made, text)
        return made, numbers


class Unit(NamedTuple):
    """What a cell shows: columns of the standings (value and the ends of its interval), a factor on
    them, the middle of the scale, the format of the sign, and words for title, colour bar and caption.
    """

    columns: tuple[str, str, str]
    scale: float
    middle: float
    sign: str
    name: str
    label: str
    words: str


def unit_of(results: Results, stage: str, table: pd.DataFrame) -> Unit:
    """Return the unit of a stage: scores, or ratings where opponents differ in strength and all are known."""
    half = "and half the width of its 95 % interval"
    if results.adaptive(stage) and table["elo"].notna().all():
        return Unit(("elo", "elo_low", "elo_high"), 1.0, 0.0, "+", "Elo", "Elo", f"Elo {half}")
    label = "score (%)" if results.players == 2 else "mean return (%)"
    columns = ("score", "score_low", "score_high")
    return Unit(columns, 100.0, 50.0, "", "Score (%)", label, f"score {half}, in percent")


def _widest(results: Results) -> str:
    """Return the stage in which most engines met."""
    return max(results.stages, key=lambda s: results.of_stage(results.seats, s)["engine"].nunique())


def varied(results: Results) -> list[str]:
    """Return the parameters that all engines have and that vary among them."""
    return [p for p in results.grid if all(value is not None for value in results.engines[p])]


def _axes(results: Results, table: pd.DataFrame) -> tuple[str, str]:
    """Choose the parameters across and up: rows are those that groups hold fixed, if any."""
    one, two = varied(results)
    for up, across in ((one, two), (two, one)):
        if table["group"].nunique() > 1 and (table.groupby("group")[up].nunique() == 1).all():
            return across, up
    return (two, one) if table[one].nunique() <= table[two].nunique() else (one, two)


def _annotate(
    axes: Any, x: int, y: int, row: dict[Any, Any], top: bool, pale: float, unit: Unit
) -> None:
    value, low, high = (unit.scale * row[name] for name in unit.columns)
    dark, weight = abs(value - unit.middle) > pale, "bold" if top else "normal"
    colour, half = ON_DARK if dark else ON_LIGHT, (high - low) / 2
    axes.text(
        x, y, f"{whole(value, unit.sign)}\n±{whole(half)}", ha="center", va="center", fontsize=9.5,
        color=colour, fontweight=weight,
    )  # fmt: skip
    if row["tied_with_best"] and not top:
        axes.plot(x + 0.37, y + 0.34, ".", color=colour, ms=6)
    if top:
        axes.add_patch(Rectangle((x - 0.47, y - 0.46), 0.94, 0.92, fill=False, ec=colour, lw=1.6))


def _caption(table: pd.DataFrame, up: str, across: str, unit: Unit) -> str:
    text = f"Each cell: {unit.words}"
    if table["group"].nunique() < 2:
        return f"{text}. Framed: the best here."
    if (table.groupby("group")[up].nunique() == 1).all():
        return (
            f"{text}. Each row ({up}) is a separate round robin: engines of different rows did "
            f"not meet. Compare along a row, never down a column. Framed: the best of each row."
        )
    return (
        f"{text}. The scores come from separate round robins ({up}, {across}): compare only "
        f"engines of the same one. Framed: the best of each."
    )
