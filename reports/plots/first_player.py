"""What moving first is worth: by stage, and for each engine of the last stage."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from reports.style import BLUE, ORANGE, caption, figure, title
from results.frames import Results
from results.standings import standings_table
from results.statistics import wilson

NAME = "first_player"
TITLE = "What moving first is worth"
PLACE = 50
ROWS = 40
"""Engines shown at most."""


def wanted(results: Results) -> bool:
    """Tell whether the games have two players."""
    return results.players == 2 and len(results.seats) > 0


def draw(results: Results) -> tuple[Figure, pd.DataFrame]:
    """Draw scores when moving first and when moving second, with Wilson intervals."""
    rows = [
        _row(stage, "all games", "first", mine[mine["seat"] == 0])
        for stage in results.stages
        for mine in [results.of_stage(results.seats, stage)]
    ]
    last = results.stages[-1]
    seats = results.of_stage(results.seats, last)
    engines = list(dict.fromkeys(standings_table(results, last)["engine"]))
    for engine in engines:
        mine = seats[seats["engine"] == engine]
        rows += [
            _row(last, engine, name, mine[mine["seat"] == seat])
            for seat, name in ((0, "first"), (1, "second"))
        ]
    numbers = pd.DataFrame(
        rows, columns=["stage", "engine", "moves", "games", "score", "score_low", "score_high"]
    )
    shown = numbers[~numbers["engine"].isin(engines[ROWS:]) & (numbers["games"] > 0)]
    points = shown.to_dict("records")
    labels = list(dict.fromkeys(_label(row["stage"], row["engine"]) for row in points))
    made, axes = figure(max(3.0, 1.8 + 0.28 * len(labels)))
    for row in points:
        first = row["moves"] == "first"
        y = labels.index(_label(row["stage"], row["engine"])) + (-0.13 if first else 0.13)
        colour, marker = (BLUE, "o") if first else (ORANGE, "D")
        axes.plot([100 * row["score_low"], 100 * row["score_high"]], [y, y], color=colour, lw=2)
        axes.plot(100 * row["score"], y, marker, color=colour, ms=6, mec="white", mew=0.8)
    axes.axvline(50, color="#666666", lw=1, ls=":")
    axes.axhline(len(results.stages) - 0.5, color="#CCCCCC", lw=0.8)
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.set_xlabel("score (%)")
    axes.grid(axis="x", color="#E6E6E6")
    axes.set_axisbelow(True)
    axes.plot([], [], "o", color=BLUE, label="moving first")
    axes.plot([], [], "D", color=ORANGE, label="moving second")
    made.legend(loc="outside upper right", ncols=2, fontsize=8.5, frameon=False)
    title(axes, f"{TITLE}: stage “{last}”")
    more = f" The first {ROWS} of {len(engines)} engines." if len(engines) > ROWS else ""
    caption(
        made, "Wilson intervals, 95 %, games taken as independent: rough where they repeat." + more
    )
    return made, numbers


def _label(stage: str, engine: str) -> str:
    return f"{engine} ({stage})" if engine == "all games" else engine


def _row(
    stage: str, engine: str, moves: str, mine: pd.DataFrame
) -> tuple[str, str, str, int, float | None, float | None, float | None]:
    if not len(mine):
        return stage, engine, moves, 0, None, None, None
    points = float(mine["returns"].sum())
    low, high = wilson(points, len(mine))
    return stage, engine, moves, len(mine), points / len(mine), low, high
