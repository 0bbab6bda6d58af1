"""What a run is said to take is corrected as it goes, and not at every turn."""

from __future__ import annotations

from pathlib import Path

import pytest

from joute.engines.registry import make
from joute.studies.play.eta import Eta
from joute.studies.play.progress import Progress
from joute.studies.play.study_run import run_study
from tests.support.runs import study_of, study_text


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def run(
    promise: Eta, clock: Clock, seconds: float, games_a_second: float, step: float = 0.5
) -> None:
    for _ in range(round(seconds / step)):
        clock.now += step
        promise.played(round(games_a_second * step))


def test_a_run_as_long_as_it_looked_is_told_once() -> None:
    said, clock = list[str](), Clock()
    promise = Eta({"main": 6000}, said.append, now=clock)
    promise.begin("main", 6000, 0)
    run(promise, clock, 299, 20)
    assert said == ["this takes about 5 min in all"]
    assert promise.first == pytest.approx(300, rel=0.02)
    assert promise.seconds == pytest.approx(300, rel=0.02)


def test_games_that_get_longer_correct_what_was_said() -> None:
    said, clock = list[str](), Clock()
    promise = Eta({"main": 6000}, said.append, now=clock)
    promise.begin("main", 6000, 1000)  # stored before: 250 s at 20 games a second
    run(promise, clock, 50, 20)
    run(promise, clock, 100, 10)
    assert said[0] == "this takes about 4 min in all"
    assert said[-1].startswith("this takes about 7 min in all (earlier estimate: ")
    assert 2 <= len(said) <= 3
    assert promise.first == pytest.approx(250, rel=0.05)
    assert promise.seconds == pytest.approx(50 + 4000 / 10, rel=0.05)


def test_a_stage_that_has_more_games_than_was_guessed_corrects_it() -> None:
    said, clock = list[str](), Clock()
    promise = Eta({"main": 1000, "finals": 1000}, said.append, now=clock)
    promise.begin("main", 1000, 0)
    run(promise, clock, 100, 10)
    assert said == ["this takes about 3 min in all"] and promise.left == 1000
    promise.begin("finals", 4000, 0)  # many had tied
    run(promise, clock, 1, 10)
    assert said[1:] == ["this takes about 8 min in all (earlier estimate: 3 min)"]


def test_games_of_stages_without_a_name_are_those_of_the_stages_to_come() -> None:
    promise = Eta({"": 1000}, lambda text: None)
    promise.begin("search", 700, 50)
    assert promise.left == 650 + 300
    promise.begin("screen", 200, 0)
    assert promise.left == 650 + 200 + 100
    promise.begin("final", 150, 0)
    assert promise.left == 650 + 200 + 150


def test_a_short_run_is_not_worth_a_word_and_a_test_has_no_length() -> None:
    said, clock = list[str](), Clock()
    short = Eta({"main": 600}, said.append, now=clock)
    short.begin("main", 600, 0)
    run(short, clock, 30, 20)
    assert not said and short.first is not None
    test = Eta({"main": 60_000}, said.append, most=True, now=clock)
    test.begin("main", 60_000, 0)
    run(test, clock, 30, 20)
    assert not said and test.first is not None


def test_a_run_says_what_it_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SURE", "WORTH"):
        monkeypatch.setattr(f"joute.studies.play.eta.{name}", 0.0)
    monkeypatch.setattr("joute.studies.play.eta.ENOUGH", 1)
    said = list[str]()
    study = study_of(tmp_path, study_text(["random", "alphabeta:evaluation=static,depth=1"], 20))
    done = run_study(study, tmp_path / "run", 1, progress=Progress(say=said.append))
    assert said[0].startswith("this takes about ") and said[0].endswith(" in all")
    assert done.expected is not None and done.seconds > 0
    assert make("kind", study.kind).expected(study, 1) == {"main": 40}


def test_progress_is_heard_and_passed_on() -> None:
    begun, games = list[tuple[str, int, int]](), list[int]()
    promise = Eta({"main": 10}, lambda text: None)
    watched = promise.watching(Progress(lambda *what: begun.append(what), games.append))
    watched.begin("main", 12, 2)
    watched.advance(4)
    assert (begun, games, promise.left) == ([("main", 12, 2)], [4], 6)
