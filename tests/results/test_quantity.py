"""A number is written in the same way wherever it is shown."""

from __future__ import annotations

import pytest

from joute.reports.export.provenance import interval
from joute.results.quantity import ELO, POINTS, SHARE, elo_text, likelihood, percent
from joute.results.tables import cell_text


@pytest.mark.parametrize("score", [0.47446, 0.47454, 0.4745, 0.4625, 0.47444999, 0.9745, 0.00045])
def test_a_score_reads_the_same_from_a_run_and_from_the_file_that_keeps_it(score: float) -> None:
    kept = round(score, 4)  # winner.json, standings.csv
    assert percent(score) == percent(kept) == SHARE.number(kept) + " %"
    assert cell_text(100 * score, "score_percent") + " %" == percent(score)
    told = {"score_low": kept, "score_high": kept}
    assert interval(told, "score", percent) == f" (95 %: {percent(score)} to {percent(score)})"


def test_halves_go_away_from_zero() -> None:
    assert [percent(s) for s in (0.4745, 0.4625, 0.0005, 0.4735)] == [
        *("47.5 %", "46.3 %", "0.1 %", "47.4 %"),
    ]
    assert [percent(s, 0) for s in (0.625, 0.615, 0.005)] == ["63 %", "62 %", "1 %"]
    assert [POINTS.number(s) for s in (0.0125, -0.0125, 0.0)] == ["+1.3", "-1.3", "0.0"]
    assert [elo_text(e) for e in (12.46, 12.5, -12.5, -0.04, None)] == [
        *("+13", "+13", "-13", "0", "?"),
    ]
    assert {likelihood(c) for c in (0.99946, 0.9995, 1.0)} == {"over 99.9 %"}
    assert elo_text(12.46) == elo_text(round(12.46, ELO.kept))
