"""The answer card: its verdict, and that the next command that it names can be typed."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from joute.reports.card import KEEP, TAKE, UNKNOWN, Card, card_of
from joute.reports.telling import answer, winner_of
from joute.results.tables import load
from tests.support.runs import here, play, study_of
from tests.support.searches import tune_text

MATCH = """
name = "m"
kind = "match"
game = "connect4"
seed = 5
blocks = 2
[a]
spec = "{}"
[b]
spec = "random"
"""
FIELD = """
name = "t"
kind = "tournament"
game = "connect4"
seed = 5
[[entrants]]
spec = "uct:iterations=20"
[[entrants]]
spec = "uct:iterations=21"
[schedule]
blocks = 2
"""
STRONG = "alphabeta:evaluation=lines,depth=3"


def card_in(folder: Path) -> Card:
    """Return the card of a run."""
    results = load(folder)
    answered = answer(results)
    card = card_of(results, answered, winner_of(results, answered))
    assert card is not None
    return card


@pytest.mark.parametrize("text", [MATCH.format("random"), FIELD])
def test_where_nothing_is_known_the_next_command_plays_more(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    play(study_of(tmp_path, text), tmp_path / "run")
    card = card_in(tmp_path / "run")
    assert card.verdict == UNKNOWN and card.title.startswith("Cannot tell")
    before = len(load(tmp_path / "run").games)
    assert here(*shlex.split(card.command)[1:]).exit_code == 0
    assert len(load(tmp_path / "run").games) == 4 * before


def test_a_winner_is_taken_and_the_page_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = MATCH.format(STRONG).replace("blocks = 2", "blocks = 12")
    play(study_of(tmp_path, text), tmp_path / "run")
    card = card_in(tmp_path / "run")
    assert card.verdict == TAKE and dict(card.facts)["scores"].endswith("games of the stage main")
    assert here(*shlex.split(card.command)[1:]).exit_code == 0 and [*Path().glob("*.py")]
    assert here("report", "run").exit_code == 0
    page = (tmp_path / "run" / "report.html").read_text()
    assert f'<p class="verdict">{card.title}</p>' in page and card.command in page


@pytest.mark.slow
def test_a_search_that_shows_nothing_keeps_the_default(tmp_path: Path) -> None:
    play(study_of(tmp_path, tune_text("200 games")), tmp_path / "run", workers=2)
    card = card_in(tmp_path / "run")
    assert card.verdict in (KEEP, TAKE) and "run" in card.command
