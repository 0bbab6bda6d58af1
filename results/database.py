"""The database file of a run: its schema, its lock, how it is opened and how its errors read."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from filelock import FileLock, Timeout

from joute.engines.errors import JouteError, Refused, cut, nearest_path
from joute.engines.record import Claim, GameRecord, SeatRecord
from joute.results.blocks import Held, Twice
from joute.results.moves import packed
from joute.results.soundness import damage, fault

DATABASE = "run.db"
LOCK = "run.lock"
SCHEMA_VERSION = 8
NUMBERED = 3
"""The first schema whose runs can go on; 4 has claims besides, 5 values and hosts, 6 searched, 7
margins and logs.
"""
_MAGIC = b"SQLite format 3\x00"
KINDS = {str: "TEXT", int: "INTEGER", float: "REAL"}  # of columns, by a field's type
RESERVED = {"order": "order_", "group": "grp"}  # words of SQL that are fields of records


def columns_of(record: type, elsewhere: tuple[str, ...] = ()) -> dict[str, str]:
    """Return the fields of a record that its table holds, each with its column's type."""
    hints = get_type_hints(record).items()
    return {name: KINDS[kind] for name, kind in hints if name not in elsewhere}


GAME = columns_of(GameRecord, ("seats", "host", "log"))
SEAT = columns_of(
    SeatRecord,
    ("failure_text", "move_ms", "claim", "values", "move_nodes", "move_depths", "margin"),
)
CLAIM = columns_of(Claim)
NEW = ("opening_key", "draw")
"""Fields of games that runs of 0.1 lack."""


def column(name: str) -> str:
    """Return the column of a field."""
    return RESERVED.get(name, name)


def declared(columns: dict[str, str]) -> str:
    """Return columns as CREATE TABLE has them."""
    return ", ".join(f"{column(name)} {kind} NOT NULL" for name, kind in columns.items())


# Games are numbered as they come, and nothing is indexed by a hash: pages fill one after the other,
# whatever the size of a run. That a game is stored once is the writer's to see (`Store.played`).
# `ms`: the wall times of the moves (`results/moves.py`).
CLAIMS = f"""claims (
    game INTEGER NOT NULL, seat INTEGER NOT NULL, {declared(CLAIM)}, PRIMARY KEY (game, seat))
    WITHOUT ROWID"""
# Values that a seat gave its moves, as `ms`; no row where it gave none.
TOLD = """told (
    game INTEGER NOT NULL, seat INTEGER NOT NULL, worth BLOB NOT NULL, PRIMARY KEY (game, seat))
    WITHOUT ROWID"""
# Work of a seat for each move (`results/moves.py`); no row where it reported none.
SEARCHED = """searched (
    game INTEGER NOT NULL, seat INTEGER NOT NULL, nodes BLOB NOT NULL, depths BLOB NOT NULL,
    PRIMARY KEY (game, seat)) WITHOUT ROWID"""
# Which host of a cluster played a game; no row for one that was played at home.
HOSTS = "hosts (game INTEGER PRIMARY KEY, host TEXT NOT NULL)"
# By how much a seat's points are above the best of the others'; no row where no referee said points.
MARGINS = """margins (
    game INTEGER NOT NULL, seat INTEGER NOT NULL, margin REAL NOT NULL, PRIMARY KEY (game, seat))
    WITHOUT ROWID"""
# What a referee wrote of a game, by zlib; no row without it.
LOGS = "logs (game INTEGER PRIMARY KEY, log BLOB NOT NULL)"
# The second point of a trial that was a duel between two, and its engine; no row for others.
DUELS = "duels (trial INTEGER PRIMARY KEY, engine TEXT NOT NULL, point TEXT NOT NULL)"
LATER = {
    "claims": CLAIMS,
    "told": TOLD,
    "searched": SEARCHED,
    "hosts": HOSTS,
    "margins": MARGINS,
    "logs": LOGS,
    "duels": DUELS,
}
"""Tables that runs of earlier schemas lack."""
SCHEMA = f"""
CREATE TABLE games (
    number INTEGER PRIMARY KEY, {declared(GAME)}, surplus INTEGER NOT NULL DEFAULT 0);
CREATE TABLE seats (
    game INTEGER NOT NULL, seat INTEGER NOT NULL, {declared(SEAT)}, ms BLOB NOT NULL,
    PRIMARY KEY (game, seat)) WITHOUT ROWID;
CREATE TABLE failures (
    game INTEGER NOT NULL, seat INTEGER NOT NULL, ply INTEGER NOT NULL, kind TEXT NOT NULL,
    text TEXT NOT NULL, PRIMARY KEY (game, seat)) WITHOUT ROWID;
CREATE TABLE {CLAIMS};
CREATE TABLE {TOLD};
CREATE TABLE {SEARCHED};
CREATE TABLE {HOSTS};
CREATE TABLE {MARGINS};
CREATE TABLE {LOGS};
CREATE TABLE {DUELS};
CREATE TABLE engines (
    id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, spec TEXT NOT NULL, parameters TEXT NOT NULL,
    digest TEXT NOT NULL);
CREATE TABLE trials (
    number INTEGER PRIMARY KEY, engine TEXT NOT NULL, state TEXT NOT NULL, point TEXT NOT NULL,
    scores TEXT NOT NULL);
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
TABLES = ("games", "seats", "failures", "engines", "trials", "meta")
"""Of every schema; today's has those of `LATER` besides."""


class StoreError(JouteError):
    """Something about a run's store that its user must know; the message is one sentence."""


class RunMissing(StoreError, Refused):
    """The folder holds no run."""


class RunExists(StoreError):
    """The folder already holds a run."""


class RunBusy(StoreError, Refused):
    """Another process is writing this run."""


class RunDamaged(StoreError, Refused):
    """`run.db` cannot be read as the store of a run."""


class RunOld(StoreError, Refused):
    """The run is one of 0.1, which can be read and not written."""


class StoreFailed(StoreError):
    """The system refused to write (disk full, read-only); earlier games stay."""


class AlreadyStored(StoreError):
    """A game or an engine of the batch is stored already; nothing of the batch was kept."""


def locked(folder: Path) -> FileLock:
    """Take the writer's lock of the run; it is released when its holder dies."""
    lock = FileLock(folder / LOCK, timeout=0, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        raise RunBusy(f"another process is writing the run in {folder}") from None
    except OSError as error:
        raise StoreFailed(f"cannot lock the run in {folder}: {error.strerror}") from error
    return lock


def companions(path: Path) -> list[Path]:
    """Return the files that SQLite may keep beside a database."""
    return [path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal")]


def at_rest(path: Path) -> str:
    """Return the mode to read a database in: as a file that nobody changes where it has no companions. It
    may be in a read-only folder, without room for SQLite's own files.
    """
    return "ro" if any(file.exists() for file in companions(path)) else "ro&immutable=1"


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """Open a database in a mode of SQLite's URIs (`ro`, `rw`, `rwc`), transactions by hand."""
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, uri=True, timeout=30, isolation_level=None)


def recognise(path: Path) -> None:
    """Raise RunDamaged for a file that is no run of ours. Nothing is touched, but where a writer was
    stopped: half of what the file lacks may be in it, and only its companions tell the rest.
    """
    with translated(path):
        _check_magic(path)
        with contextlib.closing(connect(path, at_rest(path))) as db:
            _check(path, db)


def writer(path: Path) -> sqlite3.Connection:
    """Return a connection that writes to a database known to be sound."""
    with translated(path):
        db = connect(path, "rw")
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version < NUMBERED:
            db.close()
            raise RunOld(
                f"{path} was written by Joute 0.1: report, replay and export read it, but it cannot "
                "go on; take another folder (--out), or start over (--fresh)"
            )
        if version < SCHEMA_VERSION:
            new = "".join(f"CREATE TABLE IF NOT EXISTS {table}; " for table in LATER.values())
            db.executescript(f"BEGIN; {new}PRAGMA user_version = {SCHEMA_VERSION}; COMMIT")
        # NORMAL: a power cut may lose the last batches (they are played again), never the file.
        db.execute("PRAGMA synchronous = NORMAL")
        return db


def reader(path: Path, check: bool = True, quick: bool = False) -> sqlite3.Connection:
    """Return a read-only connection to a database that has been checked from end to end, unless that
    was done before (`quick`: see `soundness`); of a run of 0.1, to a copy of it in memory.
    """
    with translated(path):
        _check_magic(path)
        db = connect(path, "ro")
        try:
            try:
                db.execute("SELECT 1 FROM sqlite_master").fetchone()
            except sqlite3.OperationalError:  # a read-only folder: no room for SQLite's own files
                if any(file.exists() for file in companions(path)):
                    raise
                db.close()
                db = connect(path, "ro&immutable=1")
            version = _check(path, db, check, quick)
            if version < NUMBERED:
                old, db = db, copied(db)
                old.close()
            elif version < SCHEMA_VERSION:
                for table in LATER.keys() - tables_of(db):
                    db.execute(f"CREATE TEMP TABLE {LATER[table]}")
            if check and (wrong := fault(db, quick)):
                raise damaged(path, wrong)
        except StoreError:
            db.close()
            raise
        except (KeyError, ValueError, TypeError, AttributeError) as error:  # of a copy
            db.close()
            raise damaged(path, error) from None
        except BaseException:
            db.close()
            raise
        return db


@contextlib.contextmanager
def attached(db: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Have another database at hand as `other`, to be read, in the meantime."""
    with translated(path):
        uri = f"{path.absolute().as_uri()}?mode={at_rest(path)}"
        db.execute("ATTACH ? AS other", (uri,))
    try:
        yield
    finally:
        with contextlib.suppress(sqlite3.Error):
            db.execute("DETACH other")


def looked_through(path: Path) -> Held:
    """Return the games of a run that is to be continued; raise RunDamaged if it is not sound."""
    with contextlib.closing(reader(path, quick=True)) as db, translated(path):
        try:
            return Held.of(db)
        except (Twice, TypeError, ValueError, OverflowError) as error:
            raise damaged(path, error) from None


def _check_magic(path: Path) -> None:
    for each in (path, *companions(path)):
        if each.exists() and not each.is_file():  # a pipe would keep its reader waiting
            raise damaged(each, "it is not a plain file")
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        raise StoreFailed(f"cannot read {path}: {error.strerror}") from error
    if magic != _MAGIC:
        raise damaged(path, "it is not an SQLite database")


def _check(path: Path, db: sqlite3.Connection, whole: bool = False, quick: bool = False) -> int:
    """Return the schema of a database; raise if it is none of ours, or damaged: looked at as a `whole`,
    but for a `quick` look at a run of many games.
    """
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    if version > SCHEMA_VERSION:
        raise StoreError(f"{path} was written by a newer version of Joute (schema {version})")
    tables = tables_of(db)
    wanted = _columns() if version == SCHEMA_VERSION else TABLES
    missing = [table for table in wanted if table not in tables]
    if missing:
        raise damaged(path, f"it lacks the table {', '.join(missing)}")
    if whole and (wrong := damage(db, quick)):
        raise damaged(path, wrong)
    for table, columns in _columns().items() if version >= NUMBERED else ():
        if table not in tables:
            continue
        here = {row[1] for row in db.execute(f"PRAGMA table_info({table})")}
        if absent := [name for name in columns if name not in here]:
            raise damaged(path, f"its table {table} lacks {', '.join(absent)}")
    return version


def tables_of(db: sqlite3.Connection) -> set[str]:
    """Return the tables of a database."""
    return {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


@cache
def _columns() -> dict[str, list[str]]:
    """Return the columns of every table."""
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        db.executescript(SCHEMA)
        tables = (*TABLES, *LATER)
        return {t: [row[1] for row in db.execute(f"PRAGMA table_info({t})")] for t in tables}


def copied(old: sqlite3.Connection) -> sqlite3.Connection:
    """Return a database in memory, of today's schema, with the content of a run of 0.1 (schema 2)."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(SCHEMA)
    for table in ("engines", "trials", "meta"):
        _copy(db, table, old.execute(f"SELECT * FROM {table}"))
    columns = [column(name) for name in GAME if name not in NEW]
    games = old.execute(f"SELECT {', '.join(columns)}, 0, 0, surplus FROM games ORDER BY rowid")
    numbers = {}
    for number, row in enumerate(games, 1):
        numbers[row[0]] = number
        _copy(db, "games", [(number, *row)])
    seats = ", ".join(f"s.{column(name)}" for name in SEAT)
    query = f"SELECT s.game, s.seat, {seats}, t.ms FROM seats s JOIN times t USING (game, seat)"
    for game, *rest, ms in old.execute(query):
        _copy(db, "seats", [(numbers[game], *rest, packed([float(word) for word in ms.split()]))])
    for game, *rest in old.execute("SELECT game, seat, ply, kind, text FROM failures"):
        _copy(db, "failures", [(numbers[game], *rest)])
    return db


def _copy(db: sqlite3.Connection, table: str, rows: Iterable[Sequence[Any]]) -> None:
    for row in rows:
        db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", tuple(row))


def no_run(folder: Path) -> RunMissing:
    """Return the refusal of a folder without a run. It names the nearest run beside it, or in runs/ for a
    name alone.
    """
    homes = [folder.parent, *([Path("runs")] if len(folder.parts) == 1 else [])]
    runs = (file.parent for home in homes for file in home.glob(f"*/{DATABASE}"))
    return RunMissing(f"there is no run in {folder} (no {DATABASE}){nearest_path(folder, runs)}")


def database_of(folder: Path) -> Path:
    """Return the database of a run's folder; raise RunMissing where there is none."""
    path = folder / DATABASE
    if not path.is_file():
        raise no_run(folder)
    return path


def damaged(path: Path, why: object) -> RunDamaged:
    """Return the error of a file that is not the store of a run, or not any more."""
    reason = cut(" ".join(str(why).split()))  # SQLite may quote a schema of many lines
    return RunDamaged(
        f"{path} is damaged: {reason}; it was left as it is (move it away to start afresh)"
    )


@contextlib.contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into ours."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise AlreadyStored(f"{path} refused the batch, and kept nothing of it: {error}") from error
    except sqlite3.OperationalError as error:
        if "Could not decode" in str(error):  # and the text, of many lines
            raise damaged(path, "a text is no UTF-8") from error
        raise StoreFailed(f"cannot use {path}: {error}; what was stored stays") from error
    except (sqlite3.DatabaseError, UnicodeError) as error:
        raise damaged(path, error) from error
