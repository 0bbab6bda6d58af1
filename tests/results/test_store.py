"""The store keeps every game exactly once, whatever happens to the process or to the disk."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from joute.engines.player import DEEPEST
from joute.engines.record import CLAIMS, FAILURES, TERMINATIONS, Claim, GameRecord, SeatRecord
from joute.results.database import RunOld
from joute.results.following import stamp_of
from joute.results.store import (
    AlreadyStored,
    RunBusy,
    RunDamaged,
    RunExists,
    RunMissing,
    Store,
    StoreError,
    StoreFailed,
)
from tests.support.records import game

ROOT = Path(__file__).parents[2]
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
COUNT = st.integers(0, 2**40)
MS = st.integers(0, 2**22).map(lambda n: float(f"{n / 1000:.3f}"))


@st.composite
def seats(draw: st.DrawFn) -> SeatRecord:
    failure = draw(st.sampled_from(("", *FAILURES)))
    searched = draw(
        st.lists(st.tuples(st.integers(0, 10**15), st.integers(0, DEEPEST)), max_size=5)
    )
    return SeatRecord(
        engine=draw(TEXT),
        rank=draw(st.sampled_from([1.0, 1.5, 2.0, 3.0])),
        returns=draw(st.sampled_from((0.0, 0.5, 1.0))),
        failure=failure,
        failure_ply=draw(COUNT) if failure else -1,
        failure_text=draw(TEXT) if failure else "",
        nodes=draw(COUNT),
        plies=draw(COUNT),
        move_ms=tuple(draw(st.lists(MS, max_size=5))),
        claim=draw(st.none() | st.builds(Claim, st.sampled_from(CLAIMS), TEXT, TEXT, TEXT)),
        move_nodes=tuple(nodes for nodes, _ in searched),
        move_depths=tuple(depth for _, depth in searched),
    )


@st.composite
def batches(draw: st.DrawFn) -> list[GameRecord]:
    ids = draw(st.lists(TEXT, unique=True, max_size=5))
    players = draw(st.integers(2, 4))  # of one game, hence of all of a run
    places = st.tuples(TEXT, st.integers(0, 5))
    blocks = iter(draw(st.lists(places, unique=True, min_size=len(ids), max_size=len(ids))))
    return [
        GameRecord(
            id=name,
            stage=draw(TEXT),
            round=draw(COUNT),
            order=draw(COUNT),
            block=block,
            seating=seating,
            group=draw(TEXT),
            opening=draw(TEXT),
            actions=draw(TEXT),
            outcomes=draw(st.sampled_from(("", "0 3 -1"))),
            digest=draw(TEXT),
            termination=draw(st.sampled_from(TERMINATIONS)),
            plies=draw(COUNT),
            seats=tuple(draw(st.lists(seats(), min_size=players, max_size=players))),
            opening_key=draw(st.integers(-(2**63), 2**63 - 1)),
            draw=draw(COUNT),
        )
        for name, (block, seating) in zip(ids, blocks, strict=True)
    ]


def in_python(folder: Path, body: str, wait: bool = True) -> subprocess.Popen[str]:
    """Run code in another process that has the store, this module and `folder` at hand."""
    head = f"""
        import resource, sys
        sys.path.insert(0, {str(ROOT)!r})
        from tests.support.records import game
        from joute.results.store import Store, StoreFailed
        folder = {str(folder)!r}
    """
    code = textwrap.dedent(head) + textwrap.dedent(body)
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    if wait:
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, out + err
    return process


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(batch=batches())
def test_records_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, batch: list[GameRecord]
) -> None:
    folder = tmp_path_factory.mktemp("run")
    with Store.create(folder) as store:
        store.add_games(batch)
        assert set(store.ids()) == {one.id for one in batch}
    with Store.open(folder) as store:
        assert sorted(store.games(), key=lambda g: g.id) == sorted(batch, key=lambda g: g.id)


def test_a_game_is_stored_once_and_a_bad_batch_not_at_all(tmp_path: Path) -> None:
    with Store.create(tmp_path) as store:
        store.add_games([game(0), game(1)])
        for batch in ([game(2), game(0)], [game(3), game(3)]):
            with pytest.raises(AlreadyStored, match="none of the 2 games"):
                store.add_games(batch)
        assert store.ids() == ["g0", "g1"]
        store.add_games([game(2)])
        assert [one.id for one in store.games()] == ["g0", "g1", "g2"]


def test_surplus_can_be_set_and_taken_back(tmp_path: Path) -> None:
    with Store.create(tmp_path) as store:
        store.add_games([game(n) for n in range(4)])
        count = "SELECT COUNT(*) FROM games WHERE surplus"
        for first, surplus in ((2, 2), (4, 0), (0, 4)):
            store.count_first("s", first)
            assert store.rows(count) == [(surplus,)]


def test_meta_and_text_that_cannot_be_decoded(tmp_path: Path) -> None:
    seat = SeatRecord("a", 2, 0.0, "crash", 3, "bad byte \udcff")
    with Store.create(tmp_path) as store:
        store.set_meta({"name": "x", "seed": "1"})
        store.set_meta({"seed": "2"})
        assert store.meta() == {"name": "x", "seed": "2"}
        store.add_games([game(0, seats=(seat, seat))])
        assert next(iter(store.games())).seats[0].failure_text == "bad byte ?"


def test_a_missing_or_existing_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunMissing, match="no run"):
        Store.open(tmp_path / "nothing")
    Store.create(tmp_path).close()
    with pytest.raises(RunMissing, match=r"\(no run.db\)$"):  # nothing like it is there
        Store.open(tmp_path / "nothing")
    with pytest.raises(RunExists):
        Store.create(tmp_path)


def test_a_misspelt_run_is_told_with_the_nearest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("runs/first", "runs/second", "elsewhere/third"):
        Store.create(tmp_path / name).close()
    (tmp_path / "runs/frist").mkdir()  # no run
    for name, near in (
        ("runs/frst", "runs/first"),
        ("first", "runs/first"),  # its name alone
        ("secnd", "runs/second"),
        ("runs/frist", "runs/first"),
        ("elsewhere/thrid", "elsewhere/third"),
        (tmp_path / "runs" / "secod", tmp_path / "runs" / "second"),
    ):
        said = re.escape(f"there is no run in {name} (no run.db); did you mean {str(near)!r}?")
        with pytest.raises(RunMissing, match=said):
            Store.open(name)
        with pytest.raises(RunMissing, match=said):
            stamp_of(Path(name))


def test_reading_works_while_another_writes(tmp_path: Path) -> None:
    with Store.create(tmp_path) as writer:
        writer.add_games([game(0)])
        with Store.open(tmp_path) as reader:
            assert reader.ids() == ["g0"]
            with reader.snapshot():
                assert reader.ids() == ["g0"]
                writer.add_games([game(1)])
                assert reader.ids() == ["g0"]
            assert reader.ids() == ["g0", "g1"]
            with pytest.raises(StoreFailed, match="reading only"):
                reader.add_games([game(2)])


def test_a_second_writer_is_told_that_the_run_is_busy(tmp_path: Path) -> None:
    with Store.create(tmp_path), pytest.raises(RunBusy, match="another process is writing"):
        Store.open(tmp_path, write=True)
    Store.open(tmp_path, write=True).close()


def test_a_killed_writer_loses_only_its_open_batch_and_frees_the_lock(tmp_path: Path) -> None:
    body = """
        store = Store.create(folder)
        for n in range(50):
            store.add_games([game(2 * n), game(2 * n + 1)])
        with store._transaction() as db:
            db.execute("UPDATE games SET stage = 'never'")
            print("ready", flush=True)
            import time
            time.sleep(60)
    """
    writer = in_python(tmp_path, body, wait=False)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "ready\n"
    with pytest.raises(RunBusy):
        Store.open(tmp_path, write=True)
    with Store.open(tmp_path) as store:
        assert store.count() == 100
    writer.send_signal(signal.SIGKILL)
    writer.wait(10)
    writer.stdout.close()
    deadline = time.monotonic() + 5
    with Store.open(tmp_path, write=True) as store:
        assert time.monotonic() < deadline
        assert {one.stage for one in store.games()} == {"s"}
        store.add_games([game(100)])
        assert store.count() == 101


def test_a_log_that_was_half_copied_into_the_file_when_all_ended_is_no_damage(
    tmp_path: Path,
) -> None:
    """The file then says in its first page that it has more pages than it has; the log holds them."""
    whole, half = tmp_path / "whole", tmp_path / "half"
    with Store.create(whole) as store:
        store.add_games([game(n, actions="1 " * 500) for n in range(100)])
        shutil.copytree(whole, half, ignore=shutil.ignore_patterns("run.lock"))
    page = (whole / "run.db").read_bytes()[:4096]  # by now the log is in it
    with (half / "run.db").open("r+b") as file:
        file.write(page)
    (half / "run.db-shm").unlink()
    assert (half / "run.db").stat().st_size < (whole / "run.db").stat().st_size
    with Store.open(half, write=True) as store:
        assert store.count() == 100
        store.add_games([game(100)])
    assert len(Store.open(half).ids()) == 101


def test_a_disk_that_is_full_while_a_run_is_made_leaves_none(tmp_path: Path) -> None:
    body = """
        import os
        for kilobytes in range(4, 200, 4):
            resource.setrlimit(resource.RLIMIT_FSIZE, (kilobytes * 1000, resource.RLIM_INFINITY))
            try:
                Store.create(folder).close()
                break
            except StoreFailed:
                assert not os.path.exists(folder + "/run.db"), kilobytes
        assert 4 < kilobytes < 196
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        Store.open(folder, write=True).close()
    """
    in_python(tmp_path, body)


def damage_nothing_left(data: bytes) -> bytes:
    return b""


def damage_text(data: bytes) -> bytes:
    return b"this was a database" * 100


def damage_truncated(data: bytes) -> bytes:
    return data[: len(data) // 2]


def damage_zeros(data: bytes) -> bytes:
    return data[:4096] + bytes(len(data) - 4096)


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize(
    "damage", [damage_nothing_left, damage_text, damage_truncated, damage_zeros]
)
def test_a_damaged_file_is_named_and_left_alone(tmp_path: Path, damage, write: bool) -> None:  # type: ignore[no-untyped-def]
    with Store.create(tmp_path) as store:
        store.add_games([game(n) for n in range(200)])
    path = tmp_path / "run.db"
    path.write_bytes(damage(path.read_bytes()))
    before = path.read_bytes()
    with pytest.raises(RunDamaged, match="damaged"):
        Store.open(tmp_path, write=write)
    assert path.read_bytes() == before
    with pytest.raises(RunExists):
        Store.create(tmp_path)


def test_a_database_of_somebody_else_is_refused(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "run.db")
    db.execute("CREATE TABLE recipes (name TEXT)")
    db.close()
    with pytest.raises(RunDamaged, match="lacks the table games"):
        Store.open(tmp_path, write=True)


def test_a_full_disk_keeps_what_was_stored(tmp_path: Path) -> None:
    with Store.create(tmp_path) as store:
        store.add_games([game(0)])
        pages = store.rows("PRAGMA page_count")[0][0]
        store.rows(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreFailed, match="full"):
            store.add_games([game(n, actions="1 " * 2000) for n in range(1, 50)])
        assert store.ids() == ["g0"]
        store.rows("PRAGMA max_page_count = 1000000")
        store.add_games([game(1)])
    with Store.open(tmp_path) as store:
        assert store.ids() == ["g0", "g1"]


def test_a_file_size_limit_keeps_what_was_stored(tmp_path: Path) -> None:
    body = """
        store = Store.create(folder)
        store.add_games([game(0)])
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
        stored = 1
        try:
            while stored < 5000:
                store.add_games([game(stored, actions="1 " * 5000)])
                stored += 1
        except StoreFailed as error:
            print(error, file=sys.stderr)
        assert 1 < stored < 5000, stored
        assert store.count() == stored
        store.close()
    """
    in_python(tmp_path, body)
    with Store.open(tmp_path) as store:
        assert store.count() > 1


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_can_be_read_and_not_written(tmp_path: Path) -> None:
    with Store.create(tmp_path) as store:
        store.add_games([game(0)])
    for path in (*tmp_path.iterdir(), tmp_path):
        path.chmod(0o555)
    try:
        with Store.open(tmp_path) as store:
            assert store.ids() == ["g0"]
        with pytest.raises(StoreError):
            Store.open(tmp_path, write=True)
    finally:
        tmp_path.chmod(0o755)


def test_what_a_stage_holds_can_be_asked_without_its_games(tmp_path: Path) -> None:
    lost = (SeatRecord("a", 2, 0.0), SeatRecord("b", 1, 1.0))
    games = [game(n) for n in range(5)] + [game(5, seats=lost), game(6, stage="t")]
    with Store.create(tmp_path) as store:
        store.add_games(games[3:])
        store.add_games(games[:3])
        store.count_first("s", 5)  # the game in place 5 is beyond what counts
    with Store.open(tmp_path, write=True) as store:
        assert store.played == {"b0": 3, "b1": 3, "b2": 3, "b3": 1}
        found = store.blocks("s")
        assert dict(zip(found.names, found.places.tolist(), strict=True)) == {
            "b1": 2, "b2": 4, "b0": 0,
        }  # fmt: skip
        assert sorted(store.returns("s")) == sorted(
            (one.block, one.order, one.seating, tuple(s.returns for s in one.seats))
            for one in games[:6]
        )
        assert store.totals("s") == {"a": [(1.0, 5)], "b": [(0.0, 5)]}
        assert store.scores("s", "a") == [1.0] * 5 and store.scores("s", "nobody") == []
        store.set_orders({"b0": 9})
        store.count_first("s", 9)
        assert [one.order for one in store.games() if one.block == "b0"] == [9, 9]
        assert store.rows("SELECT COUNT(*) FROM games WHERE surplus") == [(2,)]


def test_a_game_that_is_stored_twice_is_damage(tmp_path: Path) -> None:
    with Store.create(tmp_path) as store:
        store.add_games([game(0), game(1)])
    db = sqlite3.connect(tmp_path / "run.db")
    db.execute("UPDATE games SET seating = 0")
    db.commit()
    db.close()
    with pytest.raises(RunDamaged, match="holds seating 0 of block b0 twice"):
        Store.open(tmp_path, write=True)


def test_a_run_of_0_1_is_read_and_not_written(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "tests" / "frozen" / "run_of_0_1" / "league", tmp_path / "run")
    path = tmp_path / "run" / "run.db"
    before = path.read_bytes()
    with Store.open(path.parent) as store:
        assert store.count() == len(list(store.games())) > 0
    with pytest.raises(
        RunOld, match=r"was written by Joute 0\.1: report, replay and export read it"
    ):
        Store.open(path.parent, write=True)
    assert path.read_bytes() == before


def test_a_run_from_before_claims_is_read_as_it_is_and_goes_on(tmp_path: Path) -> None:
    with Store.create(tmp_path) as store:
        store.add_games([game(0), game(1)])
    with sqlite3.connect(store.path) as db:
        db.executescript("DROP TABLE claims; PRAGMA user_version = 3")
    before = store.path.read_bytes()
    with Store.open(tmp_path) as store:
        assert [seat.claim for one in store.games() for seat in one.seats] == [None] * 4
    assert store.path.read_bytes() == before
    claim = Claim("differs", "W+0.5", "B+3.5")
    seats = (game(2).seats[0]._replace(claim=claim), game(2).seats[1])
    with Store.open(tmp_path, write=True) as store:
        store.add_games([game(2, seats=seats)])
    with Store.open(tmp_path, write=True) as store:
        found = store.game("g2")
    assert found is not None and found.seats[0].claim == claim
