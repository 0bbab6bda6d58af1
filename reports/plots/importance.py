"""How much of the score's variation over the space each parameter explains alone."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from joute.reports.plots.plot import Plot
from joute.reports.plots.style import BLUE, INK, caption, figure, title
from joute.reports.reading.search import SURE, Search
from joute.reports.reading.search_answer import p_text


class ImportancePlot(Plot):
    """How much of the score's variation over the space each parameter explains alone."""

    name = "importance"
    summary = "the share of the score's variation over the space that each parameter explains alone"
    title = "Which parameters matter"
    place = 14
    of = "search"

    def wanted(self, search: Search) -> bool:
        """Tell whether several parameters were searched."""
        return len(search.axes) > 1 and len(search.trials) > 2

    def draw(self, search: Search) -> tuple[Figure, pd.DataFrame]:
        """Draw one bar a parameter, the most important on top."""
        shares = sorted(search.importance.items(), key=lambda item: item[1][0])
        made, axes = figure(1.6 + 0.5 * len(shares))
        for y, (_, (share, low, high)) in enumerate(shares):
            bars = [[100 * max(0.0, share - low)], [100 * max(0.0, high - share)]]
            axes.barh(y, 100 * share, color=BLUE, alpha=0.75, height=0.6)
            axes.errorbar([100 * share], [y], xerr=bars, color=INK, capsize=3, lw=1.2)
        axes.set_yticks(range(len(shares)), [name for name, _ in shares])
        axes.set_xlim(0, 105)
        axes.set_xlabel("share of the variance that it explains alone (%), with 95 % interval")
        title(axes, self.title)
        p = search.p_value
        shown = "an effect is certain" if p < 0.001 else "an effect is detected"
        missed = "not seen by this test alone" if search.detects else "no effect is detected"
        sure = shown if p < SURE else missed
        caption(
            made,
            f"Over the whole space, by the model of all trials; the rest to 100 % comes from "
            f"combinations of parameters. All parameters together: {sure} (F-test, {p_text(p)}).",
        )
        rows = [
            {"parameter": name, "share": share, "share_low": low, "share_high": high}
            for name, (share, low, high) in reversed(shares)
        ]
        return made, pd.DataFrame(rows)
