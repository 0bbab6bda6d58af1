"""Every plot draws what its numbers say, and the same bytes for the same games."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

from joute.engines.record import EngineRecord
from joute.reports.plots.heatmap import HeatmapPlot
from joute.reports.plots.labels import name_points
from joute.reports.plots.ladder import LadderPlot
from joute.reports.plots.plot import Plot
from joute.reports.plots.style import colour_bar, drawn, figure
from joute.reports.plots.time_strength import TimeStrengthPlot
from joute.reports.plots.write import plots, write_plots
from joute.results.standings import standings_table
from joute.results.store import Store
from joute.results.tables import Results, load
from tests.support import synthetic_runs as runs

GAMES = ["ladder", "heatmap", "crosstable", "time_strength", "first_player"]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return load(runs.campaign(tmp_path_factory.mktemp("campaign"), depths=(4, 5), blocks=4))


def texts(figure) -> str:  # type: ignore[no-untyped-def]
    figure.draw_without_rendering()
    return " ".join(
        text.get_text() for text in figure.findobj(match=lambda a: hasattr(a, "get_text"))
    )


def test_the_folder_is_scanned() -> None:
    names = [plot.name for plot in plots()]
    assert [n for n in names if n in GAMES] == GAMES
    assert set(names) - set(GAMES) == {
        *("curve", "posterior", "regret", "history", "importance", "contour", "parallel"),
        *("generations", "learning", "gates", "training_space"),
    }
    assert all(plot.title for plot in plots())


@pytest.mark.parametrize(
    ("plot", "told"),
    [(LadderPlot(), "Arrow: somewhere beyond"), (TimeStrengthPlot(), "Not shown: ")],
)
def test_an_engine_without_a_rating_does_not_turn_elo_into_scores(
    plot: Plot, told: str, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_last(results: Results, stage: str) -> pd.DataFrame:
        table = standings_table(results, stage)
        table.loc[len(table) - 1, ["elo", "elo_low"]] = None
        return table

    monkeypatch.setattr(sys.modules[type(plot).__module__], "standings_table", without_last)
    shown = texts(plot.draw(results)[0])
    assert told in shown and "Elo (0 = average" in shown and "eturn (%)" not in shown


@pytest.mark.parametrize("name", GAMES)
def test_a_plot_has_a_title_and_numbers(results: Results, name: str) -> None:
    plot = next(plot for plot in plots() if name == plot.name)
    assert plot.wanted(results)
    figure, numbers = plot.draw(results)
    assert len(numbers)
    shown = texts(figure)
    assert "stage" in shown
    assert "nan" not in shown


def test_the_heatmap_says_that_its_rows_did_not_meet(results: Results) -> None:
    plot = next(plot for plot in plots() if plot.name == "heatmap")
    figure, numbers = plot.draw(results)
    shown = texts(figure).replace("\n", " ")
    assert "Each row (depth) is a separate round robin" in shown
    assert len(numbers) == 14
    assert set(numbers["stage"]) == {"widths"}


def test_a_heatmap_needs_two_numeric_parameters(tmp_path: Path, results: Results) -> None:
    heatmap = HeatmapPlot()
    assert heatmap.wanted(results)
    assert not heatmap.wanted(load(runs.match(tmp_path)))


def test_a_heatmap_needs_engines_in_most_of_its_cells(tmp_path: Path) -> None:
    """Of a final between two points there would be a diagonal."""
    points = [(12, 100), (20, 90), (12, 90)]
    for count in (2, 3):
        players = runs.Players({f"e{i}": 10.0 * i for i in range(count)})
        with Store.create(tmp_path / str(count)) as store:
            store.add_engines(
                [
                    runs.engine(f"e{i}", hold=hold, rush=rush)
                    for i, (hold, rush) in enumerate(points[:count])
                ]
            )
            for block, (a, b) in enumerate(itertools.combinations(players.strengths, 2)):
                store.add_games(players.pair(a, b, "one", 0, block))
            store.set_meta(runs.META)
        assert HeatmapPlot().wanted(load(tmp_path / str(count))) == (count == 3)


def test_files_are_written_and_repeatable(results: Results) -> None:
    folder = results.folder / "plots"
    drawn = write_plots(results)
    names = {f"{plot.name}.{kind}" for plot in drawn for kind in ("png", "svg", "csv")}
    assert {path.name for path in folder.iterdir()} == names
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    write_plots(results)
    assert before == {path.name: path.read_bytes() for path in folder.iterdir()}
    assert all(data.startswith(b"\x89PNG") for name, data in before.items() if name.endswith("png"))


def test_a_name_is_a_text_whatever_signs_are_in_it(tmp_path: Path) -> None:
    names = ["$\\frac{1$", "a$_$b", r"100 % \textbf"]
    players = runs.Players(dict.fromkeys(names, 0.0))
    with Store.create(tmp_path) as store:
        store.add_engines([runs.engine(name, depth=i) for i, name in enumerate(names)])
        for block, (a, b) in enumerate(itertools.combinations(names, 2)):
            store.add_games(players.pair(a, b, "one", 0, block))
        store.set_meta(runs.META)
    drawn = {plot.name for plot in write_plots(load(tmp_path))}
    assert {"ladder", "crosstable", "first_player"} <= drawn


@pytest.mark.parametrize(("engines", "length"), [(2, 400), (4, 150), (12, 150)])
def test_long_names_leave_room_for_the_axes(engines: int, length: int, tmp_path: Path) -> None:
    names = [f"{i} {'of a name without end ' * 20}"[:length] for i in range(engines)]
    records = [EngineRecord(f"e{i}", name, "x/y", {"k": i}, "d") for i, name in enumerate(names)]
    players = runs.Players({record.id: 0.0 for record in records})
    with Store.create(tmp_path) as store:
        store.add_engines(records)
        store.set_meta({**runs.META, "stages": '["main"]'})
        for order, (one, two) in enumerate(itertools.combinations(records, 2)):
            store.add_games(players.pair(one.id, two.id, "main", 0, order))
    found = load(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # "constrained_layout not applied"
        drawings = [
            drawn(plot.draw(found)[0], "png")
            for plot in plots()
            if plot.name in GAMES and plot.wanted(found)
        ]
    assert len(drawings) >= 2


def test_nothing_is_drawn_of_an_empty_run(tmp_path: Path) -> None:
    Store.create(tmp_path).close()
    assert write_plots(load(tmp_path)) == []


def test_names_of_points_cover_neither_each_other_nor_the_frame() -> None:
    made, axes = figure()
    points = [
        (0.0, 0.0, "the first of all"),
        (0.05, 0.02, "one close to it"),
        (1.0, 1.0, "the last"),
    ]
    points += [(0.05 * i, 0.4 + 0.06 * i, f"number {i} of a crowd") for i in range(6)]
    axes.scatter([x for x, _, _ in points], [y for _, y, _ in points])
    name_points(made, axes, points)
    made.draw_without_rendering()
    notes = [text for text in axes.texts if isinstance(text, Annotation)]
    assert [note.get_text() for note in notes] == [name for _, _, name in points]
    frame, boxes = axes.get_window_extent(), [note.get_window_extent() for note in notes]
    assert all(frame.x0 <= box.x0 and box.x1 <= frame.x1 for box in boxes)
    apart = [
        Bbox.intersection(one, other) is None for one, other in itertools.combinations(boxes, 2)
    ]
    assert all(apart)


def test_matplotlib_without_a_place_for_its_files_says_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from joute.reports.plots.style import figure; figure()"],
        env={**os.environ, "MPLCONFIGDIR": "/proc/nowhere", "HOME": "/proc/nowhere"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_colour_bar_has_labels_of_its_range_alone() -> None:
    made, axes = figure()
    levels = np.linspace(22.7, 84.6, 13)
    image = axes.contourf([0, 1], [0, 1], [[22.7, 30], [40, 84.6]], levels=levels, extend="both")
    colour_bar(made, image, axes, "expected score (%)")
    assert list(made.axes[1].get_yticks()) == [40, 60, 80]
