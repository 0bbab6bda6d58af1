"""Which time per move is told: the median, or the mean where an engine thinks in few of its moves."""

from __future__ import annotations

import pytest

from joute.reports.reading.move_time import MEAN, MEDIAN, time_words, told

EVEN = {"median_ms": 0.02, "mean_ms": 0.03}
SPLIT = {"median_ms": 0.0105, "mean_ms": 37.7}


@pytest.mark.parametrize(
    ("rows", "column"), [([EVEN], MEDIAN), ([SPLIT], MEAN), ([EVEN, SPLIT], MEAN), ([], MEDIAN)]
)
def test_one_column_for_all_engines_of_a_stage(rows: list[dict[str, float]], column: str) -> None:
    assert told(rows) == column


def test_a_mean_is_told_with_its_median() -> None:
    assert time_words(EVEN, MEDIAN) == ("0.02 ms", "median")
    assert time_words(SPLIT, MEAN) == ("37.7 ms", "mean; median 0.0105 ms")
