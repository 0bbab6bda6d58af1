"""A run.db of the right form and wrong content is named as damaged, in one line, and left alone."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from click.testing import Result

from tests.support import synthetic_runs as runs
from tests.support.runs import here, play, study_of, study_text

WRONG = {
    "a rank is text": "UPDATE seats SET rank = 'first' WHERE seat = 0",
    "a return is above 1": "UPDATE seats SET returns = 7",
    "a return is no end of a game of two": "UPDATE seats SET returns = 0.7",
    "outcomes are no numbers": "UPDATE games SET outcomes = '['",
    "a return is no number": "UPDATE seats SET returns = 'nan'",
    "nodes are below 0": "UPDATE seats SET nodes = -1",
    "nodes are no whole number": "UPDATE seats SET nodes = 1.5",
    "a seat that there is not": "UPDATE seats SET seat = 9 WHERE seat = 1",
    "a seat below 0": "UPDATE seats SET seat = -1 WHERE seat = 1",
    "a row of seats is missing": "DELETE FROM seats WHERE rowid_ = 1",
    "all of a game's seats are missing": "DELETE FROM seats WHERE game = (SELECT MIN(number) FROM games)",
    "seats of no game": "DELETE FROM games WHERE number = 1",
    "an unknown engine": "UPDATE seats SET engine = 'nobody'",
    "parameters are no JSON": "UPDATE engines SET parameters = '{'",
    "parameters are a list": "UPDATE engines SET parameters = '[1]'",
    "a parameter is a table": 'UPDATE engines SET parameters = \'{"a": {"b": 1}}\'',
    "a name is a blob": "UPDATE engines SET name = x'00ff' WHERE id = (SELECT MIN(id) FROM engines)",
    "times are words": "UPDATE seats SET ms = 'soon'",
    "times cut in two": "UPDATE seats SET ms = x'000102'",
    "an unknown termination": "UPDATE games SET termination = 'flag'",
    "an order below 0": "UPDATE games SET order_ = -3",
    "surplus of 2": "UPDATE games SET surplus = 2",
    "plies are text": "UPDATE games SET plies = 'many'",
    "a failure of nobody": "INSERT INTO failures VALUES (999, 0, 1, 'crash', '')",
    "values are words": "INSERT OR REPLACE INTO told VALUES (1, 0, 'good')",
    "values of nobody": "INSERT INTO told VALUES (999, 0, x'')",
    "progress is a list": "INSERT OR REPLACE INTO meta VALUES ('progress', '[1]')",
    "a trial's point is no JSON": "INSERT INTO trials VALUES (0, 'e', 'complete', '(', '[0.5]')",
    "a trial's score is text": "INSERT INTO trials VALUES (0, 'e', 'complete', '{}', '[\"x\"]')",
    "stages are a number": "UPDATE meta SET value = '3' WHERE key = 'stages'",
    "identity is no JSON": "UPDATE meta SET value = 'x' WHERE key = 'identity'",
    "an identity of nothing": "UPDATE meta SET value = '{}' WHERE key = 'identity'",
    "plugins are a number": "INSERT OR REPLACE INTO meta VALUES ('plugins', '3')",
    "generations without numbers": "INSERT OR REPLACE INTO meta VALUES ('generations', '[{}]')",
    "no UTF-8": "UPDATE meta SET value = CAST(x'61ff0a62' AS TEXT) WHERE key = 'study'",
    "a time limit is a word": "UPDATE meta SET value = 'never' WHERE key = 'slow_after_ms'",
    "a search without axes": "INSERT OR REPLACE INTO meta VALUES ('search', '{}')",
    "a time is infinite": "UPDATE seats SET ms = x'0000807f' WHERE rowid_ = 1",
    "a time is none": "UPDATE seats SET ms = x'0000c07f' WHERE rowid_ = 1",
    "a time is below 0": "UPDATE seats SET ms = x'000080bf' WHERE rowid_ = 1",
    "a value is infinite": "INSERT OR REPLACE INTO told VALUES (1, 0, x'0000803f0000807f')",
    "nodes of a move are below 0": "INSERT OR REPLACE INTO searched VALUES (1, 0, x'ffffffffffffffff', x'0100')",
    "a parameter is infinite": "UPDATE engines SET parameters = '{\"a\": 1e999}'",
    "a worker's pace is infinite": "INSERT OR REPLACE INTO meta VALUES ('paces', '{\"w\": [1, 1e999]}')",
    "the study is no TOML": "UPDATE meta SET value = '[[[' WHERE key = 'study'",
    "candidates that are numbers": "INSERT OR REPLACE INTO meta VALUES ('candidates', '[3]')",
    "a candidate of whom nothing is expected": (
        "INSERT OR REPLACE INTO meta VALUES ('candidates',"
        ' \'[{"name": "tuned-1", "point": {}, "expected": [0.5, "a"]}]\')'
    ),
    "a time that no clock shows": "INSERT OR REPLACE INTO meta VALUES ('progress', '{\"begun\": 1e300}')",
    "a search of nothing": "UPDATE meta SET value = 'tune' WHERE key = 'kind'",
    "a finalist who is no candidate": "INSERT OR REPLACE INTO meta VALUES ('finalist', 'nobody')",
    "a test of nothing": "INSERT OR REPLACE INTO meta VALUES ('sprt', '[1]')",
}


AXIS = {"name": "width", "kind": "float", "low": 0.3, "high": 1.0, "step": None, "log": False}
SEARCH = {"stage": "s", "axes": [AXIS], "default": "d", "pool": ["p"], "rows": 1, "blocks": 1}
AXES: dict[str, dict[str, object]] = {
    "no such kind": {"kind": "real"},
    "an end that is text": {"low": "0.3"},
    "an end without end": {"high": 1e300},
    "ends the wrong way": {"low": 2.0},
    "a step of 0": {"step": 0.0},
    "steps without number": {"step": 1e-300},
    "a step back": {"step": -0.1},
    "choices of none": {"kind": "choice", "choices": []},
    "choices that are numbers": {"kind": "choice", "choices": [1, 2]},
    "something else": {"evil": 1},
}


def spoiled(run: Path, folder: Path, search: object, *trials: tuple[object, ...]) -> Result:
    """Report a copy of a run with such a search and trials."""
    shutil.copytree(run, folder)
    with sqlite3.connect(folder / "run.db") as db:
        db.execute("INSERT INTO meta VALUES ('search', ?)", (json.dumps(search),))
        db.executemany("INSERT INTO trials VALUES (?, ?, ?, ?, ?)", trials)
    db.close()
    return here("report", folder)


@pytest.mark.parametrize("axis", AXES.values(), ids=AXES)
def test_a_searched_parameter_that_is_none_is_told(
    run: Path, tmp_path: Path, axis: dict[str, object]
) -> None:
    done = spoiled(run, tmp_path / "run", {**SEARCH, "axes": [{**AXIS, **axis}]})
    assert done.exit_code == 2, done.output
    assert "run.db is damaged: meta: search is not a search" in done.stderr


@pytest.mark.parametrize("value", ["two", "0.5"])
def test_a_point_that_is_none_of_its_search_is_told(run: Path, tmp_path: Path, value: str) -> None:
    trials = [
        (number, "e", "complete", json.dumps({"width": width}), "[0.5]")
        for number, width in enumerate([0.5, value])
    ]
    done = spoiled(run, tmp_path / "run", SEARCH, *trials)
    assert done.exit_code == 2, done.output
    assert "run.db is damaged: trials: width of trial 1 is not what its search says" in done.stderr


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tmp_path = tmp_path_factory.mktemp("sound")
    text = study_text(["random", "bad:how=good"], 2, "connect4[columns=4,rows=4]")
    play(study_of(tmp_path, text), tmp_path / "run")
    return tmp_path / "run"


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_wrong_content_is_told_in_one_line(run: Path, tmp_path: Path, wrong: str) -> None:
    folder = tmp_path / "run"
    shutil.copytree(run, folder)
    wrong = wrong.replace("rowid_ = 1", "game = (SELECT MIN(number) FROM games) AND seat = 1")
    with sqlite3.connect(folder / "run.db") as db:
        db.execute("UPDATE meta SET value = '1' WHERE key = 'slow_after_ms'")
        assert db.execute(wrong).rowcount > 0
    db.close()
    before = (folder / "run.db").read_bytes()
    for words in (["report", folder], ["run", run.parent / "s.toml", "--out", folder]):
        done = here(*words)
        assert done.exit_code == 2, done.output
        assert len(done.stderr.splitlines()) == 1 and "run.db is damaged: " in done.stderr
        assert not (folder / "report.html").exists()
    assert (folder / "run.db").read_bytes() == before


def test_a_sound_run_is_not_refused(run: Path, tmp_path: Path) -> None:
    assert here("report", runs.campaign(tmp_path, depths=(4,), blocks=1)).exit_code == 0
