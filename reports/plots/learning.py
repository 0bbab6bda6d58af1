"""How a network learnt: losses, accuracy and error by generation, or by epoch of stored games."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from joute.reports.plots.plot import Plot
from joute.reports.plots.style import BLUE, GREEN, ORANGE, caption, numbered, panels, title
from joute.results.frames import Results

LOSSES = (("policy_loss", BLUE, "o", "policy"), ("value_loss", ORANGE, "s", "value"))
SEEN, NEW = "learnt from", "new games"


class LearningPlot(Plot):
    """How a network learnt: losses, accuracy and error by generation, or by epoch of stored games."""

    name = "learning"
    summary = "losses, accuracy and error of a training run, by generation or epoch"
    title = "How the network learnt"
    place = 5
    leads = True
    of = "training"

    def wanted(self, results: Results) -> bool:
        """Tell whether anything was learnt."""
        return len(curves(results)) > 0

    def draw(self, results: Results) -> tuple[Figure, pd.DataFrame]:
        """Draw a panel of losses and one of their meaning, for both kinds of learning."""
        numbers = curves(results)
        kinds = [str(kind) for kind in numbers["kind"].unique()]
        made, cells = panels(2 * len(kinds))
        for i, kind in enumerate(kinds):
            rows = numbers[numbers["kind"] == kind]
            _losses(cells[2 * i], rows, kind)
            _meaning(cells[2 * i + 1], rows, kind)
        title(cells[0], self.title)
        caption(
            made,
            "Solid: the samples it learns from, while it learns. Dashed: games it has not learnt "
            "from: the new games of an iteration, judged by the previous network, or the records "
            "held out. "
            "Policy loss: - pi log p in nats, bounded below by the entropy of the targets. Value "
            "loss: (z - v)², values from -1 to 1.",
        )
        return made, numbers


def curves(results: Results) -> pd.DataFrame:
    """Return one row for every epoch of records and every generation: measures on the games that it
    learnt from, and on new ones.
    """
    rows: list[dict[str, Any]] = []
    for entry in results.training:
        for number, epoch in enumerate(entry.get("epochs", []), 1):
            rows.append(_row("epoch of the records", number, SEEN, epoch["learnt"]))
            if "held_out" in epoch:
                rows.append(_row("epoch of the records", number, NEW, epoch["held_out"]))
        if "learnt" in entry:
            rows.append(_row("generation", entry["generation"], SEEN, entry["learnt"]))
            rows.append(_row("generation", entry["generation"], NEW, entry["fresh"]))
    return pd.DataFrame(rows)


def _row(kind: str, number: int, which: str, measures: dict[str, Any]) -> dict[str, Any]:
    return {"kind": kind, "number": number, "samples_of": which, **measures}


def _lines(axes: Axes, rows: pd.DataFrame, column: str, style: tuple[str, str, str]) -> None:
    colour, mark, label = style
    for which, line in ((SEEN, "-"), (NEW, "--")):
        part = rows[rows["samples_of"] == which]
        if not len(part):
            continue
        shown = f"{label}, {which}"
        axes.plot(part["number"], part[column], line, marker=mark, ms=4, color=colour, label=shown)


def _losses(axes: Axes, rows: pd.DataFrame, kind: str) -> None:
    for column, *style in LOSSES:
        _lines(axes, rows, column, (style[0], style[1], style[2]))
    axes.set_ylabel("loss (policy: nats; value: squared)")
    numbered(axes, kind, 7.5)


def _meaning(axes: Axes, rows: pd.DataFrame, kind: str) -> None:
    _lines(axes, rows, "accuracy", (BLUE, "o", "policy right"))
    _lines(axes, rows, "error", (GREEN, "^", "value off"))
    axes.set_ylabel("share of right moves; |z - v|, 0 to 2")
    axes.set_ylim(0, None)
    numbered(axes, kind, 7.5)
