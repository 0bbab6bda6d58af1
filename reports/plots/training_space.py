"""The strength of each training of a search among trainings, over each setting that is searched."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FormatStrFormatter, LogLocator, NullFormatter

from joute.reports.kinds.train_search import axes_of, duels_of, entries_of
from joute.reports.plots.plot import Plot
from joute.reports.plots.style import BLUE, GREEN, ORANGE, PALE, caption, panels, title
from joute.results.frames import Results
from joute.studies.learning.plan import ANEW, TRIED

KEPT = ("score", "low", "high", "blocks", "games", "generation", "net", "seconds")
STYLES = {
    "trials of the search": (BLUE, "o"),
    "the best settings, trained again": (ORANGE, "D"),
    "the study's own, trained again": (GREEN, "s"),
}


class TrainingSpacePlot(Plot):
    """The strength of each training of a search among trainings, over each setting that is searched."""

    name = "training_space"
    summary = "the strength of each training, over each setting of a search among trainings"
    title = "Strength by setting"
    place = 2
    leads = True
    of = "train-search"

    def wanted(self, results: Results) -> bool:
        """Tell whether two trainings of the search were measured."""
        return len([e for e in entries_of(results, TRIED) if e["blocks"]]) > 1

    def draw(self, results: Results) -> tuple[Figure, pd.DataFrame]:
        """Draw one panel a setting."""
        duels = duels_of(results)
        best = duels[0]["best"] if duels else ""
        rows: list[dict[str, Any]] = []
        for entry in entries_of(results):
            if entry["blocks"]:
                told_of = {name: entry.get(name) for name in KEPT}
                what = _what(entry, best)
                rows.append({"training": entry["name"], "what": what, **entry["point"], **told_of})
        numbers = pd.DataFrame(rows)
        searched = axes_of(results)
        made, cells = panels(len(searched))
        for axis, axes in zip(searched, cells, strict=True):
            _panel(axes, numbers.dropna(subset=[axis.name]), axis.name, axis.log)
        level = numbers[numbers["what"] == [*STYLES][2]]
        for axes in cells:
            for row in level.to_dict("records"):
                axes.axhline(100 * row["score"], color=GREEN, lw=1.2, ls="--", zorder=0)
        if len(level):
            cells[0].plot([], [], color=GREEN, lw=1.2, ls="--", label=[*STYLES][2])
        made.legend(
            *cells[0].get_legend_handles_labels(),
            loc="outside upper left",
            ncols=4,
            fontsize=8.5,
            frameon=False,
        )
        cells[0].set_ylabel("score against the anchors (%)")
        title(cells[0], f"{self.title}: one point per training, with 95 % intervals")
        caption(
            made,
            "Intervals cover the games of one network. Networks trained with the same settings "
            "also differ by chance: compare the points of one colour at one place. The other "
            "settings differ, too.",
        )
        return made, numbers


def _what(entry: dict[str, Any], best: str) -> str:
    search, best_style, own = STYLES
    if entry["role"] != ANEW:
        return search
    if best and entry["name"].rpartition("-")[0] == best:
        return best_style
    return search if entry["point"] else own


def _panel(axes: Axes, numbers: pd.DataFrame, axis: str, log: bool) -> None:
    values = numbers[axis].tolist()
    texts = sorted({*values}) if any(isinstance(value, str) for value in values) else []
    for i, (what, (colour, mark)) in enumerate(STYLES.items()):
        seen = numbers[numbers["what"] == what]
        if not len(seen):
            continue
        places = [texts.index(value) if texts else float(value) for value in seen[axis]]
        at = np.array(places) + (0.08 * (i - 1) if texts else 0.0)
        ends = [100 * (seen["score"] - seen["low"]), 100 * (seen["high"] - seen["score"])]
        axes.errorbar(
            at, 100 * seen["score"], ends,
            fmt=mark, color=colour, ms=6, lw=1.3, capsize=3, label=what,
        )  # fmt: skip
    if texts:
        axes.set_xticks(range(len(texts)), texts)
        axes.set_xlim(-0.5, len(texts) - 0.5)
    elif log:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(FormatStrFormatter("%g"))
        axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_ylim(-2, 102)
    axes.set_xlabel(axis)
    axes.grid(color=PALE)
    axes.set_axisbelow(True)
