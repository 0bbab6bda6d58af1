"""Playthroughs: a game of every game as it was, readable; a game without one fails."""

from __future__ import annotations

import pytest

from joute.engines.game import games_with_rules
from tests.golden.playthrough import FOLDER, playthrough


@pytest.mark.parametrize("name", games_with_rules())
def test_a_game_plays_as_its_golden_says(name: str) -> None:
    golden = FOLDER / f"{name}.txt"
    assert golden.is_file(), (
        f"write it, read it: python -m tests.golden.playthrough ({golden.name})"
    )
    assert playthrough(name) == golden.read_text("utf-8")


def test_no_golden_is_left_of_a_game_that_is_gone() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(games_with_rules())
