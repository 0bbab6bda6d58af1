"""Draws the plots of a run into its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from joute.engines.registry import every
from joute.reports.page.search import Search
from joute.reports.plots.plot import Plot
from joute.reports.plots.style import save
from joute.results.frames import Results
from joute.results.tables import write_csv


def plots() -> list[Plot]:
    """Return every plot, in the order in which they are shown."""
    found: list[Plot] = [kind() for kind in every("plot").values()]
    return sorted(found, key=lambda plot: (plot.place, plot.name))


def write_plots(results: Results) -> list[Plot]:
    """Draw the plots that the run has games for into `plots/`, with a CSV of each one's numbers."""
    folder: Path = results.folder / "plots"
    subjects: dict[str, Any] = {"games": results.matches} if len(results.matches.games) else {}
    if results.search is not None and results.trials:
        subjects["search"] = Search.of(results)
    if results.training:
        subjects["training"] = results
    if results.trainings:
        subjects["trainings"] = results
    drawn = []
    for plot in plots():
        subject = subjects.get(plot.of)
        if subject is None or not plot.wanted(subject):
            continue
        drawn.append(plot)
        made, numbers = plot.draw(subject)
        save(made, folder, plot.name)
        write_csv(numbers, folder / f"{plot.name}.csv")
    return drawn
