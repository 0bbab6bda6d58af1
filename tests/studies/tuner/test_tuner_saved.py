"""A saved tuner goes on exactly as it would have; a damaged one is refused."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest

from joute import Choice, Float, Int, Tuner
from joute.engines.errors import Refused
from joute.studies.tuner.model.gp import Process
from joute.studies.tuner.saved import digest
from tests.support.tuning import play, results

SPACE = {
    "x": Float(-1, 1),
    "n": Int(1, 9, log=True),
    "c": Choice("a", "b"),
    "y": Float(0, 1, when={"c": "b", "n": [1, 2, 3]}),
}
START = {"x": 0.0, "n": 5, "c": "a"}


def started() -> Tuner:
    """A tuner some way on: games out, some withdrawn, a plan half asked."""
    tuner = play(Tuner(SPACE, seed=4, default=START, budget=400, block=2), 60)
    out = tuner.ask(14)
    tuner.withdraw(out[0][0], out[0][1])
    tuner.tell(out[1][0], 1, 0.5, 0.5)
    return tuner


def reloaded(tuner: Tuner) -> Tuner:
    return Tuner.load(SPACE, json.loads(json.dumps(tuner.save())))


def test_a_loaded_tuner_is_the_saved_one() -> None:
    tuner = started()
    found = reloaded(tuner)
    assert found.save() == tuner.save()
    assert found.report() == tuner.report()
    assert play(found, 100, seed=9).save() == play(tuner, 100, seed=9).save()


def test_a_fresh_tuner_can_be_saved() -> None:
    tuner = Tuner(SPACE, seed=2)
    assert reloaded(tuner).ask(100) == tuner.ask(100)


@pytest.mark.slow
def test_a_tuner_that_is_saved_after_every_game_is_the_same() -> None:
    """Killed and loaded between any two games, with games out that came back later."""

    def asked(killed: bool, games: int = 400) -> list[Any]:
        tuner, dice = Tuner(SPACE, seed=6, default=START), random.Random(3)
        flying: list[Any] = []
        found = []
        while games > 0:
            new = tuner.ask(8)
            found += new
            flying += new
            dice.shuffle(flying)
            while len(flying) > 3:
                point, count = flying.pop()
                tuner.tell(point, *results(count, 0.5, dice))
                games -= count
                tuner = reloaded(tuner) if killed else tuner
        return [found, tuner.report()]

    assert asked(True) == asked(False)


def test_loading_fits_nothing() -> None:
    state = started().save()
    with patch.object(Process, "learn", side_effect=AssertionError("fitted")):
        Tuner.load(SPACE, state)


def without(key: str) -> Callable[[dict[str, Any]], object]:
    return lambda state: state.pop(key)


DAMAGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "a result": lambda state: state["log"][20].__setitem__(2, 77),
    "a result left out": lambda state: state["log"].pop(),
    "the seed": lambda state: state["settings"].update(seed=5),
    "no log": without("log"),
    "no model": without("model"),
    "no digest": without("digest"),
    "no number": lambda state: state["model"].update(fitted=float("nan")),
    "no JSON": lambda state: state.update(log={1, 2}),
}


@pytest.fixture(scope="module")
def state() -> dict[str, Any]:
    return started().save()


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_state_is_refused(state: dict[str, Any], damage: str) -> None:
    damaged = copy.deepcopy(state)
    DAMAGES[damage](damaged)
    with pytest.raises(Refused, match=r"^the saved tuner is [^\n]*$"):
        Tuner.load(SPACE, damaged)


@pytest.mark.parametrize("other", [None, [], {}, "text"])
def test_what_is_no_state_is_refused(other: Any) -> None:
    with pytest.raises(Refused, match="the saved tuner is invalid; allowed"):
        Tuner.load(SPACE, other)


@pytest.mark.parametrize(
    ("space", "differs"),
    [
        (SPACE | {"x": Float(-1, 2)}, "x"),
        (SPACE | {"z": Float(-1, 2)}, "z"),
        ({name: SPACE[name] for name in ("x", "n", "c")}, "y"),
        (SPACE | {"y": Float(0, 1)}, "y"),
        (SPACE | {"c": Choice("b", "a"), "n": Int(1, 9)}, "n, c"),
        ({name: SPACE[name] for name in ("n", "x", "c", "y")}, "the order of its parameters"),
    ],
)
def test_another_space_is_refused(state: dict[str, Any], space: Any, differs: str) -> None:
    with pytest.raises(Refused, match=f"for another space; different: {differs}$"):
        Tuner.load(space, state)


def test_a_state_of_another_model_is_refused(state: dict[str, Any]) -> None:
    older = copy.deepcopy(state)
    older["model"]["theta"].pop()
    older["digest"] = digest({key: value for key, value in older.items() if key != "digest"})
    with pytest.raises(Refused, match="from another version of Joute"):
        Tuner.load(SPACE, older)
