"""Ask and tell: totals and blocks, a function of what was asked and told, answers of what was told."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joute import Choice, Float, Int, Tuner
from joute.studies.tuner.domain import Point
from tests.support.marks import dear_case
from tests.support.tuning import Chance, fair, play, results

SPACE = {"x": Float(-1, 1), "n": Int(1, 9), "c": Choice("a", "b")}
START = {"x": 0.0, "n": 5, "c": "a"}
Look = Callable[[Tuner], object]


def hill(point: Point) -> float:
    return 0.7 - 0.3 * (float(point["x"]) - 0.4) ** 2 - 0.1 * (point["c"] == "a")


@pytest.mark.slow
@settings(max_examples=15)
@given(st.lists(st.integers(0, 37), min_size=1, max_size=6), st.integers(1, 6))
def test_asks_are_whole_blocks_and_no_more_than_wanted(wanted: list[int], block: int) -> None:
    tuner = Tuner(SPACE, seed=2, default=START, block=block)
    for games in wanted:
        asked = tuner.ask(games)
        assert sum(count for _, count in asked) == games // block * block
        assert all(count > 0 and count % block == 0 for _, count in asked)
        for point, count in asked[1:]:
            tuner.tell(point, count)
        assert all(set(point) == set(SPACE) for point, _ in asked)


def test_a_budget_is_never_exceeded() -> None:
    tuner = Tuner(SPACE, budget=50)
    first = tuner.ask(30)
    assert sum(count for _, count in first) == 30
    tuner.tell(START, 3, 0, 3)  # games that nobody asked for count too
    assert sum(count for _, count in tuner.ask(1000)) == 14 and tuner.ask(1000) == []
    tuner.withdraw(first[0][0], first[0][1])
    assert sum(count for _, count in tuner.ask(1000)) == first[0][1]


def chosen(seed: int, look: Look = lambda tuner: None) -> list[tuple[Point, int]]:
    """What is asked in 140 games, told in another order than asked for, with looks between."""
    tuner, dice = Tuner(SPACE, seed=seed, default=START), random.Random(7)
    asked, flying = [], []
    for _ in range(14):
        asked += (new := tuner.ask(10))
        flying += new
        dice.shuffle(flying)
        while len(flying) > 4:
            point, games = flying.pop()
            tuner.tell(point, *results(games, hill(point), dice))
            look(tuner)
    return asked


def every_look(tuner: Tuner) -> None:
    if tuner.save()["log"][-1][1]["n"] == 3:  # now and then: a look is dear
        tuner.recommend(), tuner.estimate(START), tuner.verdict(), tuner.report()


@pytest.mark.slow
def test_the_same_asks_and_tells_are_answered_alike_however_often_one_looks() -> None:
    first = chosen(3)
    assert chosen(3, every_look) == first
    assert chosen(4) != first


@pytest.mark.parametrize("games", [60, dear_case(1500)])
def test_answers_do_not_depend_on_the_order_of_tells(games: int) -> None:
    """Also not where places are merged: with 2 games each, 1,500 games are 750 places."""
    dice = random.Random(5)
    points: list[Point] = [
        {"x": dice.uniform(-1, 1), "n": dice.randint(1, 9), "c": dice.choice("ab")}
        for _ in range(games // 2)
    ]
    told = [(point, results(2, hill(point), dice)) for point in points]
    reports = []
    for _ in range(2):
        tuner = Tuner(SPACE, default=START)
        for point, (wins, draws, losses) in told:
            tuner.tell(point, wins, draws, losses)
        reports.append(tuner.report())
        dice.shuffle(told)
    assert reports[0] == reports[1]


def test_results_of_one_point_may_come_in_parts() -> None:
    whole, parts = Tuner(SPACE), Tuner(SPACE)
    whole.tell(START, 3, 1, 2)
    for games in ((1, 0, 0), (0, 1, 2), (2, 0, 0), (0, 0, 0)):
        parts.tell(START, *games)
    assert whole.estimate(START) == parts.estimate(START)


@pytest.mark.slow
def test_hundreds_of_games_may_be_out_and_plans_know_of_them() -> None:
    tuner = play(Tuner({"x": Float(-1, 1), "y": Float(0, 1)}, seed=1), 60)
    asked = tuner.ask(500)
    assert sum(count for _, count in asked) == 500
    places = {(point["x"], point["y"]) for point, _ in asked}
    assert len(places) > 50  # not the same few again and again
    for point, games in reversed(asked):
        tuner.tell(point, games / 2, 0, games / 2)
    assert tuner.ask(10)


def test_what_is_out_turns_the_next_plan_elsewhere() -> None:
    def next_plan(withdrawn: bool) -> list[tuple[Point, int]]:
        tuner = play(Tuner({"x": Float(-1, 1)}, seed=1), 100)
        for point, games in tuner.ask(60):
            if withdrawn:
                tuner.withdraw(point, games)
        return tuner.ask(30)

    assert next_plan(True) != next_plan(False)


def test_games_that_were_never_asked_for_are_read() -> None:
    tuner = Tuner({"x": Float(-1, 1)}, seed=1)
    for x, wins in ((-0.9, 5), (-0.3, 10), (0.2, 25), (0.5, 28), (0.9, 12)):
        tuner.tell({"x": x}, wins, 0, 30 - wins)
    assert 0.1 < float(tuner.recommend()["x"]) < 0.7
    assert tuner.estimate({"x": 0.4})[1] > tuner.estimate({"x": -0.8})[2]


def test_whole_numbers_that_mean_the_same_are_one_point() -> None:
    tuner = Tuner({"n": Int(1, 1000, log=True), "c": Choice("a")}, seed=1)
    tuner.tell({"n": 3, "c": "a"}, 1)
    tuner.tell({"n": 3.0, "c": "a"}, 1)
    assert len(tuner.save()["model"]["games"]) == 1
    asked = [point for point, _ in play(tuner, 100).ask(200)]
    assert all(isinstance(point["n"], int) for point in asked)


def test_an_answer_handed_out_can_be_changed_without_harm() -> None:
    tuner = Tuner(SPACE, default=START)
    tuner.recommend()["x"] = 9
    [(point, games)] = tuner.ask(2)
    point["x"] = 9
    assert tuner.recommend() == START
    tuner.tell(START, games)
    assert sum(count for _, count in tuner.ask(1)) == 0


def test_before_any_game_the_default_is_the_answer() -> None:
    tuner = Tuner(SPACE, default=START)
    report = tuner.report()
    assert (report.point, report.verdict, tuner.verdict()) == (START, "unknown", "unknown")
    assert report.score[0] < 0.1 and report.score[2] > 0.9
    assert str(report).startswith(f"keep x = {START['x']:.4g}, ")
    assert "(the default) for now: no games were told" in str(report)
    alone = Tuner({"x": Float(0, 4)})
    assert alone.recommend() == {"x": 2.0}
    assert len(str(alone.report()).splitlines()) == 4  # no default: no gain over it


def test_a_plain_gain_is_found_and_where_nothing_matters_the_default_is_kept() -> None:
    steep = play(Tuner({"x": Float(-1, 1)}, default={"x": -0.8}), 400, lambda p: 0.5 + 0.4 * p["x"])
    assert steep.verdict() == "better"
    assert steep.report().gain is not None and steep.gain().low > 0.1
    head, score, title, effect = str(steep.report()).splitlines()
    best = f"{steep.recommend()['x']:.4g}"
    assert head.startswith(f"x = {best} is better than the default: +")
    assert score.startswith("it scores ") and title == "best point so far:"
    assert effect.startswith(f"  x  {best} (")
    assert effect.endswith(": matters; the best may lie beyond the high end of its range")
    assert play(Tuner({"x": Float(-1, 1)}, default={"x": 0.0}), 400, fair).verdict() != "better"


def test_a_default_that_is_kept_for_now_is_told_from_the_best_point_found() -> None:
    """The gain is that of the best point, which is named; the default is not compared with itself."""
    slope = Tuner({"x": Float(-1, 1)}, default={"x": 0.2})
    report = play(slope, 100, lambda p: 0.5 + 0.1 * p["x"]).report()
    assert report.verdict == "unknown" and report.gain is not None
    assert report.point == report.default == {"x": 0.2} != report.best
    head, score, waits, *_, effect = str(report).splitlines()
    best = f"{report.best['x']:.4g}"
    assert head.startswith(
        f"keep x = 0.2 (the default) for now: the best point found, x = {best}, "
    )
    assert f"{100 * report.gain.mean:+.1f} points (95 %: " in head
    assert score.startswith(f"the default scores {100 * report.score[1]:.1f} % ")
    assert "verdict" in waits and effect.startswith(f"  x  {best} (")


def test_a_text_says_why_an_interval_above_0_is_not_enough() -> None:
    slope = Tuner({"x": Float(-1, 1)}, default={"x": 0.2})
    report = play(slope, 100, lambda p: 0.5 + 0.1 * p["x"]).report()
    assert report.gain is not None and report.games == 100
    near = replace(report.gain, mean=0.1, low=0.01, sure=0.97, worth=0.9, more=300)
    early = str(replace(report, gain=near))
    assert "below 1,000 games Joute asks for more than an interval above 0" in early
    assert "after about 300 more games a verdict is likely (80 %)" in early
    late = str(replace(report, gain=replace(near, sure=0.99, worth=0.5), games=4000))
    assert "it is not sure enough that the gain is above 5 Elo" in late and "1,000" not in late
    likely = str(replace(report, point=report.best, gain=near))
    assert "is likely to be better than the default, but not yet surely" in likely
    keep = replace(report, gain=replace(near, verdict="keep", more=0))
    assert "is unlikely to gain 5 Elo" in str(keep) and "likely (80 %)" not in str(keep)


@pytest.mark.parametrize(
    ("chance", "edge"),
    [
        (lambda point: 0.5 + 0.35 * point["x"], "high"),
        (lambda point: 0.5 - 0.35 * point["x"], "low"),
        (lambda point: 0.7 - 0.5 * point["x"] ** 2, ""),
    ],
)
def test_an_optimum_at_the_end_of_a_range_is_told(chance: Chance, edge: str) -> None:
    [effect] = play(Tuner({"x": Float(-1, 1)}, seed=2), 300, chance).report().effects
    assert effect.detected and effect.edge == edge


def test_a_choice_takes_its_values_as_one_list_too() -> None:
    one, other = (Tuner({"c": choice}, seed=1) for choice in (Choice("a", "b"), Choice(["a", "b"])))
    assert one.ask(20) == other.ask(20)
