"""Which time per move is told: the median, or the mean where an engine thinks in few of its moves."""

from __future__ import annotations

import pytest

from joute.reports.reading.move_time import MEAN, MEDIAN, time_words, told

EVEN = {"median_ms": 0.02, "mean_ms": 0.03, "p95_ms": 0.05}
SPLIT = {"median_ms": 0.0105, "mean_ms": 37.7, "p95_ms": 91.7}
PAUSE = {"median_ms": 0.009, "mean_ms": 0.05, "p95_ms": 0.012}  # one move of many
TINY = {"median_ms": 0.004, "mean_ms": 0.04, "p95_ms": 0.16}  # three of 48


@pytest.mark.parametrize(
    ("rows", "column"),
    [
        ([EVEN], MEDIAN),
        ([SPLIT], MEAN),
        ([EVEN, SPLIT], MEAN),
        ([PAUSE], MEDIAN),
        ([TINY], MEDIAN),
        ([], MEDIAN),
    ],
)
def test_one_column_for_all_engines_of_a_stage(rows: list[dict[str, float]], column: str) -> None:
    assert told(rows) == column


def test_a_mean_is_told_with_its_median() -> None:
    assert time_words(EVEN, MEDIAN) == ("20 µs", "median")
    assert time_words(SPLIT, MEAN) == ("37.7 ms", "mean; median 10.5 µs")
