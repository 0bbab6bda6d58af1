"""Starting over: what Joute wrote goes, what somebody else keeps in the folder stays."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from joute.results.manifest import MANIFEST
from joute.studies.file.differences import diff_of_search
from joute.studies.load import load_study
from tests.support.runs import here, lines_of, play, study_text

STUDY = study_text(["random", "bad:how=good"], blocks=1, game="connect4[columns=5,rows=4]")


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "s.toml"
    path.write_text(STUDY)
    return path


def files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*.*")}


def test_fresh_takes_away_what_joute_wrote_alone(study: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert here("run", study, "--out", run).exit_code == 0
    ours = files(run)
    assert {"games.csv", "report.html", "study.toml", "plots/first_player.svg"} <= ours.keys()
    own = {"mine.csv": b"1,2\n", "plots/holiday.png": b"sun", "notes.txt": b"x"}
    for name, data in own.items():
        (run / name).write_bytes(data)
    (run / "games.csv").rename(run / "kept.csv")
    outside = tmp_path / "precious.csv"
    outside.write_text("do not touch")
    with (run / MANIFEST).open("a") as file:
        file.write(f"../precious.csv\n{outside}\nplots\n")
    play(load_study(study), run, fresh=True)
    found = files(run)
    assert {name: found.get(name) for name in own} == own
    new = {"run.db", "run.lock", "study.toml", MANIFEST}
    assert found.keys() == own.keys() | {"kept.csv"} | new & ours.keys() | {MANIFEST}
    assert outside.read_text() == "do not touch"


def test_fresh_takes_away_old_tables_where_no_list_says_whose_they_are(
    study: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    assert here("run", study, "--out", run).exit_code == 0
    written = set((run / MANIFEST).read_text().split())
    (run / MANIFEST).unlink()
    (run / "notes.csv").write_text("mine")
    (run / "plots" / "holiday.png").write_text("mine")
    play(load_study(study), run, fresh=True)
    assert files(run).keys() - {"run.db", "run.lock", MANIFEST} == {
        *("study.toml", "notes.csv", "plots/holiday.png")
    }
    assert written > {"games.csv", "report.html"}


def test_a_database_that_is_not_ours_is_refused_untouched(study: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    (run / "plots").mkdir(parents=True)
    with sqlite3.connect(run / "run.db") as db:
        db.execute("CREATE TABLE customers (name TEXT)")
    db.close()
    (run / "games.csv").write_text("mine")
    before = files(run)
    for words in ([], ["--fresh"]):
        done = here("run", study, "--out", run, *words)
        assert done.exit_code == 2 and "lacks the table games" in done.stderr
        assert len(done.stderr.splitlines()) == 1
        assert files(run) == before


def test_a_database_with_our_tables_and_other_columns_is_refused(tmp_path: Path) -> None:
    run = tmp_path / "run"
    (tmp_path / "s.toml").write_text(STUDY)
    assert here("run", tmp_path / "s.toml", "--out", run).exit_code == 0
    with sqlite3.connect(run / "run.db") as db:
        db.execute("ALTER TABLE seats RENAME COLUMN nodes TO moves")
    db.close()
    for words in (["run", tmp_path / "s.toml", "--out", run, "--fresh"], ["report", run]):
        done = here(*words)
        assert done.exit_code == 2 and "its table seats lacks nodes" in done.stderr


def test_a_confirmation_that_is_new_is_told_in_words() -> None:
    final = {"limit": {"milliseconds": 5.0}, "clock": None, "sprt": {"elo0": 0, "elo1": 40}}
    (change,) = diff_of_search({}, {"final": final})
    assert change.text() == ("final: was none, is now limit milliseconds 5 sprt elo0 0 elo1 40")


def never(*words: object) -> None:
    raise AssertionError("compiled before the fault was told")


def test_a_folder_that_cannot_take_a_run_is_told_before_anything_is_compiled(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(load_study(study), tmp_path / "run")
    (tmp_path / "file").write_text("x")
    monkeypatch.setattr("joute.studies.play.run_folder.warm", never)
    monkeypatch.setattr("joute.studies.play.run_folder.engine_records", never)
    for place, more, said in [
        (tmp_path / "run", ["--set", "seed=9"], "start over (--fresh); what differs: seed"),
        (tmp_path / "file" / "x", [], "file is not a folder"),
        (tmp_path / "file", [], "file is not a folder"),
        ("/proc/nothing", [], "/proc cannot be written to"),
    ]:
        if str(place).startswith("/proc") and os.access("/proc", os.W_OK):
            continue  # who may do all is told by the system, later
        done = here("run", study, "--out", place, *more)
        assert done.exit_code == 2 and said in done.stderr, done.stderr
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
def test_a_full_disk_is_told_in_one_line(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    play(load_study(study), run)
    before = lines_of(run), (run / "study.toml").read_bytes()
    full = os.open("/dev/full", os.O_RDWR)

    def on_full(**where: object) -> tuple[int, str]:
        name = tmp_path / "scratch"
        name.touch()
        return os.dup(full), str(name)

    monkeypatch.setattr("joute.results.tables.tempfile.mkstemp", on_full)
    for words in (["run", study, "--out", run], ["report", run]):
        done = here(*words)
        assert done.exit_code == 1
        assert "No space left on device" in done.stderr.splitlines()[-1]
        assert str(run) in done.stderr and "Traceback" not in done.output
    assert (lines_of(run), (run / "study.toml").read_bytes()) == before


def test_a_million_engines_are_refused_at_once() -> None:
    grid = [word for i in "abc" for word in ("--grid", f"{i}=" + ",".join(map(str, range(100))))]
    done = here("suite", "tron-situations", "random", *grid)
    assert done.exit_code == 2 and "1000000 engines; allowed: at most 10000" in done.stderr
