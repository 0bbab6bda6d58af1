"""The trials of a tune study in order: their scores, and those given up."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from joute.reports.plots.plot import Plot
from joute.reports.plots.style import BLUE, GREY, ORANGE, PALE, caption, figure, title
from joute.reports.reading.search import Search
from joute.reports.reading.words import listed
from joute.results.statistics import estimate_means
from joute.results.tables import trials_table
from joute.studies.search.trial import COMPLETE
from joute.studies.tuner.model.gp import chance


class HistoryPlot(Plot):
    """The trials of a tune study in order: their scores, and those given up."""

    name = "history"
    summary = "the trials of a tune study in order: their scores, and which were given up early"
    title = "Trials in order"
    place = 12
    of = "search"

    def wanted(self, search: Search) -> bool:
        """Tell whether this is a tune study whose trials are matches, not a game or two."""
        many = len(search.trials) > 1 and not search.small
        return search.kind != "scan" and many and not search.duels  # a duel is no score at a point

    def draw(self, search: Search) -> tuple[Figure, pd.DataFrame]:
        """Draw each trial's score, the model's estimate of it, and the best score so far."""
        numbers = trials_table(search.results)
        mean, _ = search.surrogate.predict(search.space.places([t.point for t in search.trials]))
        believed = 100 * chance(mean)
        made, axes = figure()
        for state, colour, mark, size in (
            (COMPLETE, BLUE, "o", 5),
            ("pruned", GREY, "x", 5),
        ):
            trials = [t for t in search.trials if t.state == state]
            if not trials:
                continue
            label = "finished trial" if state == COMPLETE else "given up early"
            scores = np.array([100 * t.score for t in trials])
            ends = [estimate_means(t.values, elo=False) for t in trials]
            bars = np.clip(
                [
                    [s - 100 * e.score_low for s, e in zip(scores, ends, strict=True)],
                    [100 * e.score_high - s for s, e in zip(scores, ends, strict=True)],
                ],
                0,
                None,
            )
            places = [t.number for t in trials]
            axes.errorbar(
                places, scores, bars, fmt="none", ecolor=colour, alpha=0.16, lw=1, label=None
            )
            axes.plot(places, scores, mark, color=colour, ms=size, label=label, ls="none", mew=1.2)
        axes.plot(
            [t.number for t in search.trials], believed, ".", color=ORANGE, ms=5, ls="none",
            label="expected by the model of all trials",
        )  # fmt: skip
        so_far = np.maximum.accumulate(
            [100 * t.score if t.state == COMPLETE else 0 for t in search.trials]
        )
        axes.step(
            [t.number for t in search.trials], so_far, where="post", color=BLUE, lw=1, ls=":",
            label="best score so far (luck included)",
        )  # fmt: skip
        axes.set_xlabel("trial")
        axes.set_ylabel(f"score against {listed(search.against)} (%)")
        axes.set_ylim(-2, 102)
        axes.grid(color=PALE)
        axes.set_axisbelow(True)
        axes.legend(fontsize=8.5, frameon=False, loc="lower right", ncols=2)
        title(axes, f"{self.title}: sampler {search.sampler}, 95 % intervals")
        caption(
            made,
            "A single trial is a short match: the gap between the dotted line and the orange "
            "points is the luck of the best trial.",
        )
        numbers["believed"] = believed / 100
        return made, numbers
