"""The standings of a stage as a page shows them."""

from __future__ import annotations

from math import ceil, floor
from typing import Any

from joute.engines.record import KINDS
from joute.reports.page.html_table import Bar, Column
from joute.reports.reading.answer import Answer
from joute.reports.reading.words import ordinal
from joute.results.frames import MEAN_RANK, PLACES, Results
from joute.results.quantity import elo_ends, elo_text, likelihood, percent
from joute.results.ratings.ratings import FEW
from joute.results.standings import groups_of, standings_table
from joute.results.tables import cell_text

ELO = ("elo_low", "elo", "elo_high")
EVEN = 0.5
LONG = 16  # characters of a verdict from which it is broken into lines
APART = 2  # settings that have columns of their own, at most
SHORT = 10  # letters of a setting that has a column, at most


def standing_columns(results: Results, stage: str, answer: Answer | None) -> list[Column]:
    """Return the standings of a stage as a table, each score with a bar of its interval, and of the
    settings those that differ; the answer, if given, marks the first of the last stage.
    """
    table = standings_table(results, stage)
    rows: list[dict[Any, Any]] = table.to_dict("records")
    rated = any(row["elo"] is not None for row in rows)
    answered = answer if stage == results.stages[-1] else None
    ratings = [group.ratings for group in groups_of(results, stage)]
    openings = min((one.clusters for one in ratings if one is not None), default=FEW)
    verdicts = [_verdict(row, answered, openings) for row in rows]
    long = any(len(text) > LONG for text in verdicts)
    settings = settings_columns(rows, results.grid)
    columns = [
        *([Column("group", [row["group"] for row in rows], False)] if any(table["group"]) else []),
        Column("#", [str(row["rank"]) for row in rows]),
        Column("engine", [row["engine"] for row in rows], False, wraps=True),
        *_scores(rows, results.players),
        *(column for column in settings if not column.below),
        elo_bars(rows) if results.adaptive(stage) and rated else bars_of(rows, results.players),
        Column("verdict", verdicts, False, wraps=long),
    ]
    if rated:
        columns += [
            Column("Elo", [elo_text(row["elo"]) for row in rows]),
            Column("95 % interval", [elo_ends(row["elo_low"], row["elo_high"]) for row in rows]),
            Column("stronger than ★", [_chance(row["los_vs_best"]) for row in rows]),
        ]
    columns += [
        Column("games", [f"{row['games']:,}" for row in rows]),
        *_counts(rows, results.players),
    ]
    if any(row["nodes_per_move"] for row in rows):  # programs may not tell it
        looked = [_count(row["nodes_per_move"] or None) for row in rows]
        columns.append(Column("positions per move", looked))
    for name in (*KINDS, "slow"):
        if any(row[name] for row in rows):
            title = "slow moves" if name == "slow" else name
            columns.append(Column(title, [str(row[name]) for row in rows]))
    return columns + [column for column in settings if column.below]


def settings_columns(rows: list[dict[Any, Any]], names: list[str]) -> list[Column]:
    """Return the settings in which engines of the stage differ: a column each, or a line under each engine
    if they are many or long. One that fewer than two engines have is no difference; those that the names of
    all engines tell are not told again, nor in such a line what the engine's own name tells.
    """
    differ = [
        name
        for name in names
        if len({repr(row[name]) for row in rows if row[name] is not None}) > 1
        and not all(_told(row["engine"], name, cell_text(row[name])) for row in rows)
    ]
    longest = max((len(cell_text(row[name])) for row in rows for name in differ), default=0)
    if len(differ) <= APART and longest <= SHORT:
        return [Column(name, [cell_text(row[name]) for row in rows]) for name in differ]
    texts = [
        ", ".join(
            f"{name} {cell_text(row[name])}"
            for name in differ
            if row[name] is not None and not _told(row["engine"], name, cell_text(row[name]))
        )
        for row in rows
    ]
    return [Column("settings that differ", texts, False, below=True)]


def _told(engine: str, name: str, value: str) -> bool:
    """Whether an engine's name tells a setting: `depth=4,width=1`, or a program's command alone."""
    return f"{name}={value}" in engine or engine == value


def bars_of(rows: list[dict[Any, Any]], players: int = 2) -> Column:
    """Return the scores with their intervals as bars, all to one scale of whole tens of percent."""
    ends = [(row["score_low"], row["score"], row["score_high"]) for row in rows]
    bars, low, high, middle = bars_between(ends, 0.5, 0.1)
    title = f"{percent(low, 0).removesuffix(' %')} to {percent(high, 0)}"
    title = title if players == 2 else f"score, {title}"
    return Column(title, [""] * len(rows), False, bars, middle)


def elo_bars(rows: list[dict[Any, Any]]) -> Column:
    """Return the ratings with their intervals as bars, all to one scale of whole hundreds of Elo; where
    results set no limit, a bar ends at that of the scale.
    """
    known = [row[name] for row in rows for name in ELO if row[name] is not None]
    low, high = min([*known, 0.0]), max([*known, 0.0])
    ends = []
    for row in rows:
        left, right = (low if row["elo_low"] is None else row["elo_low"]), row["elo_high"]
        right = high if right is None else right
        ends.append((left, (left + right) / 2 if row["elo"] is None else row["elo"], right))
    bars, low, high, middle = bars_between(ends, 0.0, 100.0)
    return Column(f"Elo {low:+.0f} to {high:+.0f}", [""] * len(rows), False, bars, middle)


def bars_between(
    ends: list[tuple[float, float, float]], middle: float, step: float
) -> tuple[tuple[Bar, ...], float, float, float]:
    """Return bars of (low, value, high) on one scale of whole steps about a middle, with the ends of the
    scale and where its middle lies.
    """
    low = floor(min([*(one for one, _, _ in ends), middle]) / step + 1e-9) * step
    high = ceil(max([*(one for _, _, one in ends), middle]) / step - 1e-9) * step
    wide = max(high - low, step)

    def at(value: float) -> float:
        return float(round(100 * (value - low) / wide, 2))

    return tuple(Bar(*map(at, one)) for one in ends), low, high, at(middle)


def _scores(rows: list[dict[Any, Any]], players: int) -> list[Column]:
    """Return the score with its interval; among more than two players the mean rank."""
    name, low, high = "score", "score_low", "score_high"
    if players > 2:
        name, low, high = MEAN_RANK

    def shown(value: float) -> str:
        return percent(value) if players == 2 else f"{value:.2f}"

    return [
        Column(name.replace("_", " "), [shown(row[name]) for row in rows]),
        Column("95 % interval", [f"{shown(row[low])} to {shown(row[high])}" for row in rows]),
    ]


def _counts(rows: list[dict[Any, Any]], players: int) -> list[Column]:
    """Return wins, draws and losses; among more than two players how often each place was taken."""
    if players == 2:
        counts = [f"{row['wins']} {row['draws']} {row['losses']}" for row in rows]
        return [Column("won drawn lost", counts)]
    return [
        Column(ordinal(place), [cell_text(row[name]) for row in rows])
        for place, name in enumerate(PLACES[:players], 1)
    ]


def _chance(los: float | None) -> str:
    return "" if los is None else likelihood(los)


def _count(number: float | None) -> str:
    return "" if number is None else f"{number:,.0f}"


def _verdict(row: dict[Any, Any], answer: Answer | None, openings: int) -> str:
    """Describe an engine's place; in the last stage by the answer. Few openings are named."""
    engine, first, tied = row["engine"], row["rank"] == 1, row["tied_with_best"]
    if answer is not None and engine in answer.excluded:
        return "too slow to win"
    if answer is not None and answer.leader is not None:
        first, tied = engine == answer.leader, engine in answer.tied
    few = f" ({openings} openings)" if openings < FEW else ""
    if first and row["score"] == EVEN and tied and answer is not None and not answer.winner:
        return "= level"
    return "★ first" if first else f"≈ not told apart{few}" if tied else ""
