"""What is of a wrong type is refused in one line that says what is allowed, not by Python's own error."""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import joute
from joute.studies.load import load_study
from tests.support.runs import play, study_of

ENGINE = "connect4/random"
START = joute.game("connect4").position()
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
        (lambda: START.random_action(1.5), "seed = 1.5; allowed: whole numbers"),
        (lambda: START.random_action(None), "seed = None; allowed: whole numbers"),
        (lambda: START.play("4", seed="x"), "seed = 'x'; allowed: whole numbers"),
        (lambda: START.game.opening(1, "2"), "plies = '2'; allowed: whole numbers from 0 up"),
        (lambda: joute.engine(ENGINE).choose(seed=1.5), "seed = 1.5; allowed: whole numbers"),
        (
            lambda: joute.match(ENGINE, ENGINE, blocks={1}),
            r"blocks: \{1\} \(set\); allowed: a text",
        ),
        (lambda: joute.elo(pairs=np.ones(3)), "pairs have five counts, not 3"),
        (lambda: joute.Float(np.ones(2), 1), r"Float: \[1.0, 1.0\] is no number"),
    ],
)
def test_it_is_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(joute.Refused, match=words) as refused:
        call()
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            "tune(len, {}, gmaes=1000)",
            "joute.tune: unknown argument 'gmaes'; did you mean 'games'?",
        ),
        (
            "match('a', 'b', block=3)",
            "joute.match: unknown argument 'block'; did you mean 'blocks'?",
        ),
        ("run('s', wrokers=2)", "joute.run: unknown argument 'wrokers'; did you mean 'workers'?"),
        ("load('r', plugin=[])", "joute.load: unknown argument 'plugin'; did you mean 'plugins'?"),
        ("engine('e', plugin=[])", "did you mean 'plugins'?"),
        ("game('g', x=1)", "joute.game: unknown argument 'x'; known: name, plugins"),
        ("elo(win=3)", "did you mean 'wins'?"),
        ("sprt(0, 5, aplha=0.1)", "did you mean 'alpha'?"),
    ],
)
def test_an_unknown_argument_is_told_with_the_nearest(call: str, words: str) -> None:
    with pytest.raises(joute.Refused, match=re.escape(words)):
        eval(f"joute.{call}")


def test_functions_of_the_door_keep_their_signatures() -> None:
    names = ("elo", "engine", "game", "load", "match", "run", "sprt", "tune")
    assert all(hasattr(getattr(joute, name), "__wrapped__") for name in names)
    assert str(inspect.signature(joute.load)).startswith("(folder: 'str | Path', plugins: ")
    assert joute.load.__doc__ and "Return the run of a folder" in joute.load.__doc__
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'folder'"):
        joute.load()  # type: ignore[call-arg]


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    assert joute.elo(pairs=np.array([1, 2, 3, 4, 5])) == joute.elo(pairs=[1, 2, 3, 4, 5])
    assert START.random_action(np.int64(3)) == START.random_action(3)
    assert START.game.opening(np.int64(3), np.int64(2)).text == START.game.opening(3, 2).text
    low, high = np.array([1, 8])
    assert joute.Int(low, high) == joute.Int(1, 8)
    assert joute.Float(np.float32(0.5), high) == joute.Float(0.5, 8)
    assert joute.Choice(np.array(["a", "b"])).values == ("a", "b")
    match = partial(joute.match, ENGINE, ENGINE, progress=False, workers=1, out=tmp_path / "m")
    run = match(np.int64(2), seed=np.int64(3), plies=np.int64(1))
    assert len(run.games) == len(match(2, seed=3, plies=1).games) == 4
    test = (np.float64(0), np.int64(400))
    assert joute.match(
        ENGINE, ENGINE, sprt=test, progress=False, workers=1, out=tmp_path / "t"
    ).folder


def test_a_run_refuses_likewise_and_takes_a_games_number(tmp_path: Path) -> None:
    play(study_of(tmp_path, MATCH), tmp_path / "run")
    run = joute.load(tmp_path / "run")
    assert run.replay(1).record.id == run.replay(run.replay(1).record.id).record.id
    for call in (lambda: run.plot(3), lambda: run.standings(3), lambda: run.export("toml", 3)):
        with pytest.raises(joute.Refused):
            call()


def test_a_study_of_a_dict_may_hold_arrays_and_none() -> None:
    table = tomllib.loads(MATCH) | {"seed": np.int64(5), "description": None}
    table["openings"] = {"plies": np.array([2, 3])[0], "records": None}
    assert load_study(table).seed == 5
    with pytest.raises(joute.Refused, match=r"blocks: \[1, 2\] is not a whole number"):
        load_study(table | {"blocks": np.array([1, 2])})
    with pytest.raises(joute.Refused) as refused:
        load_study(table | {"openings": {"plies": [1, {2}]}})
    assert str(refused.value) == (
        "m: openings.plies.1: {2} (set); allowed: a text, a number, true or false, a list or a table"
    )
