"""The gates of a training run: scores of new networks against the champion, and verdicts."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from joute.reports.plots.plot import Plot
from joute.reports.plots.style import BLUE, GREY, RULE, caption, figure, numbered, title
from joute.results.frames import Results


class GatesPlot(Plot):
    """The gates of a training run: scores of new networks against the champion."""

    name = "gates"
    summary = "the score of each new network of a training run against the champion"
    title = "Gates"
    place = 7
    of = "training"

    def wanted(self, results: Results) -> bool:
        """Tell whether a gate was played."""
        return any("gate" in entry for entry in results.training)

    def draw(self, results: Results) -> tuple[Figure, pd.DataFrame]:
        """Draw each gate's score with its interval."""
        numbers = pd.DataFrame(
            [
                {
                    "generation": entry["generation"],
                    "champion": entry["champion"],
                    "accepted": entry["accepted"],
                    **{name: entry["gate"][name] for name in ("score", "low", "high", "blocks")},
                }
                for entry in results.training
                if "gate" in entry
            ]
        )
        made, axes = figure()
        for accepted, colour, mark, label in (
            (True, BLUE, "o", "accepted: champion"),
            (False, GREY, "x", "rejected"),
        ):
            gates = numbers[numbers["accepted"] == accepted]
            if len(gates):
                low, high = gates["score"] - gates["low"], gates["high"] - gates["score"]
                axes.errorbar(
                    gates["generation"], 100 * gates["score"], [100 * low, 100 * high],
                    fmt=mark, color=colour, ms=7, lw=1.4, capsize=3, label=label,
                )  # fmt: skip
        axes.axhline(50, color=RULE, lw=1, ls=":")
        axes.set_ylim(-2, 102)
        axes.set_ylabel("score against the champion at that time (%)")
        numbered(axes, "generation")
        title(axes, f"{self.title}: score against the champion, with 95 % intervals")
        caption(made, "A gate may pass by luck: the ladder shows how strong the generations are.")
        return made, numbers
