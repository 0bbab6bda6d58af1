"""What a run that goes on knows of its games is what its games say, one by one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joute.engines.record import GameRecord
from joute.harness.schedule import Schedule
from joute.results import blocks, soundness
from joute.results.blocks import Held, Twice
from joute.results.store import RunDamaged, Store
from tests.support.records import game

LEAF = 10  # of what a table without rowids is made: the first byte of a page

PLAYED = st.sets(st.tuples(st.integers(0, 30), st.integers(0, 5)), max_size=60)


def game_of(number: int, seating: int) -> GameRecord:
    return game(
        number, stage=("even", "odd")[number % 2], order=number // 2, block=f"b{number}",
        seating=seating, opening_key=-number, draw=3 * number,
    )  # fmt: skip


@given(PLAYED, st.integers(1, 7))
@settings(max_examples=25)
def test_blocks_are_read_with_all_their_games(
    tmp_path_factory: pytest.TempPathFactory, played: set[tuple[int, int]], chunk: int
) -> None:
    folder = tmp_path_factory.mktemp("run")
    with pytest.MonkeyPatch.context() as patch, Store.create(folder) as store:
        patch.setattr(blocks, "CHUNK", chunk)
        store.add_games([game_of(number, seating) for number, seating in played])
        held = Held.of(store._db)
        assert held.played == store.played
        assert held.last == len(played)
        for stage in ("even", "odd"):
            mine = {n for n, _ in played if ("even", "odd")[n % 2] == stage}
            found = held.blocks(stage)
            assert sorted(found.names) == sorted(f"b{n}" for n in mine)
            for name, place, key, draw, games in zip(
                found.names, *(column.tolist() for column in found[1:]), strict=True
            ):
                n = int(name[1:])
                assert (place, key, draw) == (n // 2, -n, 3 * n)
                assert games == sum(number == n for number, _ in played)
        assert not held.blocks("even").names  # handed over


@pytest.mark.parametrize("seating", [0, 1])
def test_a_game_that_comes_again_much_later_is_found(tmp_path: Path, seating: int) -> None:
    with Store.create(tmp_path) as store:
        store.add_games([game_of(n, s) for n in range(40) for s in (0, 1)])
        store._db.execute(
            "INSERT INTO games SELECT 1000, id, stage, round, order_, block, seating, grp, opening,"
            " actions, outcomes, digest, termination, plies, opening_key, draw, surplus FROM games"
            " WHERE block = 'b3' AND seating = ?",
            (seating,),
        )
        with pytest.raises(Twice, match=f"holds seating {seating} of block b3 twice"):
            Held.of(store._db)


def test_a_number_that_is_none_is_damage_in_a_run_of_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(soundness, "MANY", 10)
    with Store.create(tmp_path) as store:
        store.add_games([game_of(n, 0) for n in range(20)])
        store._db.execute("UPDATE games SET order_ = 'x' WHERE number = 7")
    with pytest.raises(RunDamaged, match="is damaged: invalid literal"):
        Store.open(tmp_path, write=True)


def test_a_run_of_many_is_looked_at_quickly_and_a_report_looks_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page of `seats` that was written over is no matter for going on, and is told by a reader."""
    monkeypatch.setattr(soundness, "MANY", 10)
    with Store.create(tmp_path) as store:
        store.add_games([game_of(n, s) for n in range(400) for s in (0, 1)])
        size = store._db.execute("PRAGMA page_size").fetchone()[0]
        store._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray((tmp_path / "run.db").read_bytes())
    leaves = [at for at in range(0, len(data), size) if data[at] == LEAF]
    at = leaves[len(leaves) // 2]
    data[at + 8 : at + size] = bytes(range(1, 9)) * (size // 8 - 1)
    (tmp_path / "run.db").write_bytes(data)
    Store.open(tmp_path, write=True).close()
    with pytest.raises(RunDamaged):
        Store.open(tmp_path)


def test_the_tables_of_places_are_those_of_their_blocks() -> None:
    a, b, c = ("a", "b"), ("a", "c"), ("b", "c")
    rounds = {0: [a, b], 1: [b, c], 2: [c, a]}
    schedule = Schedule(1, "g", "s", lambda number: [("", table) for table in rounds[number]], 3)
    places = np.array([5, 0, 3, 1])
    tables, which = schedule.tables_at(places)
    at = {block.order: block.table for block in schedule}
    assert [tables[i] for i in which] == [at[place] for place in places.tolist()]
