"""A run that is read while it grows: the same as one that is read afterwards, and cheap to look at."""

from __future__ import annotations

import itertools
import os
import shutil
import sqlite3
from pathlib import Path

import pandas as pd
import pytest

from joute.results.database import RunDamaged, RunMissing, StoreError
from joute.results.following import Following
from joute.results.frames import Results, load
from joute.results.growing import ENOUGH, Sampled
from joute.results.store import Store
from joute.results.writing import being_written
from tests.support.synthetic_runs import META, Players, Tables, engine, many, match

OLD = Path(__file__).parents[1] / "frozen" / "run_of_0_1"


def same(one: Results, other: Results) -> None:
    """Assert that two readings of a run are equal, but for numbers that only name texts."""
    for name in ("games", "seats"):
        mine, theirs = getattr(one, name), getattr(other, name)
        columns = [c for c in mine.columns if c not in ("block", "opening", "digest")]
        for column in columns:
            assert mine[column].astype(str).tolist() == theirs[column].astype(str).tolist(), column
    for name in ("failures", "claims", "engines"):
        pd.testing.assert_frame_equal(getattr(one, name), getattr(other, name))
    assert {key: sorted(ms.tolist()) for key, ms in one.times.items()} == {
        key: sorted(ms.tolist()) for key, ms in other.times.items()
    }
    assert (one.surplus, one.chance, one.trials, one.meta) == (
        other.surplus, other.chance, other.trials, other.meta,
    )  # fmt: skip


def test_a_run_that_grows_is_read_as_it_is_in_the_end(tmp_path: Path) -> None:
    engines = [engine(f"e{n}", depth=n) for n in range(3)]
    players = Players({one.id: 60.0 * n for n, one in enumerate(engines)})
    players.failing = {engines[0].id: "timeout"}
    following = Following(tmp_path)
    with Store.create(tmp_path) as store:
        store.add_engines(engines)
        store.set_meta({**META, "stages": '["one", "two"]'})
        same(following.look(), load(tmp_path))
        for step, stage in itertools.product(range(4), ("two", "one")):
            for a, b in itertools.combinations([one.id for one in engines], 2):
                store.add_games(players.pair(a, b, stage, step, 10 - step, f"g{step % 2}"))
            same(following.look(), load(tmp_path))
        assert following.look() is following.look()
        store.count_first("one", 9)  # leaves games out, with none that is new
        found = following.look()
        assert found.surplus == 12
        same(found, load(tmp_path))
        store.set_orders({one: i for i, one in enumerate(sorted(store.played))})
        store.set_meta({"tables of one": "x"})
        same(following.look(), load(tmp_path))


def test_tables_of_three(tmp_path: Path) -> None:
    many(tmp_path / "run", 3, blocks=3)
    same(Following(tmp_path / "run").look(), load(tmp_path / "run"))


@pytest.mark.parametrize("name", ["league", "search"])
def test_runs_of_the_first_version_are_read_too(name: str, tmp_path: Path) -> None:
    shutil.copytree(OLD / name, tmp_path / name)
    same(Following(tmp_path / name).look(), load(tmp_path / name))


def test_a_run_that_starts_over_is_another_one(tmp_path: Path) -> None:
    following = Following(tmp_path)
    match(tmp_path, blocks=5)
    assert len(following.look().games) == 10
    for file in tmp_path.glob("run.db*"):
        file.unlink()
    with pytest.raises(RunMissing, match="there is no run in"):
        following.look()
    match(tmp_path, elo=10, blocks=3)
    same(following.look(), load(tmp_path))


def test_what_is_no_run_is_told(tmp_path: Path) -> None:
    path = match(tmp_path / "run", blocks=60) / "run.db"
    whole = path.read_bytes()
    following = Following(tmp_path / "run")
    path.write_bytes(b"half a")
    with pytest.raises(RunDamaged, match="it is not an SQLite database"):
        following.look()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StoreError, match=r"run\.db"):
        following.look()
    path.write_bytes(whole)
    assert len(following.look().games) == 120
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(StoreError, match="a newer version of Joute"):
        following.look()


def test_looking_changes_nothing_and_lets_the_log_be_taken_over(tmp_path: Path) -> None:
    new, old = engine("new"), engine("old")
    players = Players({new.id: 50.0, old.id: 0.0})
    following = Following(tmp_path)
    sizes = []
    with Store.create(tmp_path) as store:
        store.add_engines([new, old])
        for number in range(60):
            games = [g for k in range(10) for g in players.pair(new.id, old.id, "m", 10 * number + k, 10 * number + k)]  # fmt: skip
            store.add_games(games)
            following.look()
            sizes.append(os.path.getsize(tmp_path / "run.db-wal"))
    assert max(sizes) < 5_000_000  # SQLite takes it over at 4 MB, if nobody holds it up
    before = (tmp_path / "run.db").read_bytes()
    Following(tmp_path).look()
    assert (tmp_path / "run.db").read_bytes() == before


def test_times_of_many_games_are_a_sample_of_pairs() -> None:
    sampled, key = Sampled(), ("stage", "", "e")
    total = 8 * ENOUGH
    for begin in range(0, total, ENOUGH):
        sampled.condition(begin + ENOUGH)
        for game in range(begin, begin + ENOUGH):
            if not game // 2 * 2654435761 >> 16 & sampled.mask:
                sampled.add(key, game, b"\0\0\x80?")
    kept = len(sampled.times()[key])
    assert ENOUGH / 2 < kept <= 2.2 * ENOUGH and kept % 2 == 0
    assert set(sampled.times()[key].tolist()) == {1.0}


def test_who_writes_is_known_without_the_lock(tmp_path: Path) -> None:
    assert not being_written(tmp_path)
    with Store.create(tmp_path):
        assert being_written(tmp_path)
    assert not being_written(tmp_path)


def test_values_of_moves_come_back(tmp_path: Path) -> None:
    tables = Tables({"a": 0.0, "b": 0.0}, 2)
    [one, two] = tables.block(("a", "b"), "m", 0)
    first = one.seats[0]._replace(values=(0.5, None, -(2.0**40)))
    with Store.create(tmp_path) as store:
        store.add_games([one._replace(seats=(first, one.seats[1])), two])
        back = store.game(one.id)
        assert back is not None
        assert back.seats[0].values == (0.5, None, -(2.0**40)) and back.seats[1].values == ()


def test_machines_are_counted_where_they_are_noted(tmp_path: Path) -> None:
    match(tmp_path, blocks=4)
    following = Following(tmp_path)
    following.look()
    assert following.hosts == {}
    with sqlite3.connect(tmp_path / "run.db") as db:
        hosts = [(game, "<b>" if game % 4 else "far") for game in range(1, 9)]
        db.executemany("INSERT INTO hosts VALUES (?, ?)", hosts)
    db.close()
    following = Following(tmp_path)
    following.look()
    assert following.hosts == {"<b>": 6, "far": 2}
