"""The answer card: its verdict, and that the next command that it names can be typed."""

from __future__ import annotations

import shlex
from datetime import date
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


@pytest.mark.slow
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
def test_a_search_has_a_card_and_its_points_can_be_exported(tmp_path: Path) -> None:
    play(study_of(tmp_path, tune_text("200 games")), tmp_path / "run", workers=2)
    card = card_in(tmp_path / "run")
    assert card.verdict in (KEEP, TAKE) and "run" in card.command
    for point, why in (("trial-3", "the point of trial-3"), ("expected", "the model of all games")):
        file = tmp_path / f"{point}.json"
        done = here("export", tmp_path / "run", "--to", "json", "--point", point, "-o", file)
        assert done.exit_code == 0 and why in file.read_text(), done.stderr
        assert f"--point {point}" in file.read_text() and f"-o {file.name}" in file.read_text()
    said = here("export", tmp_path / "run", "--to", "json", "--point", "trial-9999").stderr
    assert "--point trial-9999: allowed: expected, trial-0 to trial-" in said


def test_the_page_begins_with_the_studys_question_and_its_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.toml").write_text(f"# Is <20> enough?\n{FIELD}")
    assert here("run", "s.toml", "--out", "run").exit_code == 0
    page = Path("run/report.html").read_text()
    assert "<p>Is &lt;20&gt; enough?</p>" in page and f" · {date.today().year}-" in page
    assert here("run", "run/study.toml", "--out", "run").exit_code == 0  # it has no comment
    assert "enough?</p>" in Path("run/report.html").read_text()
