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
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from filelock import FileLock

from engines.record import EngineRecord, GameRecord, SeatRecord, TrialRecord
from results.database import (
    DATABASE,
    GAME,
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
    companions,
    connect,
    locked,
    reader,
    recognise,
    translated,
    writer,
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


class Store:
    """The games of one run folder; use it as a context manager."""

    def __init__(self, folder: Path, db: sqlite3.Connection, lock: FileLock | None) -> None:
        """Wrap an open database; call `Store.create` or `Store.open` instead."""
        self.folder = folder
        self._db = db
        self._lock = lock

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
                db.execute("PRAGMA journal_mode = WAL")
                db.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT")
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
        path = folder / DATABASE
        if not path.is_file():
            raise RunMissing(f"there is no run in {folder} (no {DATABASE})")
        if not write:
            return cls(folder, reader(path), None)
        recognise(path)  # a file of somebody else gets no lock beside it either
        lock = locked(folder)
        try:
            reader(path).close()  # looked at without touching, before anything may write
            return cls(folder, writer(path), lock)
        except BaseException:
            lock.release()
            raise

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
        """Store entrants; one that is there already must be the same in all but its name."""
        rows = [
            (e.id, e.name, e.spec, json.dumps(e.parameters, sort_keys=True), e.digest)
            for e in engines
        ]
        with self._transaction() as db:
            known = {row[0]: row for row in db.execute("SELECT * FROM engines")}
            for row in rows:
                old = known.get(row[0], row)
                if (old[0], *old[2:]) != (row[0], *row[2:]):
                    raise AlreadyStored(f"engine {row[0]} is stored already and differs")
            # Names follow from what differs between entrants, so a study that grows may rename.
            # An engine that is not an entrant any more gives up a name that is wanted.
            names = [(r[0], r[1]) for r in rows]
            db.executemany("UPDATE engines SET name = id WHERE id = ? OR name = ?", names)
            db.executemany("UPDATE engines SET name = ? WHERE id = ?", [(r[1], r[0]) for r in rows])
            new = [row for row in rows if row[0] not in known]
            db.executemany("INSERT INTO engines VALUES (?, ?, ?, ?, ?)", new)

    def add_games(self, games: Sequence[GameRecord]) -> None:
        """Store a batch of games: all of them, or (on any error) none."""
        with self._transaction() as db:
            for game in games:
                if db.execute("SELECT 1 FROM games WHERE id = ?", (game.id,)).fetchone():
                    raise AlreadyStored(
                        f"game {game.id} is stored already; none of the {len(games)} games of "
                        "its batch was stored"
                    )
                _insert(db, game)

    def set_trials(self, trials: Iterable[TrialRecord]) -> None:
        """Store trials, over those of the same numbers."""
        rows = [
            (t.number, t.engine, t.state, json.dumps(t.point), json.dumps(t.scores)) for t in trials
        ]
        with self._transaction() as db:
            db.executemany("INSERT OR REPLACE INTO trials VALUES (?, ?, ?, ?, ?)", rows)

    def trials(self) -> list[TrialRecord]:
        """Return all trials, in number order."""
        return [
            TrialRecord(number, engine, state, json.loads(point), tuple(json.loads(scores)))
            for number, engine, state, point, scores in self.rows(
                "SELECT * FROM trials ORDER BY number"
            )
        ]

    def known_games(self) -> set[str]:
        """Return the ids of all stored games, surplus ones included."""
        return {row[0] for row in self.rows("SELECT id FROM games")}

    def game(self, name: str) -> GameRecord | None:
        """Return the game of an id, if it is stored."""
        return next(self._games("WHERE game = ?", "WHERE id = ?", name), None)

    def games(self) -> Iterator[GameRecord]:
        """Yield every stored game, by stage name, place in the schedule and seating."""
        return self._games()

    def _games(self, of: str = "", where: str = "", *values: str) -> Iterator[GameRecord]:
        """Yield games; `where` chooses them, `of` their rows in the other tables."""
        times = {
            (g, s): ms for g, s, ms in self.rows(f"SELECT game, seat, ms FROM times {of}", *values)
        }
        failures = self.rows(f"SELECT game, seat, text FROM failures {of}", *values)
        texts = {(g, s): text for g, s, text in failures}
        seats: dict[str, list[SeatRecord]] = defaultdict(list)
        for game, seat, *stored in self.rows(
            f"SELECT * FROM seats {of} ORDER BY game, seat", *values
        ):
            text, ms = texts.get((game, seat), ""), parse_times(times.get((game, seat), ""))
            of_seat: dict[str, Any] = dict(zip(SEAT, stored, strict=True))
            seats[game].append(SeatRecord(**of_seat, failure_text=text, move_ms=ms))
        order = "ORDER BY stage, order_, seating, id"
        for row in self.rows(f"SELECT * FROM games {where} {order}", *values):
            columns: dict[str, Any] = dict(zip(GAME, row, strict=False))
            yield GameRecord(**columns, seats=tuple(seats[row[0]]))

    def set_surplus(self, blocks: Iterable[str], surplus: bool = True) -> None:
        """Mark the games of these blocks as left out of all statistics (or as counted again)."""
        rows = [(int(surplus), block) for block in blocks]
        with self._transaction() as db:
            db.executemany("UPDATE games SET surplus = ? WHERE block = ?", rows)

    def set_orders(self, orders: Mapping[str, int]) -> None:
        """Give blocks (by id) another place in the schedule of their stage."""
        with self._transaction() as db:
            db.executemany(
                "UPDATE games SET order_ = ? WHERE block = ?",
                [(order, block) for block, order in orders.items()],
            )

    def meta(self) -> dict[str, str]:
        """Return what is noted about the run as a whole."""
        return dict(self.rows("SELECT key, value FROM meta ORDER BY key"))

    def set_meta(self, values: Mapping[str, str]) -> None:
        """Note values about the run, over those that are there."""
        with self._transaction() as db:
            db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(values.items()))

    def rows(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        """Return all rows of a SELECT on the tables of the store; `values` stand for its ?."""
        with translated(self.folder / DATABASE):
            return self._db.execute(query, values).fetchall()

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """Make all reads inside see the same batches, whatever is written meanwhile."""
        with translated(self.folder / DATABASE):
            self._db.execute("BEGIN")
        try:
            yield
        finally:
            with contextlib.suppress(sqlite3.Error):
                self._db.execute("COMMIT")

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        if self._lock is None:
            raise StoreFailed(f"{self.folder / DATABASE} was opened for reading only")
        with translated(self.folder / DATABASE):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):  # a full disk has rolled back by itself
                    self._db.execute("ROLLBACK")
                raise


def parse_times(text: str) -> tuple[float, ...]:
    """Return the milliseconds of a `times.ms` text, one per move."""
    try:
        return tuple(float(word) for word in text.split())
    except ValueError as error:
        raise RunDamaged(f"the times of a game are damaged: {error}") from None


def _insert(db: sqlite3.Connection, game: GameRecord) -> None:
    _add(db, "games", *(getattr(game, name) for name in GAME), 0)
    for number, seat in enumerate(game.seats):
        _add(db, "seats", game.id, number, *(getattr(seat, name) for name in SEAT))
        milliseconds = " ".join(f"{ms:.3f}" for ms in seat.move_ms)
        _add(db, "times", game.id, number, milliseconds)
        if seat.failure:
            # What an outside engine wrote may be undecodable: lone surrogates become "?".
            text = seat.failure_text.encode(errors="replace").decode()
            _add(db, "failures", game.id, number, seat.failure_ply, seat.failure, text)


def _add(db: sqlite3.Connection, table: str, *values: Any) -> None:
    db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)
