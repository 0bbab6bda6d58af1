"""The plots: one file each, found by a scan of this folder.

A plot is a module with `NAME` (its file name), `TITLE`, `PLACE` (they are shown from low to high),
`wanted(results) -> bool` and `draw(results) -> (Figure, DataFrame of the numbers shown)`. It gets
the games that engines played against each other, or, with `OF = "search"`, the trials of a search.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

import pandas as pd
from matplotlib.figure import Figure

from reports.page.search import Search
from reports.plots.style import save
from results.frames import Results
from results.tables import write_csv


class Plot(Protocol):
    """What a module of this folder offers."""

    NAME: str
    TITLE: str
    PLACE: int

    def wanted(self, results: Any) -> bool:
        """Tell whether the run has what the plot shows."""

    def draw(self, results: Any) -> tuple[Figure, pd.DataFrame]:
        """Draw it, and return the numbers shown."""


def found() -> list[Plot]:
    """Return every plot of this folder, in the order in which they are shown."""
    modules = [import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__)]
    plots = [cast(Plot, module) for module in modules if hasattr(module, "draw")]
    return sorted(plots, key=lambda plot: (plot.PLACE, plot.NAME))


def write_plots(results: Results) -> list[Plot]:
    """Draw the plots that the run has games for into `plots/`, with a CSV of each one's numbers."""
    folder: Path = results.folder / "plots"
    subjects: dict[str, Any] = {"games": results.matches} if len(results.matches.games) else {}
    if results.search is not None and results.trials:
        subjects["search"] = Search.of(results)
    every = [(plot, subjects.get(getattr(plot, "OF", "games"))) for plot in found()]
    drawn = []
    for plot, subject in every:
        if subject is None or not plot.wanted(subject):
            continue
        drawn.append(plot)
        made, numbers = plot.draw(subject)
        save(made, folder, plot.NAME)
        write_csv(numbers, folder / f"{plot.NAME}.csv")
    return drawn
