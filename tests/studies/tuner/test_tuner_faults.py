"""What a tuner refuses, each in one clear line, and odd spaces and results that it takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from joute import Choice, Float, Int, Tuner
from joute.engines.errors import Refused
from joute.studies.tuner.domain import Point
from tests.support.tuning import fair, play

pytestmark = pytest.mark.filterwarnings("error")

X, N, C = Float(-1, 1), Int(1, 9), Choice("left", "right")
SPACE = {"width": X, "depth": N, "side": C}
GOOD = {"width": 0.0, "depth": 3, "side": "left"}


def tuner(**more: Any) -> Tuner:
    return Tuner(SPACE, **more)


def spent() -> Tuner:
    """Return a tuner whose games have all been asked for."""
    made = tuner(budget=2)
    made.ask_one()
    return made


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "no space": (lambda: Tuner({}), "the space is empty"),
    "no parameter": (lambda: Tuner({"x": 3}), "x is 3; allowed: Float, Int or Choice, as Float(0, 1)"),  # type: ignore[dict-item]
    "too many": (lambda: Tuner({f"x{i}": X for i in range(21)}), "allowed: at most 20"),
    "too many values": (lambda: Tuner({"c": Choice(*map(str, range(31)))}), "allowed: at most 30"),
    "turned round": (lambda: Tuner({"x": Float(1, 0)}), "low = 1 is above high = 0"),
    "NaN as an end": (lambda: Tuner({"x": Float(0, math.nan)}), "Float: nan is no finite number"),
    "text as an end": (lambda: Tuner({"x": Float("0", 1)}), "Float: '0' is no number"),  # type: ignore[arg-type]
    "too wide": (lambda: Tuner({"x": Float(-1e308, 1e308)}), "too wide; allowed: a narrower range"),
    "log from 0": (lambda: Tuner({"x": Float(0, 1, log=True)}), "allowed on a logarithmic scale"),
    "large numbers": (lambda: Tuner({"n": Int(0, 10**30)}), "allowed: whole numbers from -9007"),
    "larger still": (lambda: Tuner({"n": Int(0, 10**400)}), "is no finite number"),
    "half numbers": (lambda: Tuner({"n": Int(0, 1.5)}), "allowed: whole numbers"),  # type: ignore[arg-type]
    "twice": (lambda: Tuner({"c": Choice("a", "a")}), "lists a value twice"),
    "when a text": (lambda: Tuner({"c": C, "x": Float(0, 1, when="c")}), "a table of values"),  # type: ignore[arg-type]
    "when later": (lambda: Tuner({"x": Float(0, 1, when={"c": "left"}), "c": C}), "come before it"),
    "when unknown value": (
        lambda: Tuner({"c": C, "x": Float(0, 1, when={"c": "lefft"})}),
        "did you mean 'left'",
    ),
    "when nothing": (lambda: Tuner({"c": C, "x": Float(0, 1, when={"c": []})}), "x: when never"),
    "when both": (
        lambda: Tuner(
            {
                "c": C,
                "d": Choice("u", "v", when={"c": "left"}),
                "x": Float(0, 1, when={"c": "right", "d": "u"}),
            }
        ),
        "x: when never holds: no value of c meets it",
    ),
    "seed": (lambda: tuner(seed=-1), "seed = -1; allowed: whole numbers from 0 up"),
    "block": (lambda: tuner(block=0), "block = 0"),
    "budget": (lambda: tuner(budget=1.5), "budget = 1.5"),
    "default": (lambda: tuner(default={"width": 0}), "the default has no value for depth"),
    "games": (lambda: tuner().ask(-1), "max_games = -1"),
    "games that are none": (lambda: tuner().ask("3"), "max_games = '3'"),  # type: ignore[arg-type]
    "no game": (lambda: tuner(budget=1), "budget = 1; allowed: whole numbers from 2 up"),
    "spent": (lambda: spent().ask_one(), "the budget of 2 games is spent"),
    "NaN": (lambda: tuner().tell(GOOD | {"width": math.nan}, 1), "width = nan; allowed: -1 to 1"),
    "infinite": (lambda: tuner().tell(GOOD | {"width": -math.inf}, 1), "width = -inf; allowed"),
    "out of range": (lambda: tuner().tell(GOOD | {"depth": 10}, 1), "depth = 10; allowed: 1 to 9"),
    "far out": (lambda: tuner().tell(GOOD | {"depth": 10**400}, 1), "allowed: 1 to 9"),
    "half": (lambda: tuner().tell(GOOD | {"depth": 1.5}, 1), "depth = 1.5 is no whole number"),
    "text": (lambda: tuner().tell(GOOD | {"width": "0.5"}, 1), "width = '0.5' is no number"),
    "truth": (lambda: tuner().tell(GOOD | {"depth": True}, 1), "depth = True is no number"),
    "list": (lambda: tuner().tell(GOOD | {"side": []}, 1), "side = []; allowed: one of 'left'"),
    "other value": (lambda: tuner().tell(GOOD | {"side": "rihgt"}, 1), "did you mean 'right'"),
    "missing": (lambda: tuner().tell({"width": 0, "depth": 1}, 1), "no value for side; allowed"),
    "unknown": (lambda: tuner().tell(GOOD | {"dept": 1}, 1), "'dept'; did you mean 'depth'"),
    "no point": (lambda: tuner().tell([1], 1), "the point is [1]; allowed: a table"),  # type: ignore[arg-type]
    "estimate": (lambda: tuner().estimate({}), "no value for width"),
    "negative": (lambda: tuner().tell(GOOD, -1), "wins = -1; allowed: 0 to 1000000000"),
    "NaN games": (lambda: tuner().tell(GOOD, 0, math.nan), "draws = nan"),
    "infinite games": (lambda: tuner().tell(GOOD, 0, 0, math.inf), "losses = inf"),
    "text games": (lambda: tuner().tell(GOOD, "1"), "wins = '1' is not a number of games"),  # type: ignore[arg-type]
    "never asked": (lambda: tuner().withdraw(GOOD, 2), "allowed: at most the 0 that are outstanding"),
    "no default": (lambda: tuner().verdict(), "no default was given"),
}  # fmt: skip


@pytest.mark.parametrize("fault", REFUSED)
def test_a_fault_is_refused_in_one_line(fault: str) -> None:
    make, said = REFUSED[fault]
    with pytest.raises(Refused) as refused:
        make()
    assert said in str(refused.value)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 250


def test_a_refused_result_changes_nothing() -> None:
    one = play(tuner(seed=1), 20)
    before = one.save()
    for bad in (GOOD | {"depth": 99}, GOOD | {"wdith": 0}):
        with pytest.raises(Refused):
            one.tell(bad, 1)
    with pytest.raises(Refused):
        one.tell(GOOD, 1, -1)
    assert one.save() == before


@pytest.mark.parametrize(
    "space",
    [
        {"x": X, "y": Float(3, 3), "n": Int(4, 4), "c": Choice("only")},
        {"x": Float(3, 3)},
        {"c": Choice("only")},
        {"x": Float(1e-300, 1e300, log=True)},
        {"n": Int(1, 10**15, log=True)},
        {"n": Int(-(2**53), 2**53)},
        {"x": Float(0, 5e-324)},
        {"x": Float(1, 1 + 1e-15)},
        {"c": Choice(*(f"value {i}" for i in range(30)))},
    ],
    ids=lambda space: str(list(space.values())[-1])[:40],
)
def test_odd_spaces_are_searched(space: dict[str, Any]) -> None:
    one = play(Tuner(space, default=Tuner(space).recommend()), 60)
    found = one.report()
    assert found.score[0] - 0.02 < 0.5 < found.score[2] + 0.02  # games are a fair coin
    assert found.verdict != "better"
    low, mean, high = one.estimate(found.point)
    assert low < mean < high


def test_every_point_of_a_small_space_is_played_and_the_best_found() -> None:
    score = {"a": 0.3, "b": 0.45, "c": 0.7}
    one = Tuner({"c": Choice(*score)}, seed=1, default={"c": "a"})
    assert {point["c"] for point, _ in one.ask(40)} == set(score)
    play(one, 300, lambda point: score[str(point["c"])])
    assert one.recommend() == {"c": "c"} and one.verdict() == "better"
    games = {str(place): g for place, g in zip(one.save()["model"]["places"],
                                               one.save()["model"]["games"], strict=True)}  # fmt: skip
    assert games[str([0.0, 0.0, 1.0])] > games[str([1.0, 0.0, 0.0])]


@pytest.mark.parametrize(
    "result", [(1, 0, 0), (0, 1, 0), (0, 0, 1)], ids=["wins", "draws", "losses"]
)
def test_games_that_all_end_alike(result: tuple[int, int, int]) -> None:
    one = Tuner({"x": X, "y": X}, seed=1, default={"x": 0, "y": 0})
    for _ in range(5):
        for point, games in one.ask(20):
            one.tell(point, *(games * part for part in result))
    found = one.report()
    assert found.verdict != "better"
    assert found.score[0] - 0.02 <= result[0] + result[1] / 2 <= found.score[2] + 0.02


def test_ten_thousand_tells_at_one_point_are_one_place() -> None:
    one = Tuner({"x": X}, default={"x": 0})
    for i in range(10_000):
        one.tell({"x": 0.3}, i % 2, 0, 1 - i % 2)
    assert one.estimate({"x": 0.3}) == pytest.approx((0.487, 0.5, 0.513), abs=0.003)
    assert len(one.ask(20)) > 1


def test_a_thousand_million_games_break_nothing() -> None:
    one = Tuner({"x": X}, default={"x": 0})
    for i in range(5):
        one.tell({"x": i / 5}, 10**9 * (i % 2), 0, 10**9 * (1 - i % 2))
    assert one.ask(20) and one.report().score[2] <= 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("space", "games"),
    [
        ({f"x{i}": X for i in range(20)}, 200),
        ({f"c{i}": Choice(*(f"value {j}" for j in range(30))) for i in range(3)}, 1000),
    ],
    ids=["20 numbers", "27,000 combinations"],
)
def test_large_spaces_take_no_more_time_as_they_go_on(space: dict[str, Any], games: int) -> None:
    one = play(Tuner(space, seed=1), games)
    assert len(one.save()["model"]["games"]) <= 301
    assert one.report().score[0] < 0.55


def conditional(point: Point) -> float:
    return 0.4 + (0.4 * float(point["deep"]) if point["search"] == "b" else 0.0)


def test_a_parameter_that_is_not_always_active() -> None:
    space = {
        "search": Choice("a", "b"),
        "deep": Float(0, 1, when={"search": "b"}),
        "n": Int(1, 3),
        "mid": Float(0, 1, when={"n": [1, 3]}),
    }
    one = play(Tuner(space, seed=1), 200, conditional)
    for point, _ in one.ask(100):
        assert ("deep" in point) == (point["search"] == "b")
        assert ("mid" in point) == (point["n"] != 2)
    assert one.recommend()["search"] == "b" and one.recommend()["deep"] > 0.5
    assert one.estimate({"search": "a", "n": 2, "deep": 0.3}) == one.estimate(
        {"search": "a", "n": 2}
    )
    with pytest.raises(Refused, match="has no value for deep"):
        one.estimate({"search": "b", "n": 2})


def test_where_nothing_matters_nothing_is_detected() -> None:
    one = play(tuner(seed=3), 160, fair)
    assert [effect.name for effect in one.report().effects] == ["width", "depth", "side"]
    assert not any(effect.detected or effect.edge for effect in one.report().effects)
