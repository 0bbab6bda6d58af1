"""The value of each seat, above all the first: by stage, and for engines of the last stage."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from joute.reports.plots.plot import Plot
from joute.reports.plots.style import (
    BLUE,
    GREEN,
    ORANGE,
    PALE,
    PAPER,
    PURPLE,
    RULE,
    caption,
    figure,
    title,
)
from joute.results.frames import Results
from joute.results.standings import standings_table
from joute.results.statistics import estimate_means, wilson
from joute.results.tables import SEATS

FIRST, MANY = "First-player advantage", "Score by seat"
ROWS = 40
"""Engines shown at most."""
LOOKS = ((BLUE, "o"), (ORANGE, "D"), (GREEN, "s"), (PURPLE, "^"))
WIDE = 0.54
"""Height that the points of one engine take together, of 1."""


class FirstPlayerPlot(Plot):
    """The value of each seat, above all the first: by stage, and for engines of the last stage."""

    name = "first_player"
    summary = "the score of each seat, by stage and for each engine of the last stage"
    title = "Score by seat"
    place = 50

    def wanted(self, results: Results) -> bool:
        """Tell whether a game was played."""
        return len(results.seats) > 0

    def draw(self, results: Results) -> tuple[Figure, pd.DataFrame]:
        """Draw the scores in each seat, with 95 % intervals."""
        players = results.players
        rows = []
        for stage in results.stages:
            games = results.of_stage(results.seats, stage)
            # Two players: what the second gets is what the first leaves.
            for seat in range(1 if players == 2 else players):
                rows.append(_row(stage, "all games", seat, games, players))
        last = results.stages[-1]
        seats = results.of_stage(results.seats, last)
        engines = list(dict.fromkeys(standings_table(results, last)["engine"]))
        for engine in engines:
            games = seats[seats["engine"] == engine]
            rows += [_row(last, engine, seat, games, players) for seat in range(players)]
        numbers = pd.DataFrame(
            rows, columns=["stage", "engine", "moves", "games", "score", "score_low", "score_high"]
        )
        shown = numbers[~numbers["engine"].isin(engines[ROWS:]) & (numbers["games"] > 0)]
        points = shown.to_dict("records")
        labels = list(dict.fromkeys(_label(row["stage"], row["engine"]) for row in points))
        made, axes = figure(max(3.0, 1.8 + (0.2 + 0.04 * players) * len(labels)))
        for row in points:
            seat = SEATS.index(row["moves"])
            off = WIDE * (seat / (players - 1) - 0.5) if players > 2 else (-0.13, 0.13)[seat]
            y = labels.index(_label(row["stage"], row["engine"])) + off
            colour, marker = LOOKS[seat]
            axes.plot([100 * row["score_low"], 100 * row["score_high"]], [y, y], color=colour, lw=2)
            axes.plot(100 * row["score"], y, marker, color=colour, ms=6, mec=PAPER, mew=0.8)
        axes.axvline(50, color=RULE, lw=1, ls=":")
        axes.axhline(len(results.stages) - 0.5, color=PALE, lw=0.8)
        axes.set_yticks(range(len(labels)), labels)
        axes.set_ylim(len(labels) - 0.4, -0.6)
        axes.set_xlabel(
            "score (%)" if players == 2 else "mean return (%): 100 always first, 0 always last"
        )
        axes.grid(axis="x", color=PALE)
        axes.set_axisbelow(True)
        for seat, (colour, marker) in enumerate(LOOKS[:players]):
            axes.plot([], [], marker, color=colour, label=f"moving {SEATS[seat]}")
        made.legend(loc="outside upper right", ncols=players, fontsize=8.5, frameon=False)
        title(axes, f"{FIRST if players == 2 else MANY}: stage “{last}”")
        more = f" The first {ROWS} of {len(engines)} engines." if len(engines) > ROWS else ""
        how = "95 % intervals from the means of the blocks."
        if players == 2:
            how = "95 % Wilson intervals that treat games as independent: rough where games repeat."
        caption(made, how + more)
        return made, numbers


def _label(stage: str, engine: str) -> str:
    return f"{engine} ({stage})" if engine == "all games" else engine


def _row(
    stage: str, engine: str, seat: int, games: pd.DataFrame, players: int
) -> tuple[str, str, str, int, float | None, float | None, float | None]:
    games = games[games["seat"] == seat]
    if not len(games):
        return stage, engine, SEATS[seat], 0, None, None, None
    score = float(games["returns"].mean())
    low, high = wilson(score * len(games), len(games))
    if players > 2:
        estimate = estimate_means(games.groupby("block", sort=False)["returns"].mean(), elo=False)
        score, low, high = estimate.score, estimate.score_low, estimate.score_high
    return stage, engine, SEATS[seat], len(games), score, low, high
