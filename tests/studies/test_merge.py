"""Runs of one study, played on different machines, become one that is a run like any other."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from joute.engines.errors import JouteError, Refused
from joute.results.store import Store
from joute.results.tables import load
from joute.studies.load import load_study
from joute.studies.play.merge import merge
from tests.support.marks import slow
from tests.support.runs import ROOT, here, lines_of, play, rows, study_of, study_text, tables
from tests.support.searches import one_axis

BOARD = "connect4[columns=5,rows=4]"
SPECS = (
    "random",
    "bad:how=good",
    "alphabeta:evaluation=static,depth=1",
    "alphabeta:evaluation=static,depth=2",
)
OLD = ROOT / "tests" / "frozen" / "run_of_0_1" / "league" / "run.db"
TABLE = study_text(SPECS[:2], blocks=6, game=BOARD)


def text_of(*which: int, blocks: int = 6) -> str:
    """Return a tournament among some of the engines, each under its own name."""
    text = study_text(SPECS, blocks, BOARD)
    head, *entrants = text.split("[[entrants]]")
    last, tail = entrants[-1].split("[schedule]")
    entrants[-1] = last
    return "".join([head, *(f"[[entrants]]{entrants[i]}" for i in which), f"[schedule]{tail}"])


def without(folder: Path, condition: str) -> Path:
    """Take some games out of a run."""
    with sqlite3.connect(folder / "run.db") as db:
        for table in ("seats", "failures", "claims", "told", "searched"):
            db.execute(
                f"DELETE FROM {table} WHERE game IN (SELECT number FROM games WHERE {condition})"
            )
        db.execute(f"DELETE FROM games WHERE {condition}")
    db.close()
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    play(study_of(folder, TABLE), folder / "run")
    return folder / "run"


@pytest.fixture
def halves(whole: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Two runs that hold some games both, and some each; not all games are there."""
    one, two = (shutil.copytree(whole, tmp_path / name) for name in ("one", "two"))
    return without(one, "order_ > 2"), without(two, "order_ < 2 OR order_ = 4 AND seating = 1")


def test_what_both_hold_is_there_once_and_what_is_missing_is_played(
    whole: Path, halves: tuple[Path, Path], tmp_path: Path
) -> None:
    for run, day in zip(halves, ("2026-11-28", "2026-11-27"), strict=True):
        with Store.open(run, write=True) as store:
            store.set_meta({"begun": day})
    found = merge(halves, tmp_path / "run")
    assert (found.games, found.twice) == (11, 2)
    assert load(found.folder).meta.begun == "2026-11-27"
    assert set(lines_of(found.folder)) < set(lines_of(whole))
    assert here("report", found.folder).exit_code == 0
    assert "merged from 2 runs" in (found.folder / "report.html").read_text()
    assert play(study_of(tmp_path, TABLE), found.folder).played == 1
    assert lines_of(found.folder) == lines_of(whole) and tables(found.folder) == tables(whole)
    assert {p.name for p in tmp_path.iterdir()} == {"one", "two", "run", "s.toml"}
    again = merge([found.folder, halves[0]], tmp_path / "again")
    assert again.games == 12 and lines_of(again.folder) == lines_of(whole)
    assert len(json.loads(load(again.folder).meta["merged"])) == 3


def test_the_command_tells_what_it_did(halves: tuple[Path, Path], tmp_path: Path) -> None:
    done = here("merge", *halves, "--out", tmp_path / "run")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0] == (
        f"{tmp_path / 'run'}: 11 games of 2 runs, 2 of them in several."
    )
    done = here("merge", *halves, "--out", tmp_path / "two-runs", "--json")
    assert json.loads(done.stdout)["twice"] == 2


def test_entrants_that_only_one_has_are_united(tmp_path: Path) -> None:
    for name, which in (("a", (0, 1)), ("b", (0, 2)), ("all", (0, 1, 2))):
        play(study_of(tmp_path, text_of(*which)), tmp_path / name)
    found = merge([tmp_path / "a", tmp_path / "b"], tmp_path / "run")
    assert found.games == 24 and not found.twice
    assert len(load(found.folder).engines) == 3
    assert play(study_of(tmp_path, text_of(0, 1, 2)), found.folder).played == 12
    assert lines_of(found.folder) == lines_of(tmp_path / "all")
    assert tables(found.folder) == tables(tmp_path / "all")


def test_a_run_that_was_killed_has_all_that_it_stored(whole: Path, tmp_path: Path) -> None:
    one = without(shutil.copytree(whole, tmp_path / "one"), "order_ > 1")
    left = shutil.copytree(whole, tmp_path / "left")
    with Store.open(left, write=True) as store:
        store.count_first("main", 5)
        shutil.copytree(left, tmp_path / "killed")  # what was written last lies in SQLite's log
    assert (tmp_path / "killed" / "run.db-wal").stat().st_size
    found = merge([one, tmp_path / "killed"], tmp_path / "run")
    assert found.games == 12
    assert rows(found.folder, "SELECT SUM(surplus) FROM games") == [(2,)]


def test_failures_and_claims_come_along(tmp_path: Path) -> None:
    text = study_text(["random", "bad:how=giveup"], blocks=4, game=BOARD)
    play(study_of(tmp_path, text), tmp_path / "all")
    parts = [shutil.copytree(tmp_path / "all", tmp_path / name) for name in ("a", "b")]
    merge([without(parts[0], "order_ % 2"), without(parts[1], "order_ % 2 = 0")], tmp_path / "run")
    told = [load(tmp_path / name).failures for name in ("run", "all")]
    assert told[0].equals(told[1]) and len(told[0]) == 8


@pytest.mark.parametrize("swapped", [False, True])
def test_a_sequential_test_counts_what_it_would_have_counted(tmp_path: Path, swapped: bool) -> None:
    text = (
        f'name = "m"\nkind = "match"\ngame = "{BOARD}"\nseed = 3\n'
        f'[a]\nspec = "{SPECS[3]}"\n[b]\nspec = "random"\n[sprt]\nelo1 = 200\n'
    )
    whole = tmp_path / "whole"
    assert play(study_of(tmp_path, text), whole).decided == "H1"
    counted = int(str(rows(whole, "SELECT MAX(order_) FROM games WHERE NOT surplus")[0][0]))
    parts = [shutil.copytree(whole, tmp_path / name) for name in ("a", "b")]
    for part in parts:
        with sqlite3.connect(part / "run.db") as db:
            db.execute("UPDATE games SET surplus = 0")
        db.close()
    without(parts[0], "order_ = 1"), without(parts[1], f"order_ >= {counted} AND order_ <> 1")
    found = merge(parts[::-1] if swapped else parts, tmp_path / "run")
    assert lines_of(found.folder) == lines_of(whole)
    assert play(study_of(tmp_path, text), found.folder).played == 0


TUNE = one_axis("tune", "100 games", '[tune]\nsampler = "random"\ntrial_blocks = 4\n')
DUELS = one_axis("tune", "180 games", '[tune]\nagainst = "itself"\n').replace(
    "depth = 2", "depth = 2\nwidth = 0.8"
)
SCAN = one_axis("scan", "40 games", "[scan]\nopenings = 20\n")


@pytest.mark.parametrize("text", [TUNE, slow(DUELS), SCAN])
def test_a_search_goes_on_where_the_longest_is(tmp_path: Path, text: str) -> None:
    study = study_of(tmp_path, text)
    play(study, tmp_path / "whole")
    parts = [shutil.copytree(tmp_path / "whole", tmp_path / name) for name in ("a", "b")]
    stage = "SELECT stage FROM games ORDER BY number LIMIT 1"
    for part, places in zip(parts, ("> 7", "BETWEEN 3 AND 5"), strict=True):
        without(part, f"stage <> ({stage}) OR order_ {places}")
        with sqlite3.connect(part / "run.db") as db:
            db.execute("DELETE FROM trials")
            db.execute("DELETE FROM duels")
            db.execute("DELETE FROM meta WHERE key IN ('candidates', 'finalist', 'final_rounds')")
        db.close()
    found = merge(parts, tmp_path / "run")
    assert here("report", found.folder).exit_code == 0
    play(study, found.folder)
    assert lines_of(found.folder) == lines_of(tmp_path / "whole")
    with Store.open(found.folder) as one, Store.open(tmp_path / "whole") as two:
        assert one.trials() == two.trials()


def test_a_search_that_was_confirmed_early_is_not_mixed_with_a_longer_one(tmp_path: Path) -> None:
    play(study_of(tmp_path, TUNE), tmp_path / "short")
    play(study_of(tmp_path, TUNE, "budget=140 games"), tmp_path / "long")
    with pytest.raises(
        Refused, match=r"short ended its search after \d+ trials and has confirmed .*"
    ):
        merge([tmp_path / "long", tmp_path / "short"], tmp_path / "run")


def altered(folder: Path, *statements: str) -> None:
    with sqlite3.connect(folder / "run.db") as db:
        for statement in statements:
            db.execute(statement)
    db.close()


MOVED = "UPDATE games SET actions = '1 1 1', digest = 'x' WHERE order_ = 2 AND seating = 0"
ENDLESS = (
    "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
    " SELECT x number, '' engine, 'complete' state, '{}' point, '[]' scores FROM c"
)
FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "another game": (lambda run: altered(run, MOVED), "two contradicts what was named before it: the game [0-9a-f]+ has another actions, digest"),
    "another opening": (
        lambda run: altered(run, "UPDATE games SET opening_key = 7 WHERE order_ = 2"),
        "the block [0-9a-f]+ has another opening_key",
    ),
    "another result": (
        lambda run: altered(run, "UPDATE seats SET returns = 0.5, rank = 1.5"),
        "the game [0-9a-f]+ has another rank, returns",
    ),
    "another code": (
        lambda run: altered(run, "UPDATE engines SET digest = 'x' WHERE name = 'e1'"),
        "the engine e1 has another digest",
    ),
    "another seed": (
        lambda run: altered(run, "UPDATE meta SET value = replace(value, '\"seed\": 5', '\"seed\": 6')"),
        "runs of different studies: seed is 5 in the first, 6 in the second",
    ),
    "noted code": (
        lambda run: altered(
            run, "UPDATE meta SET value = replace(value, '\"code\": {\"e0\": \"', '\"code\": {\"e0\": \"x')"
        ),
        "runs of different studies: the code of e0 differs",
    ),
    "a training run": (
        lambda run: altered(run, "UPDATE meta SET value = 'train' WHERE key = 'kind'"),
        "two is a training run and cannot be merged",
    ),
    "a run of 0.1": (
        lambda run: shutil.copyfile(OLD, run / "run.db"),
        "two was written by Joute 0.1: it can be reported, but not merged",
    ),
    "no study": (lambda run: altered(run, "DELETE FROM meta"), "two holds no study"),
    "no run": (lambda run: (run / "run.db").unlink(), "there is no run in .*two"),
    "a game twice": (
        lambda run: altered(run, "UPDATE games SET block = (SELECT MIN(block) FROM games)"),
        "two/run.db is damaged: it holds seating 0 of block [0-9a-f]+ twice; it was left",
    ),
    "games of no block": (
        lambda run: altered(run, "UPDATE games SET id = id || 'x', block = block || 'x'"),
        "two contradicts what was named before it: it has another block at place [0-9]+ of stage main",
    ),
    "numbers without end": (
        lambda run: altered(run, "UPDATE games SET number = number + 4611686018427387904",
                            "UPDATE seats SET game = game + 4611686018427387904"),
        "run.db is damaged: games: their numbers go from 46116860184273879[0-9]+ to",
    ),
    "negative numbers": (
        lambda run: altered(run, "UPDATE games SET number = -number", "UPDATE seats SET game = -game"),
        "run.db is damaged: games: their numbers go from -",
    ),
    "a table less": (
        lambda run: altered(run, "DROP TABLE seats"),
        r"^[^ ]+run.db is damaged: it lacks the table seats; it was left as it is \([^)]*\)$",
    ),
    "a view": (
        lambda run: altered(run, "ALTER TABLE trials RENAME TO t", f"CREATE VIEW trials AS {ENDLESS}"),
        "it lacks the table trials",
    ),
    "half a file": (
        lambda run: (run / "run.db").write_bytes((run / "run.db").read_bytes()[:9000]),
        r"run.db is damaged: ",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_what_does_not_fit_is_told_in_one_line(
    halves: tuple[Path, Path], tmp_path: Path, fault: str
) -> None:
    spoil, said = FAULTS[fault]
    spoil(halves[1])
    with pytest.raises(JouteError, match=said) as caught:
        merge(halves, tmp_path / "run")
    assert caught.value.exit_code == 2 and len(str(caught.value).splitlines()) == 1
    assert not (tmp_path / "run").exists()
    assert {p.name for p in tmp_path.iterdir()} == {"one", "two"}


def test_columns_and_triggers_of_somebody_else_stay_behind(
    halves: tuple[Path, Path], tmp_path: Path
) -> None:
    for table in ("games", "seats", "engines", "trials", "told"):
        altered(halves[1], f"ALTER TABLE {table} ADD COLUMN evil TEXT DEFAULT 'x'")
    altered(halves[1], "CREATE TRIGGER t AFTER INSERT ON games BEGIN DELETE FROM seats; END")
    before = lines_of(halves[0]), lines_of(halves[1])
    merge(halves, tmp_path / "run")
    assert lines_of(tmp_path / "run") == sorted({*before[0], *before[1]})
    [*schema] = rows(tmp_path / "run", "SELECT sql FROM sqlite_master")
    assert "evil" not in str(schema) and "TRIGGER" not in str(schema)


def test_a_run_that_is_being_played_or_taken_is_refused(
    halves: tuple[Path, Path], tmp_path: Path
) -> None:
    with Store.open(halves[1], write=True):
        done = here("merge", *halves, "--out", tmp_path / "run")
        assert done.exit_code == 2 and "another process is writing the run in" in done.stderr
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "mine.txt").write_text("mine")
    for out, said in (
        (halves[0], "one holds a run; take another --out"),
        (tmp_path / "kept", "kept is not empty; take another --out"),
        (tmp_path / "kept" / "mine.txt", "mine.txt is not a folder"),
    ):
        done = here("merge", *halves, "--out", out)
        assert done.exit_code == 2 and said in done.stderr and len(done.stderr.splitlines()) == 1
    for runs, said in ((halves[:1], "only one run"), ((halves[0],) * 2, "is named twice")):
        done = here("merge", *runs, "--out", tmp_path / "run")
        assert done.exit_code == 2 and said in done.stderr
    assert not (tmp_path / "run").exists()
    (tmp_path / "empty").mkdir()
    assert here("merge", *halves, "--out", tmp_path / "empty").exit_code == 0
    assert load_study(tmp_path / "empty" / "study.toml").name == "s"
