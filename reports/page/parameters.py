"""The parameters of a search: `parameters.csv`, their table in the report, and what to beware of."""

from __future__ import annotations

from typing import Any

import pandas as pd

from joute.engines.parameter import text_of
from joute.reports.page.html_table import Column
from joute.reports.page.search import SURE, Search
from joute.reports.page.search_answer import p_text, range_text
from joute.reports.page.words import counted, listed, percent
from joute.results.frames import Results
from joute.results.tables import write_csv
from joute.studies.tuner.answer import Effect
from joute.studies.tuner.trial import PRUNED

ALWAYS = 0.98
"""Score from which an opponent tells nothing any more."""


def table(found: Search) -> pd.DataFrame:
    """Return one row a parameter: its range, default, best value with interval, importance.

    Of a tune study also the middle 80 % of where the best may lie (numbers), and whether an effect
    is detected.
    """
    rows = []
    effects = {} if found.kind == "scan" else {one.name: one for one in found.answer.effects()}
    for axis in found.axes:
        share = found.importance.get(axis.name) if len(found.axes) > 1 else None
        default = found.default_point.get(axis.name)
        best = found.best.get(axis.name)
        said = axis.as_written()
        effect = effects.get(axis.name)
        rows.append(
            {
                "parameter": axis.name,
                "range": ", ".join(axis.choices)
                if axis.choices
                else f"{text_of(said['from'])} to {text_of(said['to'])}",
                "default": "" if default is None else text_of(default),
                "best": "" if best is None else text_of(best),
                "best_range": range_text(found, axis.name),
                **({} if effect is None else effect_of(effect)),
                "importance": None if share is None else round(share[0], 4),
                "importance_low": None if share is None else round(share[1], 4),
                "importance_high": None if share is None else round(share[2], 4),
            }
        )
    return pd.DataFrame(
        {name: pd.Series([row[name] for row in rows], dtype=object) for name in rows[0]}
    )


def effect_of(effect: Effect) -> dict[str, Any]:
    """Return the columns of a tune study's parameter that a scan's has not."""
    low, high = ("" if end is None else text_of(end) for end in (effect.low, effect.high))
    seen = "detected" if effect.detected else "none detected"
    return {"low_80": low, "high_80": high, "effect": seen}


def write_parameters(results: Results) -> None:
    """Write `parameters.csv` of a search that has trials."""
    if results.search is not None and results.trials:
        write_csv(table(Search.of(results)), results.folder / "parameters.csv")


def parameter_columns(results: Results) -> list[Column]:
    """Return the table of a search's parameters for the page; no columns for other runs."""
    if results.search is None or not results.trials:
        return []
    rows = table(Search.of(results)).to_dict("records")
    columns = [
        Column("parameter", [row["parameter"] for row in rows], False),
        Column("range", [row["range"] for row in rows], False),
        Column("default", [row["default"] for row in rows]),
        Column("best expected", [row["best"] for row in rows]),
    ]
    if "effect" in rows[0]:
        ends = [
            f"{row['low_80']} to {row['high_80']}" if row["low_80"] else row["best_range"]
            for row in rows
        ]
        seen = [
            "detected" if row["effect"] == "detected" else "no detectable effect" for row in rows
        ]
        columns += [Column("80 % interval", ends, False), Column("effect", seen, False)]
    else:
        columns.append(Column("best may lie (95 %)", [row["best_range"] for row in rows], False))
    if rows[0]["importance"] is not None:
        columns.append(
            Column(
                "explains alone (95 %)",
                [
                    f"{percent(row['importance'], 0)} ({percent(row['importance_low'], 0)} to "
                    f"{percent(row['importance_high'], 0)})"
                    for row in rows
                ],
            )
        )
    return columns


def parameter_note(results: Results) -> str:
    """Say how the table of parameters is to be read."""
    if results.search is None or not results.trials:
        return ""
    if Search.of(results).kind == "scan":
        return (
            "By a model of all trials, never by the best trial alone: “best expected” is where it "
            "expects most, and the range holds the best value with 95 %."
        )
    return (
        "By a model of all games, those of the confirmation too: “best expected” is the point that it "
        "recommends now, the interval holds the best value with 80 % (of choices: those that may be "
        "best), and an effect is detected where some other value is surely worse, the others as at "
        "that point."
    )


def search_warnings(results: Results) -> list[str]:
    """Return what to beware of in a search, one sentence each."""
    if results.search is None or not results.trials:
        return []
    found, said = Search.of(results), []
    if found.p_value >= SURE:
        said.append(
            f"No effect of {listed([axis.name for axis in found.axes])} on the score is shown over "
            f"all blocks of the search (F-test, {p_text(found.p_value)})."
        )
    given_up = sum(trial.state == PRUNED for trial in found.trials)
    if given_up:
        risk = results.search["prune_risk"]
        said.append(
            f"{given_up} of {counted(len(found.trials), 'trial')} were given up early: on the same "
            "openings and opponents they fell short of the best finished trial known when they "
            f"began (Wilcoxon's signed-rank test, one-sided at {risk:g} after each rung)."
        )
    seats = results.seats[results.seats["engine"].isin(found.pool)]
    for name, rows in seats.groupby("engine"):
        failures = int((rows["failure"] != "").sum())
        lost = 1 - float(rows["returns"].mean())
        if failures and failures >= 0.5 * len(rows):
            said.append(
                f"The opponent {name} failed in {failures} of {counted(len(rows), 'game')}: points "
                "won against it say nothing."
            )
        elif lost >= ALWAYS or lost <= 1 - ALWAYS:
            verb = "loses" if lost >= ALWAYS else "wins"
            said.append(
                f"The opponent {name} {verb} almost every game: it tells points apart badly."
            )
    return said
