"""The cost of strength: time per move against rating in the last stage."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from joute.reports.plots.labels import name_points
from joute.reports.plots.plot import Plot
from joute.reports.plots.style import BLUE, GREY, ORANGE, PALE, PAPER, caption, figure, title
from joute.reports.reading.move_time import name_of, told
from joute.reports.reading.words import listed
from joute.results.frames import Results
from joute.results.quantity import milliseconds
from joute.results.standings import standings_table
from joute.results.tables import times_table

FASTER = 0.95
"""Share of an engine's time below which another one is faster; what lies between is chance."""
NAMED = 16
"""Engines up to which all points carry their names; above, only those that no quicker one beats."""


class TimeStrengthPlot(Plot):
    """The cost of strength: time per move against rating in the last stage."""

    name = "time_strength"
    summary = "time per move against rating in the last stage"
    title = "Time and strength"
    place = 40

    def wanted(self, results: Results) -> bool:
        """Tell whether moves of at least two engines were timed."""
        return len({engine for (_, _, engine), ms in results.times.items() if len(ms)}) > 1

    def draw(self, results: Results) -> tuple[Figure, pd.DataFrame]:
        """Draw one point an engine: time of a move (99 % point as a tail) against rating. The time is the
        median, or for all the mean if that of any is far above its median.
        """
        stage = results.stages[-1]
        table = standings_table(results, stage)
        rated = table["elo"].notna().any()
        unit = ["elo", "elo_low", "elo_high"] if rated else ["score", "score_low", "score_high"]
        times = times_table(results)
        times = times[times["stage"] == stage]
        by = told(times.to_dict("records"))
        times = times[["engine", *dict.fromkeys(("median_ms", by)), "p99_ms"]]
        columns = ["stage", "group", "engine", *unit, "tied_with_best"]
        numbers = table[columns].merge(times, on="engine")
        unrated = [str(name) for name in numbers["engine"][numbers[unit[0]].isna()]]
        shown = (numbers[by] > 0) & numbers[unit[0]].notna()
        numbers = numbers[shown].sort_values([by, "engine"], ignore_index=True)
        numbers["no_cheaper_one_is_better"] = unbeaten(numbers, by, unit[0])
        made, axes = figure()
        scale = 1.0 if rated else 100.0
        for row in numbers.to_dict("records"):
            _point(axes, row, row[by], [scale * row[name] for name in unit])
        axes.set_xscale("log")
        axes.margins(x=0.16)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda ms, _: milliseconds(ms)))
        axes.grid(color=PALE)
        axes.set_axisbelow(True)
        axes.set_xlabel(f"time per move: {name_of(by)} (point) to 99 % point (tail), log scale")
        elo = (
            "Elo above the other"
            if len(table) == 2
            else "Elo (0 = average of the engines that met)"
        )
        axes.set_ylabel(elo if rated else "mean return (%)")
        title(axes, f"{self.title}: stage “{stage}”, with 95 % intervals")
        _legend(axes, numbers)
        caption(made, " ".join(filter(None, (_left_out(unrated), _limits(results, axes, numbers)))))
        left, right = axes.get_xlim()
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if right < 2000 * left else (1,)))
        rows = numbers.to_dict("records")
        if len(rows) > NAMED:
            best = numbers.groupby("group")[unit[0]].transform(
                lambda own: own.astype(float).cummax()
            )
            rows = [row for row, top in zip(rows, best, strict=True) if row[unit[0]] >= top]
        points = [(r[by], scale * r[unit[0]], str(r["engine"])) for r in rows]
        name_points(made, axes, points)
        return made, numbers


def unbeaten(numbers: pd.DataFrame, by: str, strength: str) -> list[bool]:
    """Return for each engine whether none of its group that is clearly faster is rated higher."""
    rows = numbers.to_dict("records")
    return [
        not any(
            other["group"] == row["group"]
            and other[by] < FASTER * row[by]
            and other[strength] > row[strength]
            for other in rows
        )
        for row in rows
    ]


def _point(axes: Axes, row: dict[Hashable, Any], x: float, ends: list[float]) -> None:
    middle, low, high = ends
    good = row["no_cheaper_one_is_better"]
    colour = BLUE if good else GREY
    axes.plot([x, x], [low, high], color=colour, lw=1.2, alpha=0.7)
    axes.plot([x, max(x, row["p99_ms"])], [middle, middle], color=colour, lw=1, ls=":")
    axes.plot(x, middle, "o" if good else "s", color=colour, ms=7, mec=PAPER, mew=0.8)


def _left_out(unrated: list[str]) -> str:
    """Say which engines are not shown, as they have no rating; "" if none."""
    if not unrated:
        return ""
    lost = (
        "lost (or won) every game, so it has no rating" if len(unrated) == 1 else "have no rating"
    )
    return f"Not shown: {listed(unrated)}, which {lost}."


def _legend(axes: Axes, numbers: pd.DataFrame) -> None:
    axes.plot([], [], "o", color=BLUE, label="no engine that is 5 % faster is rated higher")
    if not numbers["no_cheaper_one_is_better"].all():
        axes.plot([], [], "s", color=GREY, label="a faster engine is rated higher")
    axes.legend(loc="lower right", fontsize=8.5, framealpha=0.9)


def _limits(results: Results, axes: Axes, numbers: pd.DataFrame) -> str:
    """Draw the study's time limits; return a sentence on those that no engine comes near."""
    texts = []
    if numbers["group"].nunique() > 1:
        texts.append("The groups did not meet: compare ratings within a group only.")
    slowest = float(numbers["p99_ms"].max()) if len(numbers) else 0.0
    limits = {
        "slow after": results.number("slow_after_ms"),
        "too slow to win": results.number("exclude_p99_over_ms"),
    }
    if limits["slow after"] == limits["too slow to win"]:
        limits = {"too slow from": limits["slow after"]}
    for name, limit in limits.items():
        if limit is None:
            continue
        axes.axvline(limit, color=ORANGE, lw=1.4, ls="--")
        axes.annotate(
            f"{name} {milliseconds(limit)}", (limit, 0.98), rotation=90, color=ORANGE,
            xycoords=("data", "axes fraction"), xytext=(-5, 0), textcoords="offset points",
            fontsize=8.5, ha="right", va="top",
        )  # fmt: skip
        if limit > 3 * slowest:
            texts.append(
                f"{name[:1].upper()}{name[1:]} {milliseconds(limit)}: no engine comes near."
            )
    return " ".join(texts)
