"""The store of a run: `run.db`, written by one process alone, one transaction a batch.

A game that is stored stays stored: a kill loses the open batch and nothing else, and a damaged
file is reported, never repaired, overwritten or deleted. Reading works while another process
writes.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias

from filelock import FileLock

from joute.engines.garbage import uncollected
from joute.engines.record import Claim, EngineRecord, GameRecord, SeatRecord, TrialRecord
from joute.results.blocks import Held, Stored
from joute.results.database import (
    CLAIM,
    DATABASE,
    GAME,
    NEW,
    SCHEMA,
    SCHEMA_VERSION,
    SEAT,
    AlreadyStored,
    RunBusy,
    RunDamaged,
    RunExists,
    RunMissing,
    StoreError,
    StoreFailed,
    attached,
    column,
    companions,
    connect,
    damaged,
    database_of,
    locked,
    looked_through,
    reader,
    recognise,
    translated,
    writer,
)
from joute.results.meta import LEFT, Meta
from joute.results.moves import (
    packed,
    packed_depths,
    packed_nodes,
    packed_values,
    unpacked,
    unpacked_depths,
    unpacked_nodes,
    unpacked_values,
)

__all__ = [
    "AlreadyStored",
    "RunBusy",
    "RunDamaged",
    "RunExists",
    "RunMissing",
    "Store",
    "StoreError",
    "StoreFailed",
]

CHUNK = 20_000
LONGEST_LOG = 1 << 26  # bytes of a referee's log
"""Rows that are read at a time."""

Returns: TypeAlias = tuple[float, ...]
"""Returns of the seats of a game, each in [0, 1]."""


class Store:
    """The games of one run folder; use it as a context manager."""

    def __init__(
        self,
        folder: Path,
        db: sqlite3.Connection,
        lock: FileLock | None,
        held: Held | None = None,
    ) -> None:
        """Wrap an open database; call `Store.create` or `Store.open` instead."""
        self.folder, self.path = folder, folder / DATABASE
        self._db = db
        self._held, self._lock = held or Held(), lock

    @classmethod
    def create(cls, folder: Path | str) -> Store:
        """Start an empty run in `folder` (made if needed) and open it for writing."""
        folder = Path(folder)
        path = folder / DATABASE
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreFailed(f"cannot make the run folder {folder}: {error.strerror}") from error
        lock = locked(folder)
        try:
            if path.exists():
                raise RunExists(f"{folder} already holds a run ({DATABASE})")
            # Built aside and renamed, so that a kill never leaves a half-made run.db.
            new = folder / f"{DATABASE}.new"
            for leftover in (new, *companions(new), *companions(path)):
                leftover.unlink(missing_ok=True)
            with translated(path), contextlib.closing(connect(new, "rwc")) as db:
                db.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT")
                # Last, so that all of the schema is in the file: a full disk is told, and none is half.
                db.execute("PRAGMA journal_mode = WAL")
            os.replace(new, path)
            return cls(folder, writer(path), lock)
        except OSError as error:
            lock.release()
            raise StoreFailed(f"cannot create {path}: {error.strerror}") from error
        except BaseException:
            lock.release()
            raise

    @classmethod
    def open(cls, folder: Path | str, write: bool = False) -> Store:
        """Open the run in `folder`; to write it, hold its lock until closed."""
        folder = Path(folder)
        path = database_of(folder)
        if not write:
            return cls(folder, reader(path), None)
        recognise(path)  # another program's file gets no lock beside it
        lock = locked(folder)
        try:
            held = looked_through(path)  # without touching, before anything may write
            return cls(folder, writer(path), lock, held)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def again(cls, folder: Path) -> Store:
        """Open a run for reading that was looked at before, without checking it from end to end."""
        return cls(folder, reader(folder / DATABASE, check=False), None)

    def close(self) -> None:
        """Close the database and let the lock go."""
        with contextlib.suppress(sqlite3.Error):
            self._db.close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Store:
        """Return the store itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the store."""
        self.close()

    def add_engines(self, engines: Iterable[EngineRecord]) -> None:
        """Store entrants; one that is there already must be the same in all but its name, and but for
        parameters that came later, which its canonical text leaves out at their defaults.
        """
        rows = [
            (e.id, e.name, e.spec, json.dumps(e.parameters, sort_keys=True), e.digest)
            for e in engines
        ]
        with self._transaction() as db:
            known = {row[0]: row for row in db.execute("SELECT * FROM engines")}
            for row in rows:
                old = known.get(row[0], row)
                if (old[2], old[4]) != (row[2], row[4]):
                    raise AlreadyStored(f"engine {row[0]} is stored already and differs")
            # Names follow from what differs between entrants, so a study that grows may rename.
            # An engine that is not an entrant any more gives up a name that is wanted.
            names = [(r[0], r[1]) for r in rows]
            db.executemany("UPDATE engines SET name = id WHERE id = ? OR name = ?", names)
            db.executemany("UPDATE engines SET name = ? WHERE id = ?", [(r[1], r[0]) for r in rows])
            new = [row for row in rows if row[0] not in known]
            db.executemany("INSERT INTO engines VALUES (?, ?, ?, ?, ?)", new)

    def leave_out(self, left: Sequence[str]) -> None:
        """Note which engines are entrants no more; games with one of them count no longer."""
        self.set_meta({LEFT: json.dumps(left)})
        with self._transaction() as db:
            db.executemany(
                "UPDATE games SET surplus = 1 WHERE number IN (SELECT game FROM seats WHERE engine = ?)",
                [(engine,) for engine in left],
            )

    def add_games(self, games: Sequence[GameRecord]) -> None:
        """Store a batch of games: all of them, or (on any error) none."""
        played = self.played
        masks: dict[str, int] = {}
        for game in games:
            mask = masks.get(game.block, played.get(game.block, 0))
            if mask >> game.seating & 1:
                raise AlreadyStored(
                    f"game {game.id} is stored already; none of the {len(games)} games of "
                    "its batch was stored"
                )
            masks[game.block] = mask | 1 << game.seating
        with uncollected(), self._transaction() as db:
            numbered = list(enumerate(games, self._held.last + 1))
            db.executemany(_GAME, [(n, *g[:BEFORE], g.opening_key, g.draw) for n, g in numbered])
            seats = [(n, i, s) for n, g in numbered for i, s in enumerate(g.seats)]
            db.executemany(_SEAT, [(n, i, *_kept(s), packed(s.move_ms)) for n, i, s in seats])
            failed = [(n, i, s) for n, i, s in seats if s.failure]
            db.executemany(_FAILURE, [_failure(*one) for one in failed])
            claims = [(n, i, *map(_plain, s.claim)) for n, i, s in seats if s.claim is not None]
            db.executemany(_CLAIM, claims)
            values = [(n, i, packed_values(s.values)) for n, i, s in seats if s.values]
            db.executemany("INSERT INTO told VALUES (?, ?, ?)", values)
            searched = [
                (n, i, packed_nodes(s.move_nodes), packed_depths(s.move_depths))
                for n, i, s in seats
                if s.move_nodes
            ]
            db.executemany("INSERT INTO searched VALUES (?, ?, ?, ?)", searched)
            hosts = [(n, g.host) for n, g in numbered if g.host]
            db.executemany("INSERT INTO hosts VALUES (?, ?)", hosts)
            margins = [(n, i, s.margin) for n, i, s in seats if s.margin is not None]
            db.executemany("INSERT INTO margins VALUES (?, ?, ?)", margins)
            logs = [(n, zlib.compress(_plain(g.log).encode())) for n, g in numbered if g.log]
            db.executemany("INSERT INTO logs VALUES (?, ?)", logs)
        self._held.last += len(games)
        played.update(masks)

    @property
    def played(self) -> dict[str, int]:
        """Which games the run holds, surplus ones included: of each block, the seatings as bits.

        It grows as games are stored.
        """
        return self._held.played

    def blocks(self, stage: str) -> Stored:
        """Return, once, the blocks of a stage that were stored before, and release them."""
        return self._held.blocks(stage)

    def count(self, but: str = "") -> int:
        """Return how many games are stored, surplus ones included, `but` for those of a stage."""
        return int(self.rows("SELECT COUNT(*) FROM games WHERE stage <> ?", but)[0][0])

    def set_trials(self, trials: Sequence[TrialRecord]) -> None:
        """Store trials, over those of the same numbers."""
        rows = [
            (t.number, t.engine, t.state, json.dumps(t.point), json.dumps(t.scores)) for t in trials
        ]
        duels = [
            (t.number, t.other_engine, json.dumps(t.other)) for t in trials if t.other is not None
        ]
        with self._transaction() as db:
            db.executemany("INSERT OR REPLACE INTO trials VALUES (?, ?, ?, ?, ?)", rows)
            db.executemany("INSERT OR REPLACE INTO duels VALUES (?, ?, ?)", duels)

    def keep_trials(self, count: int) -> None:
        """Let the run hold only its first trials."""
        with self._transaction() as db:
            db.execute("DELETE FROM trials WHERE number >= ?", (count,))
            db.execute("DELETE FROM duels WHERE trial >= ?", (count,))

    def trials(self, after: int = -1) -> list[TrialRecord]:
        """Return all trials, or those after a number, in number order."""
        return [
            TrialRecord(
                *(number, engine, state, json.loads(point), tuple(json.loads(scores))),
                *((json.loads(other), other_engine) if other is not None else ()),
            )
            for number, engine, state, point, scores, other, other_engine in self.rows(
                "SELECT t.*, d.point, d.engine FROM trials t LEFT JOIN duels d ON d.trial = t.number"
                " WHERE t.number > ? ORDER BY t.number",
                after,
            )
        ]

    def ids(self) -> list[str]:
        """Return the ids of all games, in order."""
        return [row[0] for row in self.rows("SELECT id FROM games ORDER BY id")]

    def game(self, name: str) -> GameRecord | None:
        """Return the game of an id, if it is stored."""
        return next(self._games("WHERE id = ?", name), None)

    def numbered(self, number: int) -> GameRecord | None:
        """Return the game that was stored as that number."""
        return next(self._games("WHERE number = ?", number), None)

    def games(self) -> Iterator[GameRecord]:
        """Yield every stored game, by stage name, place in the schedule and seating."""
        return self._games("ORDER BY stage, order_, seating, id")

    def rows_of_csv(self, begin: int = 0, most: int = -1) -> Iterator[GameRecord]:
        """Yield stored games in the order of games.csv, so many from a row on (the first is 0); surplus
        ones come after them.
        """
        stages = self.meta().stages
        place = " ".join(f"WHEN ? THEN {i}" for i in range(len(stages)))
        staged = f"CASE stage {place} ELSE -1 END" if stages else "0"
        order = f"ORDER BY surplus, {staged}, stage, order_, seating, id LIMIT ? OFFSET ?"
        numbers = self.rows(f"SELECT number FROM games {order}", *stages, most, begin)
        return (game for (number,) in numbers if (game := self.numbered(number)) is not None)

    def _games(self, which: str, *values: object) -> Iterator[GameRecord]:
        with translated(self.path):
            for number, *row in self._db.execute(f"SELECT * FROM games {which}", values):
                columns: dict[str, Any] = dict(zip(GAME, row, strict=False))
                asked = self._db.execute("SELECT host FROM hosts WHERE game = ?", (number,))
                host = asked.fetchone() or ("",)
                seats = tuple(self._seats(number))
                yield GameRecord(**columns, seats=seats, host=host[0], log=self._log(number))

    def _log(self, game: int) -> str:
        asked = self._db.execute("SELECT log FROM logs WHERE game = ?", (game,))
        row = asked.fetchone()
        try:
            return zlib.decompressobj().decompress(row[0], LONGEST_LOG).decode() if row else ""
        except (zlib.error, TypeError, UnicodeDecodeError):
            raise damaged(self.path, f"the log of game number {game} cannot be read") from None

    def _seats(self, game: int) -> Iterator[SeatRecord]:
        failures = "SELECT seat, text FROM failures WHERE game = ?"
        texts = dict(self._db.execute(failures, (game,)))
        claim_rows = self._db.execute("SELECT * FROM claims WHERE game = ?", (game,))
        claims = {seat: Claim(*columns) for _, seat, *columns in claim_rows}
        margins = dict(self._db.execute("SELECT seat, margin FROM margins WHERE game = ?", (game,)))
        value_rows = self._db.execute("SELECT seat, worth FROM told WHERE game = ?", (game,))
        worth = {seat: unpacked_values(data) for seat, data in value_rows}
        counted = self._db.execute(
            "SELECT seat, nodes, depths FROM searched WHERE game = ?", (game,)
        )
        searched = {
            seat: (unpacked_nodes(nodes), unpacked_depths(depths))
            for seat, nodes, depths in counted
        }
        for _, seat, *stored, ms in self._db.execute(
            "SELECT * FROM seats WHERE game = ? ORDER BY seat", (game,)
        ):
            of_seat: dict[str, Any] = dict(zip(SEAT, stored, strict=True))
            times = tuple(round(ms, 3) for ms in unpacked(ms).tolist())
            yield SeatRecord(
                **of_seat, failure_text=texts.get(seat, ""), move_ms=times, claim=claims.get(seat),
                values=worth.get(seat, ()),
                move_nodes=searched.get(seat, ((), ()))[0],
                move_depths=searched.get(seat, ((), ()))[1],
                margin=margins.get(seat),
            )  # fmt: skip

    def returns(self, stage: str, counted: bool = False) -> Iterator[tuple[str, int, int, Returns]]:
        """Yield block, its place in the schedule, seating, and returns by seat of every game of a
        stage, as they were stored; only those that are `counted`, if asked.
        """
        known: dict[Returns, Returns] = {}  # few differ: each is kept once
        query = (
            "SELECT g.number, g.block, g.order_, g.seating, s.returns FROM games g"
            " JOIN seats s ON s.game = g.number WHERE g.stage = ?"
            f"{' AND NOT g.surplus' if counted else ''} ORDER BY g.number, s.seat"
        )
        with translated(self.path):
            rows = self._db.execute(query, (stage,))
            for _, game in groupby(rows, key=itemgetter(0)):
                (_, block, order, seating, first), *rest = game
                values = (first, *[row[4] for row in rest])
                yield block, order, seating, known.setdefault(values, values)

    def totals(self, stage: str) -> dict[str, list[tuple[float, int]]]:
        """Return each engine's returns in the counted games of a stage: (returns, how often)."""
        totals: dict[str, list[tuple[float, int]]] = {}
        for engine, returns, count in self.rows(
            "SELECT s.engine, s.returns, COUNT(*) FROM games g JOIN seats s ON s.game = g.number"
            " WHERE g.stage = ? AND NOT g.surplus GROUP BY 1, 2 ORDER BY 1, 2",
            stage,
        ):
            totals.setdefault(engine, []).append((returns, count))
        return totals

    def count_first(self, stage: str, blocks: int) -> None:
        """Let the first blocks of a stage's schedule count, and leave the others out."""
        with self._transaction() as db:
            db.execute(
                "UPDATE games SET surplus = (order_ NOT BETWEEN 0 AND ?1 - 1)"
                " WHERE stage = ?2 AND surplus <> (order_ NOT BETWEEN 0 AND ?1 - 1)",
                (blocks, stage),
            )

    def set_orders(self, orders: Mapping[str, int]) -> None:
        """Give blocks (by id) another place in the schedule of their stage, in one pass over all games."""
        if not orders:
            return
        with self._transaction() as db:
            self._move(db, [(name, None, place) for name, place in orders.items()])

    def count_only(self, stage: str, blocks: Mapping[str, tuple[str, int]]) -> None:
        """Let just these blocks (by id) of a stage count, in their groups and places, and leave the
        others out.
        """
        query = "SELECT DISTINCT block, grp, order_ FROM games WHERE stage = ?"
        moved: list[tuple[str, str | None, int]] = []
        for name, group, place in self.rows(query, stage):
            due = blocks.get(name, (group, -1))
            if due != (group, place):
                moved.append((name, *due))
        if moved:
            with self._transaction() as db:
                self._move(db, moved)
        self.count_first(stage, len(blocks))

    @staticmethod
    def _move(db: sqlite3.Connection, moved: Sequence[tuple[str, str | None, int]]) -> None:
        """Give blocks another group (None: their own) and place."""
        db.execute("CREATE TEMP TABLE moved (block TEXT PRIMARY KEY, grp, place) WITHOUT ROWID")
        try:
            db.executemany("INSERT INTO moved VALUES (?, ?, ?)", moved)
            db.execute(
                "UPDATE games SET (grp, order_) = (SELECT COALESCE(moved.grp, games.grp), place"
                " FROM moved WHERE moved.block = games.block)"
                " WHERE block IN (SELECT block FROM moved)"
            )
        finally:
            db.execute("DROP TABLE moved")

    def scores(self, stage: str, engine: str) -> list[float]:
        """Return the mean return of an engine in each block of a stage that it played and that counts,
        in schedule order.
        """
        rows = self.rows(
            "SELECT g.order_, g.block, s.returns FROM games g JOIN seats s ON s.game = g.number"
            " WHERE g.stage = ? AND s.engine = ? AND NOT g.surplus ORDER BY 1, 2, g.seating, s.seat",
            stage,
            engine,
        )
        blocks = [[row[2] for row in block] for _, block in groupby(rows, key=itemgetter(0, 1))]
        return [sum(returns) / len(returns) for returns in blocks]

    def meta(self) -> Meta:
        """Return the notes on the run as a whole."""
        # NOT INDEXED: the rows were looked through, what an index repeats of them was not.
        return Meta(sorted(self.rows("SELECT key, value FROM meta NOT INDEXED")))

    def set_meta(self, values: Mapping[str, str]) -> None:
        """Note values about the run, over those that are there."""
        with self._transaction() as db:
            db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(values.items()))

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return all rows of a SELECT on the tables of the store; `values` fill its `?`."""
        with translated(self.path):
            return self._db.execute(query, values).fetchall()

    def columns(self, query: str, *values: object) -> Iterator[list[tuple[Any, ...]]]:
        """Yield the columns of a SELECT, some ten thousand rows at a time."""
        with translated(self.path):
            rows = self._db.execute(query, values)
            while chunk := rows.fetchmany(CHUNK):
                yield list(zip(*chunk, strict=True))

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """Make all reads inside see the same batches, whatever is written meanwhile."""
        with translated(self.path):
            self._db.execute("BEGIN")
        try:
            yield
        finally:
            with contextlib.suppress(sqlite3.Error):
                self._db.execute("COMMIT")

    @contextlib.contextmanager
    def beside(self, path: Path) -> Iterator[sqlite3.Connection]:
        """Write with another run's database at hand, as `other`: all that is done inside, or nothing."""
        with attached(self._db, path), self._transaction() as db:
            yield db

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        if self._lock is None:
            raise StoreFailed(f"{self.path} was opened for reading only")
        with translated(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):  # a full disk has rolled back by itself
                    self._db.execute("ROLLBACK")
                raise


BEFORE = len(GAME) - len(NEW)  # fields of a game before its seats
_kept = itemgetter(*[SeatRecord._fields.index(name) for name in SEAT])


def _failure(game: int, place: int, seat: SeatRecord) -> tuple[int, int, int, str, str]:
    return game, place, seat.failure_ply, seat.failure, _plain(seat.failure_text)


def _plain(text: str) -> str:
    # An outside engine's text may be undecodable: lone surrogates become "?".
    return text.encode(errors="replace").decode()


def _values(table: str, columns: dict[str, str], *more: str) -> str:
    names = [*more, *map(column, columns)]
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"


_GAME = _values("games", GAME, "number")
_SEAT = f"INSERT INTO seats VALUES ({', '.join('?' * (len(SEAT) + 3))})"
_FAILURE = "INSERT INTO failures VALUES (?, ?, ?, ?, ?)"
_CLAIM = f"INSERT INTO claims VALUES ({', '.join('?' * (len(CLAIM) + 2))})"
