"""What scans and tune studies report alike: trials, parameters, the model of a search."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import pandas as pd

from joute.engines.parameter import Value, text_of
from joute.reports.page.html_table import Bar, Column
from joute.reports.reading.answer import Answer, three_lines
from joute.reports.reading.binned import binned
from joute.reports.reading.modelled import Modelled
from joute.reports.reading.reported_results import claims_line
from joute.reports.reading.search import SURE, Curve, Search
from joute.reports.reading.search_answer import p_text, range_text
from joute.reports.reading.words import counted, listed
from joute.reports.telling import Section, Telling
from joute.reports.watch.charts import Chart, search_charts
from joute.results.quantity import percent, percent_ends
from joute.results.statistics import estimate_means
from joute.results.tables import cell_text, write_csv
from joute.studies.search.trial import PRUNED, UNPLAYED
from joute.studies.tuner.answer import Effect
from joute.studies.tuner.report import MISFIT

FRESH = 1.2  # times the games that a model knows, up to which its answer needs no word on its age
TRIALS = 60  # the latest, that a watched page shows
ALWAYS = 0.98
"""Score from which an opponent tells nothing any more."""


def table(search: Search, written: Callable[[Any], Any] | None = None) -> pd.DataFrame:
    """Return one row a parameter: its range, default, best value with interval, importance; values as
    `written`, by default as files have them.

    Of a tune study also the middle 80 % of where the best may lie (numbers), and whether an effect
    is detected.
    """
    rows, written = [], written or in_file
    effects = {} if search.kind == "scan" else {e.name: e for e in search.effects}
    for axis in search.axes:
        share = search.importance.get(axis.name) if len(search.axes) > 1 else None
        default = search.default_point.get(axis.name)
        best = search.reported.get(axis.name)
        ends = axis.as_written()
        effect = effects.get(axis.name)
        rows.append(
            {
                "parameter": axis.name,
                "range": ", ".join(axis.choices)
                if axis.choices
                else f"{text_of(ends['from'])} to {text_of(ends['to'])}",
                "default": written(default),
                "best": written(best),
                "best_range": range_text(search, axis.name),
                **({} if effect is None else effect_of(effect, written)),
                "importance": None if share is None else round(share[0], 4),
                "importance_low": None if share is None else round(share[1], 4),
                "importance_high": None if share is None else round(share[2], 4),
            }
        )
    return pd.DataFrame(
        {name: pd.Series([row[name] for row in rows], dtype=object) for name in rows[0]}
    )


def effect_of(effect: Effect, written: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the columns that only a tune study's parameter has."""
    seen = "detected" if effect.detected else "none detected"
    return {"low_80": written(effect.low), "high_80": written(effect.high), "effect": seen}


def in_file(value: Value | None) -> str:
    """Return a parameter's value as a file has it; "" for none."""
    return "" if value is None else text_of(value)


def parameter_columns(search: Search) -> list[Column]:
    """Return the table of a search's parameters for the page."""
    rows = table(search).to_dict("records")
    columns = [
        Column("parameter", [row["parameter"] for row in rows], False),
        Column("range", [row["range"] for row in rows], False),
        Column("default", [row["default"] for row in rows]),
        Column(best_title(search), [row["best"] for row in rows]),
    ]
    if "effect" in rows[0]:
        ends = [
            f"{row['low_80']} to {row['high_80']}" if row["low_80"] else row["best_range"]
            for row in rows
        ]
        seen = ["detected" if row["effect"] == "detected" else "not detected" for row in rows]
        columns += [
            Column("best value (80 % interval)", ends, False),
            Column("effect", seen, False),
        ]
    else:
        columns.append(
            Column("best value (95 % interval)", [row["best_range"] for row in rows], False)
        )
    if rows[0]["importance"] is not None:
        columns.append(
            Column(
                "share of the score's variation (95 %)",
                [
                    f"{percent(row['importance'], 0)} "
                    f"({percent_ends(row['importance_low'], row['importance_high'], 0)})"
                    for row in rows
                ],
            )
        )
    return columns


def best_title(search: Search) -> str:
    """Return the title of the column of the best values."""
    if search.kind == "scan":
        return "best expected"
    return search.finalist or "best so far"


def search_warnings(search: Search) -> list[str]:
    """Return the caveats of a search, one sentence each."""
    texts, results = [], search.results
    if search.p_value >= SURE and not search.detects:
        texts.append(
            f"No effect of {listed([axis.name for axis in search.axes])} on the score is detected "
            f"over all blocks of the search (F-test, {p_text(search.p_value)})."
        )
    fit = search.answer.fit if search.duels else None
    if fit is not None and fit < MISFIT:
        texts.append(
            f"The games between points do not fit one strength a point ({p_text(fit)}): say that A "
            "beats B, B beats C and C beats A, or that the opponents like what loses to others. Trust "
            "the final alone."
        )
    given_up = sum(trial.state == PRUNED for trial in search.trials)
    if given_up:
        risk = search.prune_risk
        texts.append(
            f"{given_up} of {counted(len(search.trials), 'trial')} were given up early: on the "
            "same openings and opponents they fell short of the best finished trial known when "
            "they "
            f"began (Wilcoxon's signed-rank test, one-sided at {risk:g} after each rung)."
        )
    seats = results.seats[results.seats["engine"].isin(search.pool)]
    for name, rows in seats.groupby("engine"):
        failures = int((rows["failure"] != "").sum())
        lost = 1 - float(rows["returns"].mean())
        if failures and failures >= 0.5 * len(rows):
            texts.append(
                f"The opponent {name} failed in {failures} of {counted(len(rows), 'game')}: its "
                f"lost points carry no information."
            )
        elif lost >= ALWAYS or lost <= 1 - ALWAYS:
            verb, other = ("loses", "stronger") if lost >= ALWAYS else ("wins", "weaker")
            texts.append(
                f"The opponent {name} {verb} almost every game, so it hardly tells points apart: take "
                f"a {other} one, and run with another --out."
            )
    return texts


def with_age(model: Modelled, games: int) -> Answer:
    """Return the model's answer; where many games are new to it, that is said first."""
    if model.games * FRESH >= games:
        return model.answer
    first, *others = model.answer.lines
    told = f"By the first {model.games:,} of {games:,} games, as the model is being fitted anew"
    return replace(model.answer, lines=[f"{told}: {first}", *others])


def trial_values(search: Search) -> dict[str, Any]:
    """Return the table of the latest trials of a search."""
    results = search.results
    names = dict(zip(results.engines["id"], results.engines["name"], strict=True))
    latest = results.trials[: -TRIALS - 1 : -1]
    scores = [estimate_means(trial.scores, elo=False) for trial in latest]
    axes = [axis.name for axis in search.axes]
    others = [names.get(trial.other_engine, trial.other_engine) for trial in latest]
    against = [Column("against", others, False)] if search.duels else []
    columns = [
        Column("#", [str(trial.number) for trial in latest]),
        Column("engine", [names.get(trial.engine, trial.engine) for trial in latest], False),
        *against,
        Column("state", [trial.state for trial in latest], False),
        Column("blocks", [str(len(trial.scores)) for trial in latest]),
        Column(
            "0 to 100 %",
            [""] * len(latest),
            False,
            tuple(Bar(*_at(e.score_low, e.score, e.score_high)) for e in scores),
        ),
        Column("score", [percent(e.score) for e in scores]),
        Column("95 % interval", [percent_ends(e.score_low, e.score_high) for e in scores]),
        *(Column(name, [cell_text(trial.point.get(name)) for trial in latest]) for name in axes),
    ]
    states = [trial.state for trial in results.trials]
    return {
        "trials": columns,
        "count": len(states),
        "pruned": states.count(PRUNED),
        "unplayed": states.count(UNPLAYED),
        "shown": len(latest),
    }


def _at(*shares: float) -> Sequence[float]:
    return [round(100 * share, 2) for share in shares]


class SearchTelling(Telling):
    """The report of a run that searched a space, by a model of all its trials."""

    confirms = True
    first_wins = False
    modelled = True
    settled_by_games = False

    @property
    @abstractmethod
    def note(self) -> str:
        """How to read the table of parameters."""

    @cached_property
    def search(self) -> Search:
        """The trials of the run and their evaluation."""
        return Search.of(self.results)

    @abstractmethod
    def lines(self) -> tuple[list[str], str | None]:
        """Return the lines of the answer and the winner's name, for a search with trials."""

    def answer(self) -> Answer:
        """Say what the search found."""
        lines, winner = ["No trial was finished, so there is no answer."], None
        if self.search.trials:
            lines, winner = self.lines()
        return Answer(three_lines([*lines, *self.claims()]), winner)

    def claims(self) -> list[str]:
        """Return the line on results that programs reported, if there is one."""
        return [line for line in [claims_line(self.results)] if line]

    def warnings(self) -> list[str]:
        """Return the caveats of the search."""
        return search_warnings(self.search) if self.results.trials else []

    def write_files(self) -> None:
        """Write `parameters.csv`."""
        if self.results.trials:
            write_csv(table(self.search), self.results.folder / "parameters.csv")

    def parameters(self) -> pd.DataFrame:
        """Return the table of `parameters.csv`, with values as they are."""
        return (
            table(self.search, lambda value: value) if self.results.trials else super().parameters()
        )

    def subjects(self) -> dict[str, Any]:
        """Return the matches, and the search itself."""
        return super().subjects() | ({"search": self.search} if self.results.trials else {})

    def sections(self, program: str, folder: str) -> list[Section]:
        """Return the table of parameters."""
        if not self.results.trials:
            return []
        return [Section("Parameters", parameter_columns(self.search), self.note)]

    def model(self, playing: bool) -> Modelled:
        """Fit the model of the trials; return its answer, curves and ranges."""
        search, curves, ranges = self.search, dict[str, Curve](), dict[str, str]()
        dots: dict[str, list[dict[str, Any]]] = {}
        answer = self.answer_of_model(playing)
        if self.results.trials:
            curves = {axis.name: search.curve(axis) for axis in search.axes}
            dots = {axis.name: binned(search, axis, curves[axis.name]) for axis in search.axes}
            ranges = {axis.name: range_text(search, axis.name) for axis in search.axes}
        return Modelled(
            answer, curves, dots, ranges, len(self.results.trials), len(self.results.games)
        )

    def answer_of_model(self, playing: bool) -> Answer:
        """Return the answer of a watched page after a fit."""
        return self.answer()

    def answer_now(self, model: Modelled | None) -> Answer:
        """Return the model's answer, once there is one."""
        if model is not None:
            return with_age(model, len(self.results.games))
        if not self.results.trials:
            return Answer(["No trial is finished yet, so there is no answer."])
        return Answer(["The model is being fitted to the games so far."])

    def warnings_now(self) -> list[str]:
        """Return nothing: these caveats come from the model."""
        return []

    def to_come(self) -> list[str]:
        """Say what will decide."""
        return []

    def charts(self, model: Modelled | None) -> list[tuple[str, list[Chart]]]:
        """Return the score against each searched parameter."""
        curves, dots = (model.curves, model.dots) if model else ({}, {})
        drawn = search_charts(self.search, curves, dots)
        return [("", drawn)] if drawn else []

    def trials(self) -> dict[str, Any]:
        """Return the table of the latest trials."""
        return trial_values(self.search)
