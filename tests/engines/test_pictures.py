"""Boards as pages draw them: every game's scene fits its marks, and a picture is whole."""

from __future__ import annotations

import re

import pytest

from joute.engines.board_game import BoardGame
from joute.engines.engine import parse_game
from joute.engines.game import games_with_rules
from joute.engines.kernels.random import stream
from joute.engines.position import Position
from tests.support.pages import Checker

DRAWN = {"connect4": "discs", "go": "goban", "tron": "field", "vampires": "map"}


@pytest.mark.parametrize("name", games_with_rules())
def test_marks_fit_the_scene_all_along_a_game(name: str) -> None:
    game = parse_game(name)
    if game.scene is None:
        return
    S, position = stream(3), Position(game, game.start_text(1))
    before = position.words()
    for _ in range(12):
        marks = game.marks(position.W, position.at)
        if isinstance(game, BoardGame):
            assert game.holding(position.W, position.at) == game.cells(position.W, position.at)
        assert len(marks) == len(game.scene.middles) == len(game.scene.names)
        checker = Checker()
        checker.feed(game.picture(position.W, position.at, before))
        assert checker.open == []
        before = position.words()
        if position.over:
            break
        action = position.sample_action(S)
        position.play(action, position.draw_outcome(action, position.ply))


@pytest.mark.parametrize(("name", "kind"), DRAWN.items())
def test_a_move_shows_on_the_board(name: str, kind: str) -> None:
    game = parse_game(name)
    assert game.scene is not None and game.scene.kind == kind
    S, position = stream(3), Position(game, game.start_text(1))
    before = position.words()
    action = position.sample_action(S)
    position.play(action, position.draw_outcome(action, position.ply))
    assert 'class="moved"' in game.picture(position.W, position.at, before)


def test_a_disc_falls_where_it_is_seen() -> None:
    game = parse_game("connect4")
    position = Position(game)
    position.play(3)
    marks = game.marks(position.W, position.at)
    [cell] = [i for i, mark in enumerate(marks) if mark]
    assert game.scene is not None
    assert game.scene.names[cell] == "column 4, row 1"
    assert game.scene.middles[cell] == (6.0, 10.0)
    assert re.search(r'class="s0".*>X<', marks[cell])


@pytest.mark.slow
def test_a_goban_says_passes_and_prisoners() -> None:
    game = parse_game("go[size=9,rules=japanese]")
    position = Position(game)
    position.play(game.action_of("pass"))
    assert game.caption(position.W, position.at) == (
        "Black passed; Black captured 0, White captured 0"
    )
    assert game.scene is not None and game.scene.ground.count("dot") == 5
    large = parse_game("go[size=19]")
    assert large.scene is not None and large.scene.ground.count("dot") == 9


def test_ribbons_are_those_of_the_drawing() -> None:
    game = parse_game("tron[width=12,height=7,players=3]")
    S, position = stream(5), Position(game, game.start_text(2))
    for _ in range(20):
        if position.over:
            break
        cells = [cell for row in game.cells(position.W, position.at) for cell in row]  # type: ignore[attr-defined]
        marks = game.marks(position.W, position.at)
        for cell, mark in zip(cells, marks, strict=True):
            assert bool(mark) == (cell != ".")
            assert ("wall" in mark) == (cell == "#")
            assert ("head" in mark) == cell.isupper()
            assert cell in ".#" or f'"s{"abcd".index(cell.lower())}' in mark
        position.play(position.sample_action(S))
