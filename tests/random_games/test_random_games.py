"""The random games in their shortest form; the whole of them is `python -m tests.random_games`."""

from __future__ import annotations

import re

import numpy as np
import pytest

from joute.engines.engine import parse_game
from joute.engines.position import Position
from tests.random_games.__main__ import EVERY, main
from tests.random_games.walk import Walk


def test_a_few_games_have_no_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gopher[side=2]", "--games", "20", "--twins", "5"]) == 0
    told = capsys.readouterr().out
    assert re.fullmatch(
        r"gopher\[side=2\]: 20 games \(\d+ different\), \d+ plies \(\d to 5 a game\), 12 maps, 4 beside "
        r"the slow twin, [\d,]+ checks, bounds not checked, \d+ s, 0 faults\n",
        told,
    ), told


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_no_game_and_size_has_a_fault(name: str) -> None:
    assert Walk(parse_game(name), 7, 3).games(range(3)).faults == []


def test_what_is_wrong_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A map that is no symmetry, a key that tells images apart, a twin that knows other rules."""
    walk = Walk(parse_game("gopher[side=3]"), 1, 1)
    walk._images[1] = np.roll(walk._images[0], 1)
    assert "an image: " in walk.games([0]).faults[0]
    walk = Walk(parse_game("gopher[side=3]"), 1, 1)
    monkeypatch.setattr(Position, "key", lambda self: 7)
    assert "key, status and mover of an image: " in walk.games([0]).faults[0]
    monkeypatch.undo()
    monkeypatch.setattr("tests.engines.slow_hexagons.SlowGopher.moves", lambda self: set())
    assert "legal, by the slow twin: " in walk.games([0]).faults[-1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["gofer"], "unknown game 'gofer'; did you mean 'gopher'?"),
        (["gopher[side=9]"], "side = 9 is not a whole number from 2 to 7"),
        (["tron"], "allowed are dodo, gopher and go"),
        (["--games", "0"], "from 1 up"),
    ],
)
def test_what_is_no_such_game_is_refused(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    told = capsys.readouterr()
    assert said in told.err and told.err.count("\n") == 1 and not told.out
