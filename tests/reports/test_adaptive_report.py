"""Reports of adaptive pairings: opponents differ, so ratings are shown where scores are otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from joute.reports.page.standings import bars_between, elo_bars, standing_columns
from joute.reports.plots.heatmap import HeatmapPlot
from joute.reports.reading.answer import match_answer
from joute.reports.watch.charts import expected, grid_charts
from joute.results.frames import Results
from joute.results.tables import load
from tests.support.runs import here

STUDY = """name = "widths"
kind = "tournament"
game = "connect4"
seed = 1
[engine]
search = "alphabeta"
evaluation = "static"
[grid]
depth = [1, 2, 3]
width = [0.5, 1.0]
[schedule]
blocks = 12
type = "adaptive"
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("adaptive")
    (folder / "s.toml").write_text(STUDY)
    done = here("run", folder / "s.toml", "--out", folder / "run")
    assert done.exit_code == 0 and "a lead of" in done.output, done.output
    return folder / "run"


@pytest.fixture(scope="module")
def results(run: Path) -> Results:
    return load(run)


def test_a_page_tells_the_rating_and_warns_of_scores(run: Path) -> None:
    page = " ".join((run / "report.html").read_text().split())
    assert "0 is the average of the field" in page and "compare Elo, not scores" in page
    assert "Elo by " in (run / "plots" / "heatmap.svg").read_text()


def test_the_heat_map_shows_elo(results: Results) -> None:
    _, numbers = HeatmapPlot().draw(results)
    shown = ["elo", "elo_low", "elo_high", "tied_with_best", "games"]
    assert [*numbers.columns[-5:]] == shown and len(numbers) == 6


def test_standings_have_bars_of_elo(results: Results) -> None:
    columns = standing_columns(results, "main", match_answer(results))
    assert any(column.title.startswith("Elo -") for column in columns)


def test_bars_share_a_scale_of_whole_hundreds() -> None:
    rows = [
        {"elo_low": -120.0, "elo": -20.0, "elo_high": 80.0},
        {"elo_low": 60.0, "elo": None, "elo_high": None},
    ]
    column = elo_bars(rows)
    assert column.title == "Elo -200 to +100"
    bars, low, high, middle = bars_between([(-120.0, -20.0, 80.0)], 0.0, 100.0)
    assert (low, high, middle) == (-200.0, 100.0, 66.67)
    assert [*bars[0]] == [26.67, 60.0, 93.33]


def test_charts_show_what_ratings_promise(results: Results) -> None:
    assert [chart.title for chart in grid_charts(results, "main")]
    none = {"elo": None, "elo_low": None, "elo_high": 400.0}
    promised = expected({"elo": 400.0, "elo_low": 0.0, "elo_high": None})
    assert promised == pytest.approx({"score": 10 / 11, "score_low": 0.5, "score_high": 1.0})
    assert expected(none) == pytest.approx(
        {"score": 10 / 11, "score_low": 0.0, "score_high": 10 / 11}
    )
