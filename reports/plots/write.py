"""Draws the plots of a run into its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from joute.engines.registry import every
from joute.reports.plots.plot import Plot
from joute.reports.plots.style import save
from joute.reports.telling import telling_of
from joute.results.frames import Results
from joute.results.tables import write_csv


def plots() -> list[Plot]:
    """Return every plot, in the order of display."""
    known: list[Plot] = [kind() for kind in every("plot").values()]
    return sorted(known, key=lambda plot: (plot.place, plot.name))


def plots_of(results: Results) -> list[tuple[Plot, Any]]:
    """Return the plots that a run has games for, each with its subject."""
    subjects = telling_of(results).subjects()
    known = [(plot, subjects[plot.of]) for plot in plots() if plot.of in subjects]
    return [(plot, subject) for plot, subject in known if plot.wanted(subject)]


def write_plots(results: Results) -> list[Plot]:
    """Draw the plots that the run has games for into `plots/`, with a CSV of each one's numbers."""
    folder: Path = results.folder / "plots"
    drawn = plots_of(results)
    for plot, subject in drawn:
        made, numbers = plot.draw(subject)
        save(made, folder, plot.name)
        write_csv(numbers, folder / f"{plot.name}.csv")
    return [plot for plot, _ in drawn]
