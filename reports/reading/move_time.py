"""The time per move that is told and compared: the median, or the mean where moves differ much."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from joute.results.quantity import milliseconds

SKEWED = 5
"""Times the median from which the mean tells more: say, an engine that thinks in a third of its moves."""
LEAST = 1.0
"""Milliseconds of a mean below which pauses of the machine may make it."""
MEDIAN, MEAN = "median_ms", "mean_ms"


def told(rows: Iterable[Mapping[Any, Any]]) -> str:
    """Return the column of `times.csv` by which engines of a stage are told and compared: one for all of
    them, the mean if that of any is far above its median. Pauses of the machine are no reason: then the
    mean is of milliseconds, and not above all but the slowest twentieth of the moves.
    """
    skewed = any(
        row[MEAN] >= LEAST and SKEWED * row[MEDIAN] < row[MEAN] <= row["p95_ms"] for row in rows
    )
    return MEAN if skewed else MEDIAN


def name_of(column: str) -> str:
    """Return the column's name in words."""
    return column.removesuffix("_ms")


def time_words(row: Mapping[Any, Any], column: str) -> tuple[str, str]:
    """Return an engine's time per move, and what it is: "median", or "mean; median 3 ms"."""
    median = f"; median {milliseconds(row[MEDIAN])}" if column == MEAN else ""
    return milliseconds(row[column]), f"{name_of(column)}{median}"
