"""Failures and wall times as a page shows them."""

from __future__ import annotations

from typing import Any

from joute.reports.page.html_table import Column
from joute.results.frames import Results
from joute.results.quantity import milliseconds
from joute.results.tables import cell_text, times_table

EXCERPTS = 3
"""Failures quoted for each engine and kind."""
LINES = 6
"""Lines quoted of each."""


def time_columns(results: Results) -> list[Column]:
    """Return the times of moves, an engine a row."""
    table = times_table(results)
    rows: list[dict[Any, Any]] = table.to_dict("records")
    columns = [
        Column("stage", [row["stage"] for row in rows], False),
        Column("engine", [row["engine"] for row in rows], False),
        Column("moves", [str(row["moves"]) for row in rows]),
    ]
    for name in ("mean", "median", "p95", "p99", "max"):
        columns.append(Column(name, [milliseconds(row[f"{name}_ms"]) for row in rows]))
    if any(row["slow_moves"] is not None for row in rows):
        limit = milliseconds(results.number("slow_after_ms") or 0.0)
        columns.append(Column(f"over {limit}", [cell_text(row["slow_moves"]) for row in rows]))
    return columns


def failure_groups(results: Results) -> list[dict[str, Any]]:
    """Count the failures of each engine by kind, with the first lines of their texts."""
    groups = []
    grouped = results.failures.groupby(["engine", "kind"], sort=True)
    for (engine, kind), rows in grouped:
        texts = list(dict.fromkeys(_first_lines(text) for text in rows["text"] if text.strip()))
        games = zip(rows["game"].head(EXCERPTS), rows["ply"].head(EXCERPTS), strict=True)
        groups.append(
            {
                "engine": engine,
                "kind": kind,
                "count": len(rows),
                "texts": texts[:EXCERPTS],
                "games": [(str(game), int(ply)) for game, ply in games],
            }
        )
    return groups


def _first_lines(text: str) -> str:
    lines = text.strip().splitlines()
    shown = [line[:200] for line in lines[:LINES]]
    return "\n".join([*shown, "…"] if len(lines) > LINES else shown)
