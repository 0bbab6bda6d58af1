"""A book that is too small for a search is refused before any game; one that its final shares is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from joute.engines.errors import Refused
from joute.reports.reading.caveats import warnings
from joute.results.tables import load
from joute.studies.play.estimate import estimate_run
from joute.studies.play.study_run import run_study
from tests.support.runs import play, study_of

TUNE = """
name = "t"
kind = "tune"
game = "chess[plies=100]"
seed = 1
budget = "{}"
[engine]
search = "uct"
iterations = 2
[space]
k = {{ from = 0.1, to = 2.0 }}
[[opponents]]
name = "one"
search = "uct"
k = 1.5
[openings]
records = "book.epd"
"""


def book(folder: Path, count: int) -> None:
    pawns = [f"{'P' * i}1{'P' * (7 - i)}" for i in range(8)]
    lines = [
        f"rnbqkbnr/{black.lower()}/8/8/8/8/{white}/RNBQKBNR {mover} KQkq - 0 1"
        for mover in "wb"
        for black in pawns
        for white in pawns
    ]
    (folder / "book.epd").write_text("\n".join(lines[:count]) + "\n", "utf-8")


def test_a_search_of_more_blocks_than_openings_is_refused(tmp_path: Path) -> None:
    book(tmp_path, 60)
    study = study_of(tmp_path, TUNE.format("400 games"))
    with pytest.raises(Refused, match=r"only 60 openings .* the search takes 184, one a block"):
        run_study(study, tmp_path / "run", 1)
    assert not (tmp_path / "run").exists()


def test_a_dry_run_plays_what_a_small_book_has(tmp_path: Path) -> None:
    book(tmp_path, 9)
    assert estimate_run(study_of(tmp_path, TUNE.format("1m")), 1).data["seconds"] > 0


@pytest.mark.slow
def test_a_final_that_shares_the_searchs_openings_says_so(tmp_path: Path) -> None:
    book(tmp_path, 100)
    play(study_of(tmp_path, TUNE.format("180 games")), tmp_path / "run")
    results = load(tmp_path / "run")
    told = [text for text in warnings(results, True) if "not fresh" in text]
    assert told and told[0].startswith("final: ") and "the book has only 100" in told[0]
