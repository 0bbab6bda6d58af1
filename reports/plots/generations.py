"""How strong the generations of a training run are, by the ladder, beside its anchors."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from joute.reports.plots.plot import Plot
from joute.reports.plots.style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    caption,
    figure,
    numbered,
    title,
)
from joute.reports.reading.champion import generations_of, ladder_of
from joute.results.frames import Results
from joute.studies.learning.plan import generation_in

SHADES = (ORANGE, GREEN, PURPLE, GREY)


class GenerationsPlot(Plot):
    """How strong the generations of a training run are, by the ladder, beside its anchors."""

    name = "generations"
    summary = "the strength of a training run's generations and anchors, by the ladder"
    title = "Strength by generation"
    place = 3
    leads = True
    of = "training"

    def wanted(self, results: Results) -> bool:
        """Tell whether two generations are in the ladder."""
        ratings = ladder_of(results)
        if ratings is None:
            return False
        return len(generations_of(ratings)) > 1

    def draw(self, results: Results) -> tuple[Figure, pd.DataFrame]:
        """Draw a point for each generation and a line for each anchor, with their intervals."""
        ratings = ladder_of(results)
        assert ratings is not None
        rows: list[dict[str, Any]] = []
        for i, name in enumerate(ratings.names):
            low, high = ratings.interval(i) or (float(ratings.elo[i]),) * 2
            elo, number = float(ratings.elo[i]), generation_in(name)
            rows.append(
                {"engine": name, "generation": number, "elo": elo, "low": low, "high": high}
            )
        numbers = pd.DataFrame(rows).sort_values("generation", na_position="last")
        ladder = numbers[numbers["generation"].notna()]
        made, axes = figure()
        ends = [ladder["elo"] - ladder["low"], ladder["high"] - ladder["elo"]]
        axes.errorbar(
            ladder["generation"], ladder["elo"], ends, fmt="o-", color=BLUE, lw=1.6, capsize=3,
            label="generations",
        )  # fmt: skip
        anchors = numbers[numbers["generation"].isna()].sort_values("elo", ascending=False)
        for i, row in enumerate(anchors.to_dict("records")):
            colour = SHADES[i % len(SHADES)]
            axes.axhspan(row["low"], row["high"], color=colour, alpha=0.1, lw=0)
            axes.axhline(row["elo"], color=colour, ls="--", lw=1.4, label=row["engine"])
        axes.set_ylabel("Elo (0 = average of the ladder)")
        numbered(axes, "generation")
        title(axes, f"{self.title}, with 95 % intervals")
        caption(made, "All met in matches of the last stage. Dashed: the study's anchors.")
        return made, numbers
