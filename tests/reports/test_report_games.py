"""The games that a report lets its reader click: which they are, and that a browser plays them."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from joute.reports.page.chosen import DRAW, FAILED, FIRST, LONG, SHORT, chosen
from joute.reports.page.game_part import LARGEST, game_part, note_of
from joute.reports.page.page import report
from joute.results.frames import load
from tests.support.runs import play, study_of, study_text
from tests.support.synthetic_runs import campaign, many
from tests.support.watching import browser, measured, shown, with_browser

WITHOUT_A_MOUSE = """
const press = key => viewer.root.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
viewer.open([...known.values()].find(game => game.turns.length > 5));
press("End"); const end = viewer.now === viewer.last;
press("Home"); const home = viewer.now;
press("ArrowRight");
const parts = [...document.querySelectorAll("#viewer button, #viewer input, #games button.row")];
return [innerWidth, document.documentElement.scrollWidth, end, home, viewer.now,
        parts.every(one => one.tabIndex === 0)];
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("games")
    specs = ["alphabeta:evaluation=static,depth=2", "uct:iterations=30", "bad:how=illegal"]
    text = study_text(
        specs, blocks=2, game="connect4[columns=6,rows=5]", more="[openings]\nplies = 2"
    )
    play(study_of(folder, text), folder / "run")
    return report(folder / "run").results.folder


def test_games_are_chosen_in_turn_by_the_rule(tmp_path: Path) -> None:
    results = load(campaign(tmp_path, blocks=4))
    every = chosen(results, 10**6)
    assert len(every) == len({row for row, _ in every}) == len(results.games)
    few = chosen(results, 40)
    assert few == every[:40]
    failures = results.failures["game"].nunique()
    assert 0 < failures < 10
    often = Counter(why for _, why in few)
    assert often[FAILED] == failures and min(often[why] for why in (FIRST, DRAW, SHORT)) > 9
    games, seats = results.games, results.seats
    for row, why in few:
        own = seats[seats["game"] == row]
        if why == FAILED:
            assert (own["failure"] != "").any()
        if why == DRAW:
            assert (own["returns"] == 0.5).all()
        if why == LONG:
            assert (own["returns"] == 1).any()
        if why == SHORT:
            assert games["termination"][row] == "normal" and (own["returns"] == 1).any()
    assert len(chosen(load(many(tmp_path / "t", 3)), 30)) == 30


def test_a_page_holds_the_games_and_no_more_than_it_may(run: Path) -> None:
    results = load(run)
    part = game_part(results)
    data = json.loads(part.data)
    assert part.note == "All games of the run are here." and len(data["games"]) == 12
    assert {game["id"] for game in data["games"]} == part.ids
    assert all(len(game["turns"]) == game["row"]["plies"] + 1 for game in data["games"])
    room = len(part.data) // 2
    half = game_part(results, room)
    assert 0 < len(half.ids) < 12 and len(half.data) <= room
    assert half.note == note_of(len(half.ids), 12) and "games with a failure" in half.note
    page = (run / "report.html").read_text("utf-8")
    assert len(page.encode()) <= LARGEST
    linked = re.findall(r'href="#game=(\w+)"', page)
    assert linked and set(linked) <= part.ids  # failures lead to their games


def test_a_game_that_is_not_at_hand_is_told(tmp_path: Path) -> None:
    page = report(many(tmp_path / "run", 3)).page.read_text("utf-8")
    assert "No game can be shown: unknown game" in page and 'id="data"' not in page


@with_browser
def test_a_report_plays_its_games_from_a_file(run: Path, tmp_path: Path) -> None:
    data = json.loads(game_part(load(run)).data)
    game = max(data["games"], key=lambda one: len(one["turns"]))
    dom = shown(f"{(run / 'report.html').as_uri()}#game={game['id']}&move=5")
    assert '<svg class="board discs"' in dom and dom.count('class="moved"') == 1
    assert (
        dom.count('<circle class="s0"') + dom.count('<circle class="s1"') == 7
    )  # 2 of the opening
    assert "expects " in dom and all(f'<polyline class="p{i} d{i}" points="' in dom for i in (0, 1))
    page = (run / "report.html").read_text("utf-8")
    told = measured(page, tmp_path, f"(() => {{ {WITHOUT_A_MOUSE} }})()")
    assert told == [400, 400, True, 0, 1, True]


@with_browser
def test_a_report_is_printed(run: Path, tmp_path: Path) -> None:
    browser(f"--print-to-pdf={tmp_path / 'report.pdf'}", (run / "report.html").as_uri())
    printed = (tmp_path / "report.pdf").read_bytes()
    assert printed.startswith(b"%PDF") and 2 <= printed.count(b"/Type /Page\n") <= 12
