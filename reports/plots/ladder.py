"""The rating ladder of the last stage, and the engines that cannot be told from the first."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from joute.reports.plots.plot import Plot
from joute.reports.plots.style import BLUE, GREY, ORANGE, PALE, PAPER, RULE, caption, figure, title
from joute.results.frames import Results
from joute.results.standings import standings_table

EVEN = 0.5
ROWS = 60
"""Engines shown at most."""


class LadderPlot(Plot):
    """The rating ladder of the last stage, and the engines that cannot be told from the first."""

    name = "ladder"
    summary = "the ratings of the last stage, and which engines cannot be told from the first"
    title = "Rating ladder"
    place = 10

    def wanted(self, results: Results) -> bool:
        """Tell whether more than two engines met: for two, the standings suffice."""
        return results.seats["engine"].nunique() > 2

    def draw(self, results: Results) -> tuple[Figure, pd.DataFrame]:
        """Draw one line an engine, best on top, each group by itself."""
        stage = results.stages[-1]
        table = standings_table(results, stage)
        rated = table["elo"].notna().any()
        unit = ("elo", "elo_low", "elo_high") if rated else ("score", "score_low", "score_high")
        numbers = table[["stage", "group", "rank", "engine", *unit, "tied_with_best"]]
        shown = numbers.head(ROWS)
        made, axes = figure(max(3.2, 1.9 + 0.27 * (len(shown) + 1.2 * shown["group"].nunique())))
        ticks, labels, y, group = [], [], 0.0, None
        beyond: list[tuple[float, bool]] = []
        for row in table.head(ROWS).to_dict("records"):
            if row["group"] != group and shown["group"].nunique() > 1:
                y += 1.2
                axes.text(
                    0.005, y - 0.75, row["group"], transform=axes.get_yaxis_transform(),
                    fontsize=9, fontweight="bold", va="center",
                )  # fmt: skip
                axes.axhline(y - 1.25, color=PALE, lw=0.8)
            group = row["group"]
            ticks.append(y)
            labels.append(row["engine"])
            if pd.notna(row[unit[0]]):
                _point(axes, y, [100 * row[u] if not rated else row[u] for u in unit], row)
            else:
                beyond.append((y, row["score"] > EVEN))
            y += 1
        for place, above in beyond:
            _unrated(axes, place, above)
        axes.set_yticks(ticks, labels)
        axes.set_ylim(y - 0.3, -0.9)
        axes.axvline(0 if rated else 50, color=RULE, lw=1, ls=":")
        axes.grid(axis="x", color=PALE)
        axes.set_axisbelow(True)
        axes.set_xlabel("Elo (0 = average of the engines that met)" if rated else "Mean return (%)")
        title(axes, f"{self.title}: stage “{stage}”, with 95 % intervals")
        _legend(axes)
        caption(made, _caption(table, shown, bool(beyond)))
        return made, numbers


def _point(axes: Axes, y: float, ends: list[float], row: dict[Hashable, Any]) -> None:
    middle, low, high = ends
    best, tied = row["rank"] == 1, row["tied_with_best"]
    colour, marker = (ORANGE, "*") if best else (BLUE, "o") if tied else (GREY, "s")
    axes.plot([low, high], [y, y], color=colour, lw=2, solid_capstyle="butt")
    axes.plot(middle, y, marker, color=colour, ms=12 if best else 7, mec=PAPER, mew=0.8)


def _unrated(axes: Axes, y: float, above: bool) -> None:
    """Draw an engine without a rating at the end of the axis beyond which it lies."""
    end, marker = (0.99, ">") if above else (0.01, "<")
    axes.plot(
        end, y, marker, color=GREY, ms=9, mec=PAPER, transform=axes.get_yaxis_transform(),
    )  # fmt: skip


def _legend(axes: Axes) -> None:
    for colour, marker, label in (
        (ORANGE, "*", "first"),
        (BLUE, "o", "cannot be told from the first"),
        (GREY, "s", "weaker"),
    ):
        axes.plot([], [], marker, color=colour, label=label, ms=10 if marker == "*" else 7)
    axes.legend(loc="lower right", fontsize=8.5, frameon=True, framealpha=0.9)


def _caption(table: pd.DataFrame, shown: pd.DataFrame, unrated: bool) -> str:
    texts = []
    if unrated:
        texts.append(
            "Arrow: somewhere beyond, as it lost (or won) every game, so it has no rating."
        )
    if table["group"].nunique() > 1:
        texts.append("The groups did not meet: compare within a group only.")
    if len(shown) < len(table):
        texts.append(f"{len(shown)} of {len(table)} engines are shown; all are in standings.csv.")
    return " ".join(texts)
