from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from joute.studies.file.differences import EntrantChange
from joute.studies.file.validation import StudyRefused
from joute.studies.load import load_study
from joute.studies.ready_made import ready_made
from joute.studies.search.samplers.gp import Gp
from joute.studies.study import Study, diff

TEXT = """
name = "small"
kind = "tournament"
game = "connect4"
seed = 1
budget = "2h30m"
plugins = ["plugin.py"]
files = ["data.txt"]
[engine]
search = "alphabeta"
evaluation = "lines"
[grid]
depth = [2, 3]
width = { from = 0.5, to = 0.6, step = 0.05 }
[[entrants]]
name = "lots"
spec = "random"
[[entrants]]
nodes = 500
[schedule]
type = "gauntlet"
against = ["lots"]
blocks = 4
[openings]
plies = 4
balanced_by = "alphabeta:evaluation=static,depth=1"
balanced_within = 2.5
[time]
move_time_ms = 100
exclude_p99_over_ms = 50.5
[[stage]]
entrants = "best:3"
blocks = 8
[[stage]]
name = "last"
entrants = "best:2"
blocks = 16
[report]
title = "Small"
"""

Load = Callable[..., Study]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    def from_text(*overrides: str, added: str = "", text: str = TEXT) -> Study:
        (tmp_path / "plugin.py").write_text(
            "from joute import Search\n\n\n"
            f'class Mine(Search):\n    name = "mine-{tmp_path.name}"\n'
        )
        (tmp_path / "data.txt").write_text("")
        path = tmp_path / "study.toml"
        path.write_text(text + added)
        return load_study(path, overrides)

    return from_text


def again(study: Study, folder: Path) -> Study:
    path = folder / "resolved.toml"
    path.write_text(study.resolved_toml(), encoding="utf-8")
    return load_study(path)


def test_a_resolved_study_reads_back_as_the_same_plan(load: Load, tmp_path: Path) -> None:
    study = load()
    other = again(study, tmp_path)
    assert other == study and hash(other) == hash(study)
    assert other.entrants == study.entrants and other.stages == study.stages
    assert [e.parameters for e in other.entrants] == [e.parameters for e in study.entrants]
    assert (other.time, other.sprt, other.budget) == (study.time, study.sprt, study.budget)
    assert (other.plugins, other.files) == (study.plugins, study.files)
    assert not diff(study.identity(), other.identity())
    assert other.resolved() == study.resolved()


def test_a_search_of_trainings_loads_where_torch_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Gp, "missing", lambda self: "needs torch")
    assert load_study("connect4-knobs").own is not None
    with pytest.raises(StudyRefused, match="gp needs torch; samplers that can: "):
        load_study("connect4-tune", ["tune.sampler=gp"])


@pytest.mark.parametrize("name", ready_made())
def test_ready_made_studies_resolve(name: str, tmp_path: Path) -> None:
    study = load_study(name)
    assert again(study, tmp_path) == study


def test_everything_is_explicit(load: Load) -> None:
    resolved = load().resolved()
    assert "grid" not in resolved and "engine" not in resolved
    assert resolved["game"] == "connect4[columns=7,rows=6]"
    assert resolved["budget"] == "9000s"
    assert resolved["entrants"][0] == {
        "name": "alphabeta,depth=2,width=0.5",
        "spec": "connect4[columns=7,rows=6]/alphabeta:evaluation=lines,depth=2,width=0.5,"
        "deepening=off,reading=B",
    }
    assert resolved["entrants"][6]["name"] == "lots"
    assert [stage["name"] for stage in resolved["stage"]] == ["stage-2", "last"]


GROWTH: list[Sequence[str]] = [
    ["schedule.blocks=400", "stage.1.blocks=3"],
    ["budget=9h"],
    ["time.exclude_p99_over_ms=3", "time.slow_after_ms=4"],
    ["report.title=Other"],
]


@pytest.mark.parametrize("overrides", GROWTH)
def test_a_study_may_grow(load: Load, overrides: Sequence[str]) -> None:
    old, new = load(), load(*overrides)
    assert not diff(old.identity(), new.identity())
    assert old.resolved() != new.resolved()


def test_a_stage_may_be_added_behind_all_others(load: Load) -> None:
    old, new = load(), load(added='[[stage]]\nname = "end"\nentrants = "best:2"\nblocks = 3\n')
    assert not diff(old.identity(), new.identity())
    assert diff(new.identity(), old.identity())


def test_entrants_may_be_added_and_renamed(load: Load) -> None:
    old, new = load(), load(added="[[entrants]]\ndepth = 7\nevaluation = 'static'\n")
    assert old.entrants[0].name != new.entrants[0].name  # the evaluation now is a difference
    assert not diff(old.identity(), new.identity())
    assert diff(new.identity(), old.identity()) == [
        "entrant alphabeta,evaluation=static,depth=7,width=1: is gone "
        "(connect4[columns=7,rows=6]/alphabeta:evaluation=static,depth=7,width=1,"
        "ordering=canonical,deepening=off)"
    ]


CHANGES = [
    ("seed=2", "seed: was 1, is now 2"),
    ("openings.plies=5", "openings.plies: was 4, is now 5"),
    ("openings.balanced_within=3", "openings.balanced_within: was 2.5, is now 3"),
    ("time.move_time_ms=200", "time.move_time_ms: was 100, is now 200"),
    ("time.margin_ms=20", "time.margin_ms: was none, is now 20"),
    ("stage.1.name=end", "stages: was main, stage-2, last, is now main, stage-2, end"),
    ("stage.1.entrants=all", "stage last, entrants: was best:2, is now all"),
    (
        "entrants.1.nodes=600",
        "entrant alphabeta,depth=60,width=1, nodes: was 500, is now 600",
    ),
    (
        "entrants=[{name='lots',spec='random'}]",
        "entrant alphabeta,depth=60,width=1: is gone",
    ),
    ("entrants.0.spec=uct:iterations=5", "entrant lots: was connect4[columns=7,rows=6]/random, is"),
]


@pytest.mark.parametrize(("override", "line"), CHANGES)
def test_a_change_is_told_in_one_line(load: Load, override: str, line: str) -> None:
    old: dict[str, Any] = json.loads(json.dumps(load().identity()))
    lines = diff(old, load(override).identity())
    assert len(lines) == 1, lines
    assert lines[0].startswith(line)


def test_of_a_changed_engine_the_settings_that_differ_are_told() -> None:
    game, long = "connect4[columns=7,rows=6]", f'command="./bot --x {"y" * 300}, --z"'
    before, after = (f"{game}/process:{long},turn_ms={turn},{more}" for turn, more in (
        (1000, "keep=alive"), (3000, "keep=alive,first_ms=9"),
    ))  # fmt: skip
    assert EntrantChange("default", before, after).text() == (
        "entrant default, turn_ms: was 1000, is now 3000, first_ms: was none, is now 9"
    )
    other = EntrantChange("default", before, f"{game}/random").text()
    assert other == f"entrant default: was {before}, is now {game}/random"


def test_another_game_is_another_study(load: Load) -> None:
    lines = diff(load().identity(), load("game=connect4[columns=8]").identity())
    assert lines[0] == "game: was connect4[columns=7,rows=6], is now connect4[columns=8,rows=6]"


def test_other_code_is_told(load: Load) -> None:
    names = [entrant.name for entrant in load().entrants]
    old = {**load().identity(), "code": dict.fromkeys(names, "a")}
    new = {**load().identity(), "code": {**dict.fromkeys(names, "b"), "lots": "a"}}
    assert not diff(old, old)
    [line] = diff(old, new)
    assert line == f"code: has changed for {names[0]}, {names[1]} and 5 more"
