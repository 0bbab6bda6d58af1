"""Runs of three and four players: no wins, draws or pairs in the words, and every number in place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from joute.reports.page.page import report
from joute.reports.plots.write import plots
from joute.reports.reading.caveats import warnings
from joute.reports.telling import answer
from joute.results.quantity import elo_text
from joute.results.standings import groups_of, standings_table
from joute.results.tables import Results, load
from tests.support import synthetic_runs as runs
from tests.support.marks import slow

TWO = re.compile(r"\b(win|wins|won|draw|draws|loss|losses|lost|pairs?|points)\b", re.IGNORECASE)


@pytest.fixture(scope="module", params=[3, 4])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return runs.many(tmp_path_factory.mktemp("many"), request.param, blocks=8)


@pytest.fixture(scope="module")
def results(run: Path) -> Results:
    return load(run)


def test_the_answer_names_the_first_with_its_mean_rank(results: Results) -> None:
    said = answer(results)
    players = results.players
    assert said.first == "e1"
    assert re.match(
        rf"e1 is .*mean rank 1\.\d\d of {players} \(1\.\d\d to \d\.\d\d, ", said.lines[0]
    )
    assert not TWO.search(" ".join(said.lines))


def test_equal_engines_cannot_be_told_apart(tmp_path: Path) -> None:
    said = answer(load(runs.many(tmp_path, 4, blocks=4, gap=0)))
    assert said.lines[0].startswith("Cannot tell the engines apart: ")
    assert "with mean rank" in said.lines[0]
    assert not TWO.search(" ".join(said.lines))


@pytest.mark.parametrize(("elo", "seats"), [(250.0, 3), (200.0, 4)])
def test_a_match_says_who_finishes_before_whom(tmp_path: Path, elo: float, seats: int) -> None:
    said = answer(load(runs.many_match(tmp_path, seats, elo)))
    assert said.winner == "new"
    line = said.lines[0]
    assert line.startswith("new is stronger than old: new finishes before old in ")
    low, high = map(float, re.findall(r"Elo \+\d+ \(\+(\d+) to \+(\d+)\)", line)[0])
    assert low < elo < high
    assert "LOS over 99.9 %" in line
    assert not TWO.search(line)


def test_an_even_match_cannot_be_told(tmp_path: Path) -> None:
    said = answer(load(runs.many_match(tmp_path, 3, elo=0)))
    assert said.winner is None and said.lines[0].startswith("Cannot tell new from old")


@pytest.mark.parametrize("seats", [3, 4])
def test_a_match_that_all_went_one_way_has_no_elo(tmp_path: Path, seats: int) -> None:
    results = load(runs.many_match(tmp_path, seats, elo=9000, blocks=3, ties=0))
    [line, *_] = answer(results).lines
    assert "100.0 % (" in line and "all 3 blocks ended the same way" in line
    assert "Elo" not in line
    rows = standings_table(results, "main").to_dict("records")
    assert [row["engine"] for row in rows] == ["new", "old"]
    elos = [(row["elo_low"], row["elo"], row["elo_high"]) for row in rows]
    assert elos == [(None, None, None)] * 2  # as of two players
    assert not any("prior" in text for text in warnings(results))  # no rating is shown
    page = report(tmp_path).page.read_text("utf-8")
    assert '<th class="n">Elo</th>' not in page


@pytest.mark.parametrize("elo", [0, 40, 150])
def test_a_match_has_one_verdict(tmp_path: Path, elo: int) -> None:
    """Answer, card, table and Elo all follow from how often one finishes before the other."""
    results = load(runs.many_match(tmp_path, 3, elo=elo, blocks=6))
    [group] = groups_of(results, "main")
    found = answer(results)
    first, second = standings_table(results, "main").to_dict("records")
    duel = group.versus(first["engine"], second["engine"])
    assert second["tied_with_best"] == (found.winner is None) == bool(found.tied)
    assert found.winner in (None, first["engine"])
    assert second["los_vs_best"] == pytest.approx(1 - duel.los)
    assert first["elo"] == pytest.approx(duel.elo) == -second["elo"]
    assert (duel.elo_low > 0) == (found.winner is not None)
    assert f"Elo {elo_text(duel.elo)} (" in found.lines[0] or found.winner is None


def test_one_that_is_always_last_leaves_the_others_their_elo(tmp_path: Path) -> None:
    results = load(runs.many(tmp_path, 3, blocks=6, gap=0, last=9000, ties=0))
    rows = {row["engine"]: row for row in standings_table(results, "tables").to_dict("records")}
    assert rows["e5"]["elo"] is None and rows["e5"]["elo_low"] is None and rows["e5"]["rank"] == 5
    assert all(rows[name]["elo"] is not None for name in ("e1", "e2", "e3", "e4"))
    page = report(tmp_path).page.read_text("utf-8")
    assert ">?</td>" in page and "-∞ to" in page


def test_repeated_games_are_told_by_table(results: Results) -> None:
    copied = results.games.assign(digest=0)
    from dataclasses import replace

    [said] = [text for text in warnings(replace(results, games=copied)) if "repeat" in text]
    assert said.count(" against ") == results.players - 1


def test_every_plot_has_the_words_for_it(results: Results) -> None:
    shown = {}
    for plot in plots():
        if plot.of == "games" and plot.wanted(results):
            figure, _ = plot.draw(results)
            figure.draw_without_rendering()
            texts = figure.findobj(match=lambda artist: hasattr(artist, "get_text"))
            shown[plot.name] = " ".join(text.get_text() for text in texts)
    assert set(shown) == {"ladder", "crosstable", "time_strength", "first_player"}
    assert "Order of finish" in shown["crosstable"]
    assert "Score by seat" in shown["first_player"]
    assert f"moving {('third', 'fourth')[results.players - 3]}" in shown["first_player"]
    assert "nan" not in " ".join(shown.values())


def test_the_numbers_of_the_seats_are_theirs(results: Results) -> None:
    plot = next(plot for plot in plots() if plot.name == "first_player")
    _, numbers = plot.draw(results)
    everyone = numbers[numbers["engine"] == "all games"]
    assert list(everyone["moves"]) == ["first", "second", "third", "fourth"][: results.players]
    assert everyone["score"].mean() == pytest.approx(0.5)
    assert everyone["score"].iloc[0] > 0.5  # planted
    assert (everyone["games"] == len(results.games)).all()


@pytest.mark.parametrize("run", [3, slow(4)], indirect=True)
def test_the_page_has_places_and_no_words_of_two_players(run: Path) -> None:
    page = report(run).page.read_text("utf-8")
    text = re.sub(r"<svg.*?</svg>|<style.*?</style>", "", page, flags=re.DOTALL)
    for word in ("mean rank", "1st", "2nd", "3rd", "Plackett and Luce"):
        assert word in text
    assert "W D L" not in text and "Terry" not in text
    standings = (run / "standings.csv").read_text().splitlines()[0].split(",")
    assert "place_3" in standings and "wins" not in standings
    games = (run / "games.csv").read_text()
    assert ",score_third," in games and ",draw," not in games
