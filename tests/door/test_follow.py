"""A study whose file changes while it is played: what is new is played, what is wrong is told."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from joute.engines.errors import Refused
from joute.follow import StudyFile, follow
from joute.results.tables import load
from joute.runs import Run
from joute.studies.play.progress import Progress
from tests.support.here import Here
from tests.support.runs import (
    here,
    kill_group,
    lines_of,
    play,
    started,
    stored,
    study_of,
    study_text,
    tables,
)

LINES = [f"alphabeta:evaluation=static,depth={depth}" for depth in (1, 2, 3)]
NEWCOMER = '[[entrants]]\nname = "late"\nspec = "{}"\n'
LATE = NEWCOMER.format("uct:iterations=5")
GONE = NEWCOMER.format("process:command=./nothere")


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    """Look at the file after every batch, and play in this process."""
    with (
        patch("joute.follow.LOOK", 0.0),
        patch("joute.harness.runner.local", lambda workers: Here()),
    ):
        yield


class Following:
    """A run that follows its file, which `edits` change: each after so many games, or while it waits."""

    def __init__(self, folder: Path, text: str, edits: list[tuple[int, str]]) -> None:
        self.path, self.run, self.said = folder / "s.toml", folder / "run", list[str]()
        self.path.write_text(text)
        self._edits, self._games = edits, 0

    def runs(self) -> Iterator[Run]:
        """Yield the run whenever all is played."""
        progress = Progress(advance=self._advance, say=self._say)
        file = StudyFile(str(self.path), [], self.run, progress)
        return follow(file, 1, None, progress, False)

    def _advance(self, games: int) -> None:
        self._games += games
        if self._edits and 0 <= self._edits[0][0] <= self._games:
            self._edit()

    def _say(self, text: str) -> None:
        self.said.append(text)
        if text.startswith("waiting for changes"):
            if not self._edits:
                raise KeyboardInterrupt
            self._edit()

    def _edit(self) -> None:
        self.path.write_text(self._edits.pop(0)[1])


def ends(following: Following) -> list[str]:
    """Follow until nothing is left to edit; return how each run ended, and with how many games."""
    return [f"{run.outcome.stopped}{len(run.games)}" for run in following.runs() if run.outcome]


@pytest.mark.parametrize("after", [2, 8, -1], ids=["midway", "late", "waiting"])
@pytest.mark.parametrize("more", ["", 'type = "adaptive"\n'], ids=["round robin", "adaptive"])
def test_a_newcomer_is_as_if_it_had_been_there(tmp_path: Path, after: int, more: str) -> None:
    text = study_text(LINES, 8) + more
    following = Following(tmp_path, text, [(after, text + LATE)])
    games = ends(following)
    assert len(games) == (1 if after == 2 else 2)
    assert "s has changed; new: late" in following.said
    results = load(following.run)
    assert {*results.engines["name"]} == {"e0", "e1", "e2", "late"}
    if not more:  # the pairings of the others follow from no result
        assert games[-1] == "96"
        play(study_of(tmp_path / "run", text + LATE), whole := tmp_path / "whole")
        assert lines_of(whole) == lines_of(following.run) and tables(whole) == tables(following.run)


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        ("[[entrants]\n", "is not TOML"),
        (NEWCOMER.format("uct:iterations=none"), "iterations"),
        (GONE, "./nothere cannot be started"),
    ],
    ids=["no TOML", "no engine", "no program"],
)
def test_a_wrong_change_is_told_and_nothing_stops(tmp_path: Path, wrong: str, line: str) -> None:
    text = study_text(LINES, 8)
    following = Following(tmp_path, text, [(2, text + wrong), (-1, text + LATE)])
    assert ends(following) == ["48", "96"]
    assert any(line in said for said in following.said)
    assert following.said.count(f"{following.path} is not taken in; change it again") == 1


def test_an_entrant_leaves(tmp_path: Path) -> None:
    following = Following(tmp_path, study_text(LINES, 8), [(2, study_text(LINES[:2], 8))])
    assert ends(following) == ["16"]
    assert "e2 left: their games are kept, but no longer count" in following.said


def test_an_entrant_does_not_change(tmp_path: Path) -> None:
    changed = study_text([LINES[0], "uct:iterations=5", LINES[2]], 8)
    following = Following(tmp_path, study_text(LINES, 8), [(2, changed)])
    assert ends(following) == ["48"]
    assert any("takes another name" in said for said in following.said)


def test_what_changes_nothing_is_not_told(tmp_path: Path) -> None:
    text = study_text(LINES, 8)
    following = Following(tmp_path, text, [(2, text + "# a comment\n")])
    assert ends(following) == ["48"]
    assert [said for said in following.said if "waiting" not in said] == []


def test_a_first_study_that_its_run_refuses_ends_it(tmp_path: Path) -> None:
    following = Following(tmp_path, study_text(LINES, 8) + GONE, [])
    with pytest.raises(Refused, match="nothere"):
        next(following.runs())


def test_follow_needs_a_run_to_play(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(study_text(LINES, 8))
    refused = here("run", path, "--follow", "--dry-run")
    assert refused.exit_code == 2 and "leave out --follow" in refused.output


def test_the_command_waits_and_ends_in_order(tmp_path: Path) -> None:
    text, path, run = study_text(LINES[:2], 4), tmp_path / "s.toml", tmp_path / "run"
    path.write_text(text)
    process = started("run", path, "--out", run, "--follow", "-j", "1", "--no-report")
    late = threading.Timer(90, kill_group, [process])
    late.start()
    assert process.stderr is not None
    told, waits = "", 0
    for line in process.stderr:
        told += line
        if "waiting for changes of" in line:
            waits += 1
            if "late" in told:
                kill_group(process, signal.SIGINT)
            else:
                path.write_text(text + LATE)
    late.cancel()
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, waits) == (0, 2), told
    assert "s has changed; new: late" in told and stored(run) == 24
    assert "late" in out
