"""Who beats whom: the score of each engine against each other in the last stage."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from joute.reports.plots.plot import Plot
from joute.reports.plots.style import ON_DARK, ON_LIGHT, PALE, caption, colour_bar, figure, title
from joute.results.frames import Results
from joute.results.quantity import whole
from joute.results.standings import crosstable, standings_table

SCORES, MANY = "Scores between engines", "Order of finish"
SHOWN = 40
"""Engines shown at most."""
READABLE = 16
"""Engines up to which the cells carry their numbers."""


class CrosstablePlot(Plot):
    """Who beats whom: the score of each engine against each other in the last stage."""

    name = "crosstable"
    summary = "the score of each engine against each other in the last stage"
    title = "Engine against engine"
    place = 30

    def wanted(self, results: Results) -> bool:
        """Tell whether more than two engines met: for two, the standings suffice."""
        return results.seats["engine"].nunique() > 2

    def draw(self, results: Results) -> tuple[Figure, pd.DataFrame]:
        """Draw the matrix of scores, engines in the order of the standings."""
        stage = results.stages[-1]
        numbers = crosstable(results, stage)
        ranked = list(dict.fromkeys(standings_table(results, stage)["engine"]))
        names = ranked[:SHOWN]
        place = {name: i for i, name in enumerate(names)}
        grid = np.full((len(names), len(names)), np.nan)
        side = max(
            4.6, 1.6 + 0.5 * min(len(names), READABLE) + 0.16 * max(0, len(names) - READABLE)
        )
        made, axes = figure(side, side * 1.25)
        for row in numbers.to_dict("records"):
            if row["engine"] in place and row["opponent"] in place:
                y, x, score = place[row["engine"]], place[row["opponent"]], row["score_percent"]
                grid[y, x] = score
                if len(names) <= READABLE:
                    colour = ON_DARK if abs(score - 50) > 32 else ON_LIGHT
                    axes.text(
                        x, y, whole(score), ha="center", va="center", color=colour, fontsize=9
                    )
        axes.set_facecolor(PALE)
        image = axes.imshow(grid, cmap="RdBu", norm=Normalize(0, 100))
        label = "score of the row (%)"
        if results.players > 2:
            label = "row before column (%)"
        colour_bar(made, image, axes, label, 0.8)
        small = 8.5 if len(names) <= READABLE else 6.5
        axes.set_xticks(range(len(names)), names, rotation=90, fontsize=small)
        axes.set_yticks(range(len(names)), names, fontsize=small)
        title(axes, f"{SCORES if results.players == 2 else MANY}: stage “{stage}”")
        caption(made, _caption(numbers, len(ranked), results.players))
        return made, numbers


def _caption(numbers: pd.DataFrame, engines: int, players: int) -> str:
    games = sorted(set(numbers["games"]))
    texts = []
    if games:
        count = f"{games[0]}" if len(games) == 1 else f"{games[0]} to {games[-1]}"
        counts = f"{count} games per pair, both seats together."
        if players > 2:
            counts = f"{count} games with both engines, all seats together; a tie counts half."
        texts.append(f"{counts} Grey: no game.")
    if engines > SHOWN:
        texts.append(f"The first {SHOWN} of {engines} engines; all are in crosstable.csv.")
    return " ".join(texts)
