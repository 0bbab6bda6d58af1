"""The last stage's standings as the terminal prints them: a table of a field, or data for a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from joute.reports.reading.answer import Answer
    from joute.results.frames import Results

SHOWN = 12  # engines in a terminal; standings.csv and the report have all
DATA = (
    *("rank", "engine", "games", "blocks", "wins", "draws", "losses"),
    *("score", "score_low", "score_high", "elo", "elo_low", "elo_high", "tied_with_best"),
)


def last_standings(results: Results) -> list[dict[str, Any]]:
    """Return the rows of the last stage's standings, best first; none before a game has ended."""
    from joute.results.standings import standings_table

    matches = results.matches
    if not matches.stages or not len(matches.games):
        return []
    rows = standings_table(matches, matches.stages[-1]).to_dict("records")
    return [{str(key): value for key, value in row.items()} for row in rows]


def standings_data(results: Results) -> list[dict[str, Any]]:
    """Return the same for `--json`: what is not known is null."""
    from joute.reports.reading.winner import rounded

    return [
        {key: rounded(key, row[key]) for key in DATA if key in row}
        | ({"group": row["group"]} if row["group"] else {})
        for row in last_standings(results)
    ]


def ranking(results: Results, answer: Answer) -> str:
    """Return the ranking of a field of three engines and more as a table, with the ties of the answer; ""
    of any other run, and where the answer names no first.
    """
    from tabulate import tabulate

    from joute.results.quantity import elo_ends, elo_text, percent, percent_ends

    rows = last_standings(results)
    named = answer.leader is not None or answer.apart
    if results.search is not None or results.training or len(rows) < 3 or not named:
        return ""
    tied = [
        row["engine"] in answer.tied if answer.leader else row["tied_with_best"] and row["rank"] > 1
        for row in rows[:SHOWN]
    ]
    table = [
        [
            row["rank"],
            f"{row['engine']} =" if equal else row["engine"],
            f"{percent(row['score'])} ({percent_ends(row['score_low'], row['score_high'])})",
            f"{elo_text(row['elo'])} ({elo_ends(row['elo_low'], row['elo_high'])})",
            row["games"],
        ]
        for row, equal in zip(rows, tied, strict=False)
    ]
    grouped = len({row["group"] for row in rows}) > 1
    if grouped:
        table = [[row["group"], *line] for row, line in zip(rows, table, strict=False)]
    headers = [*(["group"] if grouped else []), "", "engine", "score", "Elo", "games"]
    lines = tabulate(table, headers, "simple", disable_numparse=True)
    notes = ["=: the games cannot tell it from the first"] if any(tied) else []
    notes += [f"{len(rows) - SHOWN} more: standings.csv"] if len(rows) > SHOWN else []
    return "\n".join([lines, *notes])
