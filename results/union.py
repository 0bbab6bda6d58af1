"""Merges one run into another: common games once, and no contradictions."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from joute.results.database import DATABASE, GAME, LATER, SEAT, StoreError, column
from joute.results.store import Store

COLUMNS = [column(name) for name in GAME]
OF_GAME = [c for c in COLUMNS if c not in ("id", "order_")]  # the same in both runs
OF_SEAT = [c for c in map(column, SEAT) if c != "nodes"]
OF_BLOCK = ("opening", "opening_key", "draw")
OF_ENGINE = ("spec", "parameters", "digest")
OF_DUEL = ("engine", "point")
OF_TRIAL = ("engine", "state", "point", "scores")
ONES = "what was named before it"  # a store is made of these, in a folder that nobody knows
BOTH = "main.games m JOIN other.games t ON t.id = m.id"


class Contradiction(StoreError):
    """Two runs hold different things where they must hold the same."""

    exit_code = 2


class Taken(NamedTuple):
    """Counts of a merge: new games, and games that both runs hold."""

    new: int
    twice: int


def take_in(store: Store, folder: Path, apart: Collection[str] = ()) -> Taken:
    """Take the games, engines and trials of another run into a store, all or none; raise Contradiction.

    A game that both hold stays as in the store, with its times; it counts if it does in one of
    them. In the stages `apart`, with different schedules, new blocks get places after all known
    ones.
    """
    with store.beside(folder / DATABASE) as db:
        _check(db, folder)
        known = "SELECT id FROM main.engines"
        engine, trial = (", ".join(columns_of(db, table)) for table in ("engines", "trials"))
        db.execute(
            f"INSERT INTO engines ({engine}) SELECT {engine} FROM other.engines"
            f" WHERE id NOT IN ({known})"
        )
        db.execute(f"INSERT OR IGNORE INTO trials ({trial}) SELECT {trial} FROM other.trials")
        if "duels" in _tables(db):
            duel = ", ".join(columns_of(db, "duels"))
            db.execute(f"INSERT OR IGNORE INTO duels ({duel}) SELECT {duel} FROM other.duels")
        db.execute(f"CREATE TEMP TABLE both AS SELECT m.number mine, t.number theirs FROM {BOTH}")
        last = _number(db, "SELECT IFNULL(MAX(number), 0) FROM main.games")
        db.execute(
            "UPDATE main.games SET surplus = 0 WHERE surplus AND number IN (SELECT mine FROM both"
            " JOIN other.games t ON t.number = theirs WHERE NOT t.surplus)"
        )
        _add_games(db, last)
        _place(db, last, apart)
        _check_places(db, folder, apart)
        twice = _number(db, "SELECT COUNT(*) FROM both")
        db.execute("DROP TABLE both")
        return Taken(_number(db, "SELECT COUNT(*) FROM games WHERE number > ?", last), twice)


def columns_of(db: sqlite3.Connection, table: str) -> list[str]:
    """Return the columns of a table of ours; the other run's may have more."""
    return [row[1] for row in db.execute(f"PRAGMA main.table_info({table})")]


def _tables(db: sqlite3.Connection) -> set[str]:
    """Return the tables of the other run, which may be of an earlier schema."""
    return {row[0] for row in db.execute("SELECT name FROM other.sqlite_master")}


def _number(db: sqlite3.Connection, query: str, *values: object) -> int:
    return int(db.execute(query, values).fetchone()[0])


def _check(db: sqlite3.Connection, other: Path) -> None:
    """Raise Contradiction for the first thing that both hold, and each its own."""
    duels: tuple[tuple[str, str, Sequence[str], str], ...] = (
        ("trial", "m.trial", OF_DUEL, "main.duels m JOIN other.duels t ON t.trial = m.trial"),
    )
    checks = (
        *(duels if "duels" in _tables(db) else ()),
        ("engine", "m.name", OF_ENGINE, "main.engines m JOIN other.engines t ON t.id = m.id"),
        ("trial", "m.number", OF_TRIAL, "main.trials m JOIN other.trials t ON t.number = m.number"),
        ("block", "m.block", OF_BLOCK, "main.games m JOIN other.games t ON t.block = m.block"),
        ("game", "m.id", OF_GAME, BOTH),
        (
            "game",
            "g.id",
            OF_SEAT,
            f"(SELECT m.id, m.number mine, t.number theirs FROM {BOTH}) g JOIN main.seats m"
            " ON m.game = g.mine JOIN other.seats t ON t.game = g.theirs AND t.seat = m.seat",
        ),
    )
    for what, name, columns, joined in checks:
        unlike = [f"m.{c} IS NOT t.{c}" for c in columns]
        row = db.execute(
            f"SELECT {name}, {', '.join(unlike)} FROM {joined} WHERE {' OR '.join(unlike)} LIMIT 1"
        ).fetchone()
        if row:
            differs = [c.rstrip("_") for c, differ in zip(columns, row[1:], strict=True) if differ]
            raise Contradiction(
                f"{other} contradicts {ONES}: the {what} {row[0]} has another {', '.join(differs)}"
            )
    taken = "main.engines m JOIN other.engines t ON t.name = m.name AND t.id <> m.id"
    row = db.execute(f"SELECT m.name, m.spec, t.spec FROM {taken} LIMIT 1").fetchone()
    if row:
        raise Contradiction(
            f"{other} contradicts {ONES}: {row[0]} is {row[2]} there, and here {row[1]}"
        )


def _check_places(db: sqlite3.Connection, other: Path, apart: Collection[str]) -> None:
    """Raise Contradiction where two blocks have one place in a schedule that both runs have."""
    row = db.execute(
        "SELECT stage, order_ FROM main.games WHERE order_ >= 0"
        f" AND stage NOT IN ({', '.join('?' * len(apart))})"
        " GROUP BY stage, order_ HAVING MIN(block) <> MAX(block) LIMIT 1",
        [*apart],
    ).fetchone()
    if row:
        raise Contradiction(
            f"{other} contradicts {ONES}: it has another block at place {row[1]} of stage {row[0]}"
        )


def _add_games(db: sqlite3.Connection, last: int) -> None:
    """Add the games that are new, with their seats; numbers go on behind the last."""
    columns = ", ".join(COLUMNS)
    db.execute(
        f"INSERT INTO games (number, {columns}, surplus) SELECT number + ?, {columns}, surplus"
        " FROM other.games WHERE number NOT IN (SELECT theirs FROM both)",
        (last,),
    )
    there = _tables(db)
    for table in ("seats", "failures", *(table for table in LATER if table in there)):
        names = columns_of(db, table)
        if names[0] != "game":
            continue
        db.execute(
            f"INSERT INTO {table} SELECT game + ?, {', '.join(names[1:])} FROM other.{table}"
            " WHERE game NOT IN (SELECT theirs FROM both)",
            (last,),
        )


def _place(db: sqlite3.Connection, last: int, apart: Collection[str]) -> None:
    """Give new games the places of their blocks, where those are known, or new places."""
    for stage in apart:
        behind = _number(
            db,
            "SELECT IFNULL(MAX(order_), -1) + 1 FROM games WHERE stage = ? AND number <= ?",
            *(stage, last),
        )
        db.execute(
            "UPDATE games SET order_ = order_ + ? WHERE stage = ? AND number > ? AND order_ >= 0",
            (behind, stage, last),
        )
    db.execute("CREATE TEMP TABLE placed (block TEXT PRIMARY KEY, place) WITHOUT ROWID")
    db.execute(
        "INSERT INTO placed SELECT block, MAX(order_) FROM main.games WHERE number <= ?"
        " AND block IN (SELECT block FROM main.games WHERE number > ?) GROUP BY block",
        (last, last),
    )
    db.execute(
        "UPDATE games SET order_ = (SELECT place FROM placed WHERE placed.block = games.block)"
        " WHERE number > ? AND block IN (SELECT block FROM placed)",
        (last,),
    )
    db.execute("DROP TABLE placed")
