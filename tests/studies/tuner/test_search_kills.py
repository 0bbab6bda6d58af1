"""A search whose process dies between games, hundreds of times: the same trials, the same answer."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from joute.harness.worker import Batch, Setting, Work
from joute.reports.telling import answer
from joute.results.store import Store
from joute.results.tables import load
from tests.support.here import Here
from tests.support.marks import dear_case, slow
from tests.support.runs import lines_of, play, rows, study_of
from tests.support.searches import tune_text

TRIALS = "SELECT * FROM trials ORDER BY number"


class Killed(BaseException):
    """The process is gone: nothing catches it, and nothing is stored any more."""


class Mortal(Here):
    """Plays one task at a time, and dies at random: before it, after it, or when it was stored."""

    def __init__(self, dice: random.Random, kills: int) -> None:
        self.dice, self.left, self.dead = dice, kills, False

    def may_die(self, chance: float) -> None:
        if self.left and self.dice.random() < chance:
            self.left -= 1
            self.dead = True
            raise Killed

    def submit(self, setting: Setting, tasks: Sequence[Work]) -> Future[Batch]:
        self.may_die(0.4)
        future = super().submit(setting, tasks)
        self.may_die(0.5)
        return future

    def advance(self, games: int) -> None:
        self.may_die(0.4)


def lives(folder: Path, text: str, kills: int) -> int:
    """Run a study until it has ended, whatever it dies of; return how many lives it had."""
    mortal, count, keep = Mortal(random.Random(1), kills), 0, Store.set_trials

    def set_trials(store: Store, trials: Any) -> None:
        if not mortal.dead:
            keep(store, trials)

    with (
        patch("tests.support.runs.Here", lambda: mortal),
        patch("joute.harness.runner.MOST_TASKS", 1),
        patch.object(Store, "set_trials", set_trials),
    ):
        while True:
            count, mortal.dead = count + 1, False
            try:
                play(study_of(folder, text), folder / "run", advance=mortal.advance)
                return count
            except Killed:
                continue


def said(folder: Path) -> list[str]:
    """The answer, without how long moves took."""
    timeless = (
        re.sub(r"[\d.]+ ([mµ]?s|times as long)\b", "a while", line)
        for line in answer(load(folder)).lines
    )
    return list(timeless)


@pytest.mark.parametrize(("games", "kills"), [slow(200, 5), dear_case(420, 120)])
def test_kills_between_games_change_no_trial_and_no_answer(
    tmp_path: Path, games: int, kills: int
) -> None:
    text = tune_text(f"{games} games", 'sampler = "joute"\n')
    play(study_of(tmp_path, text), tmp_path / "calm")
    assert lives(tmp_path, text, kills) == kills + 1
    calm, run = tmp_path / "calm", tmp_path / "run"
    assert lines_of(run) == lines_of(calm)
    assert rows(run, TRIALS) == rows(calm, TRIALS)
    assert rows(run, "SELECT COUNT(*) FROM trials")[0][0]
    assert said(run) == said(calm)
