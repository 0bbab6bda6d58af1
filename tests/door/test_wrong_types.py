"""What is of a wrong type is refused in one line that says what is allowed, not by Python's own error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import joute
from tests.support.runs import play, study_of

ENGINE = "connect4/random"
MATCH = f"""
name = "m"
kind = "match"
game = "connect4"
seed = 5
blocks = 1
[a]
spec = "{ENGINE}"
[b]
spec = "{ENGINE}"
"""


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: joute.match(ENGINE, ENGINE, sprt="0 30"), "allowed: a pair of numbers"),
        (lambda: joute.match(ENGINE, ENGINE, sprt=(30,)), "allowed: a pair of numbers"),
        (lambda: joute.match(ENGINE, ENGINE, out=5), "out = 5; allowed: a path"),
        (lambda: joute.run(3), "study = 3; allowed: a path"),
        (lambda: joute.run("connect4-tune", cluster=5), "cluster = 5; allowed: an address"),
        (lambda: joute.run("connect4-tune", settings="budget=9"), "allowed: a dict of settings"),
        (lambda: joute.load(None), "folder = None; allowed: a path"),
        (lambda: joute.game(5), "game = 5; allowed: the text of a game"),
        (lambda: joute.game("connect4").position(5), "position = 5; allowed: a text"),
        (lambda: joute.elo("60", 20, 40), "counts are whole numbers"),
        (lambda: joute.elo(pairs=5), "pairs = 5; allowed: five counts"),
        (lambda: joute.sprt("a", 1, 2, 3, 4), "elo0 = 'a'; allowed: a number"),
        (lambda: joute.tune({}, lambda point, games: (1, 0, 1)), "allowed: a function"),
        (lambda: joute.Tuner(["x"]), "allowed: a table of Float, Int and Choice"),
    ],
)
def test_it_is_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(joute.Refused, match=words) as refused:
        call()
    assert "\n" not in str(refused.value)


def test_a_run_refuses_likewise_and_takes_a_games_number(tmp_path: Path) -> None:
    play(study_of(tmp_path, MATCH), tmp_path / "run")
    run = joute.load(tmp_path / "run")
    assert run.replay(1).record.id == run.replay(run.replay(1).record.id).record.id
    for call in (lambda: run.plot(3), lambda: run.standings(3), lambda: run.export("toml", 3)):
        with pytest.raises(joute.Refused):
            call()
