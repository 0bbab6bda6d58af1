"""Openings whose end is forced are left out by default; older runs go on with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from joute.engines.engine import parse_game
from joute.engines.forced import PLIES, forced_end, why_not_solved
from joute.engines.position import Position, parse_position
from joute.harness.openings import OpeningRules, Openings, random_plies
from joute.harness.schedule import Block
from joute.results.store import Store
from joute.studies.adhoc import match_study
from joute.studies.load import StudyRefused, load_study
from joute.studies.play.run_folder import as_begun, own_folder
from joute.studies.play.study_run import run_study

SMALL = "connect4[columns=5,rows=4]"
ONE = f"{SMALL}/alphabeta:evaluation=lines,depth=2"


def forced(position: Position, plies: int) -> int:
    """Return 1 if the mover wins within so many plies, -1 if it loses, 0 else: the slow twin."""
    if position.over:
        return round(2 * position.returns()[position.to_move] - 1)
    if not plies:
        return 0
    values = []
    for action in position.legal_actions():
        after = parse_position(position.game, position.line())
        after.play(action)
        sign = 1 if after.to_move == position.to_move else -1
        values.append(sign * forced(after, plies - 1))
    return max(values)


@pytest.mark.parametrize(
    ("name", "plies"),
    [("connect4[columns=5,rows=5]", 8), ("gopher[side=3]", 4), ("dodo[side=3]", 6)],
)
def test_what_is_forced_is_as_a_plain_search_says(name: str, plies: int) -> None:
    """All ends within two plies are seen, and most within three: where the end is that nobody can move
    it shows a ply later.
    """
    game = parse_game(name)
    is_forced, seen = forced_end(game), set[bool]()
    for seed in range(40):
        position = random_plies(game, seed, plies)
        if position is not None:
            told = is_forced(position)
            assert told <= (forced(position, PLIES) != 0), position.line()
            assert told >= (forced(position, PLIES - 1) != 0), position.line()
            if game.name == "connect4":
                assert told == (forced(position, PLIES) != 0), position.line()
            seen.add(told)
    assert seen == {True, False} or name.startswith("dodo")


def test_openings_without_a_forced_end() -> None:
    """All but those, in the same order."""
    game = parse_game("connect4[columns=5,rows=5]")
    is_forced = forced_end(game)

    def dealt(drop: bool) -> list[Position]:
        openings = Openings(game, 1, OpeningRules(7, drop_forced=drop))
        found = []
        for n in range(40):
            opening = openings.of(Block("", "main", "", n, n, ("a", "b")))
            position = Position(game, opening.start)
            for action in opening.actions:
                position.play(action)
            found.append(position)
        return found

    every, some = dealt(False), dealt(True)
    assert any(map(is_forced, every)) and not any(map(is_forced, some))


@pytest.mark.parametrize(
    ("game", "why"),
    [
        ("vampires", "two players in turn without chance"),
        ("tron[players=3]", "two players in turn without chance"),
        ("connect4", ""),
        ("chess", ""),
        ("go", "ends late"),
    ],
)
def test_games_in_which_it_can_be_seen(game: str, why: str) -> None:
    said = why_not_solved(parse_game(game))
    assert why in said and bool(said) == bool(why)


def study_of(game: str = SMALL, b: str = "random", **openings: Any) -> dict[str, Any]:
    return {
        "name": "even", "kind": "match", "game": game, "seed": 1, "blocks": 3,
        "a": {"spec": "random" if b != "random" else "alphabeta:evaluation=lines,depth=1"},
        "b": {"spec": b}, "openings": openings,
    }  # fmt: skip


def test_the_resolved_study_says_which(tmp_path: Path) -> None:
    plain = load_study(study_of())
    assert plain.resolved()["openings"]["forced_ends"] == "drop"
    assert load_study(plain.resolved()).openings.by_default is False
    kept = load_study(study_of(forced_ends="keep"))
    assert "forced_ends" not in kept.resolved()["openings"]
    assert "forced_ends" not in load_study(study_of(plies=0)).resolved()["openings"]
    with pytest.raises(StudyRefused, match=r"openings\.forced_ends: forced ends are looked for"):
        load_study(study_of("vampires", b="greedy", forced_ends="drop"))
    with pytest.raises(StudyRefused, match=r"openings\.forced_ends"):
        load_study(study_of(forced_ends="no"))


def test_an_older_run_goes_on_as_it_was_begun(tmp_path: Path) -> None:
    """A run without the word in its notes keeps its openings, and its folder; one that asks does not."""
    older = load_study(study_of(forced_ends="keep"))
    folder = tmp_path / "even"
    run_study(older, folder, workers=1)
    with Store.open(folder) as store:
        assert "forced_ends" not in json.loads(store.meta()["identity"])["openings"]
    now = load_study(study_of())
    assert now.openings.drop_forced and not as_begun(now, folder).openings.drop_forced
    assert own_folder(now, folder, False) == folder
    run_study(now, folder, workers=1)  # plays nothing
    with Store.open(folder) as store:
        assert store.count() == 6
    asked = load_study(study_of(forced_ends="drop"))
    assert as_begun(asked, folder) is asked
    assert own_folder(asked, folder, False) == tmp_path / "even-2"
    assert as_begun(now, tmp_path / "new") is now


def test_a_match_begins_with_open_positions(tmp_path: Path) -> None:
    study = match_study(ONE, ONE.replace("depth=2", "depth=3"), 10)
    run_study(study, tmp_path / "run", workers=1)
    is_forced = forced_end(study.game)
    with Store.open(tmp_path / "run") as store:
        openings = {game.opening for game in store.games()}
    assert len(openings) == 10
    assert not any(is_forced(parse_position(study.game, text)) for text in openings)
