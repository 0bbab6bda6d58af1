"""Checks of a run's database before anything is computed from it: types, ranges, references.

A well-formed file may hold anything: an edit or a bad disk may have changed it. Each rule selects
rows that break it; the first such row is reported.
"""

from __future__ import annotations

import json
import math
import sqlite3
import tomllib
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

import numpy as np

from joute.engines.record import CLAIMS, KINDS, TERMINATIONS

SEATS = 64  # of a game, at most
MANY = 100_000  # games
SPARSEST = 100  # numbers for each game, at most, in a long run: a merge leaves gaps
ROWS = ("games", "seats", "told", "searched", "margins", "logs")  # have a row for every game
Array = np.ndarray[Any, np.dtype[Any]]
Rule = tuple[str, str, str]  # table, a condition that breaks it, the message


def one_of(column: str, words: tuple[str, ...]) -> str:
    """Return the condition that a column is none of some words."""
    return f"{column} NOT IN ({', '.join(repr(word) for word in words)})"


def no_number(column: str, least: float, most: float) -> str:
    """Return the condition that a column is no number in a range."""
    return f"typeof({column}) NOT IN ('integer', 'real') OR NOT {column} BETWEEN {least} AND {most}"


def no_integer(column: str, least: int, most: int) -> str:
    """Return the condition that a column is no whole number in a range."""
    return f"typeof({column}) <> 'integer' OR {column} NOT BETWEEN {least} AND {most}"


def no_text(*columns: str) -> str:
    """Return the condition that one of some columns is no text."""
    return " OR ".join(f"typeof({column}) <> 'text'" for column in columns)


def no_json(column: str, kind: str) -> str:
    """Return the condition that a column is no JSON of a kind."""
    return (
        f"typeof({column}) <> 'text' OR NOT json_valid({column}) OR json_type({column}) <> '{kind}'"
    )


BIG = 2**62
NO_SEAT = "NOT EXISTS (SELECT 1 FROM seats s WHERE s.game = {0}.game AND s.seat = {0}.seat)"
ODD_VALUES = (
    "EXISTS (SELECT 1 FROM json_each({0}) WHERE type NOT IN ('text', 'integer', 'real')"
    " OR (type = 'real' AND abs(value) > 1e308))"
)
RULES: tuple[Rule, ...] = (
    ("meta", no_text("key", "value"), "a value is no text"),
    ("engines", no_text("id", "name", "spec", "digest"), "an engine's texts are none"),
    ("engines", no_json("parameters", "object"), "an engine's parameters are no JSON object"),
    (
        "engines",
        ODD_VALUES.format("parameters"),
        "a parameter of an engine is neither number nor text",
    ),
    (
        "games",
        no_text("id", "stage", "block", "opening", "actions", "outcomes", "digest", "grp"),
        "a game's texts are none",
    ),
    (
        "games",
        no_integer("order_", -1, BIG),
        "a place in the schedule is no whole number from -1 up",
    ),
    ("games", no_integer("round", 0, BIG), "a round is no whole number from 0 up"),
    ("games", no_integer("seating", 0, BIG), "a seating is no whole number from 0 up"),
    ("games", no_integer("plies", 0, BIG), "a game's plies are no whole number from 0 up"),
    ("games", "outcomes GLOB '*[^0-9 -]*'", "outcomes are no whole numbers"),
    ("games", no_integer("surplus", 0, 1), "surplus is neither 0 nor 1"),
    ("games", one_of("termination", TERMINATIONS), "an unknown termination"),
    ("seats", no_text("engine") + " OR typeof(game) <> 'integer'", "a seat's engine is no text"),
    ("seats", no_integer("seat", 0, SEATS - 1), f"a seat is not 0 to {SEATS - 1}"),
    ("seats", no_number("rank", 1, SEATS), f"a rank is no number from 1 to {SEATS}"),
    ("seats", no_number("returns", 0, 1), "a return is no number from 0 to 1"),
    ("seats", no_integer("nodes", 0, 2**63 - 1), "nodes are no whole number from 0 up"),
    ("seats", no_integer("plies", 0, BIG), "a seat's plies are no whole number from 0 up"),
    ("seats", no_integer("failure_ply", -1, BIG), "the ply of a failure is none"),
    ("seats", "typeof(ms) <> 'blob' OR length(ms) % 4", "a seat's times are none"),
    ("seats", one_of("failure", ("", *KINDS)), "an unknown kind of failure"),
    ("seats", "game NOT IN (SELECT number FROM games)", "a seat belongs to no game"),
    (
        "seats",
        "engine NOT IN (SELECT id FROM engines UNION ALL SELECT name FROM engines)"
        " AND (EXISTS (SELECT 1 FROM engines) OR EXISTS (SELECT 1 FROM meta))",
        "an engine that played is not known",
    ),
    ("failures", no_text("text", "kind"), "a failure's texts are none"),
    ("failures", no_integer("ply", -1, BIG), "the ply of a failure is none"),
    ("failures", one_of("kind", KINDS), "an unknown kind of failure"),
    ("failures", NO_SEAT.format("failures"), "it is about a seat that there is not"),
    ("claims", no_text("said", "ours", "conceded"), "a claim's texts are none"),
    ("claims", one_of("verdict", CLAIMS), "an unknown verdict on a claim"),
    ("claims", NO_SEAT.format("claims"), "it is about a seat that there is not"),
    ("told", "typeof(worth) <> 'blob' OR length(worth) % 4", "values of moves are none"),
    ("told", NO_SEAT.format("told"), "it is about a seat that there is not"),
    ("searched", "typeof(nodes) <> 'blob' OR length(nodes) % 8", "nodes of moves are none"),
    ("searched", "typeof(depths) <> 'blob' OR length(depths) % 2", "depths of moves are none"),
    ("searched", NO_SEAT.format("searched"), "it is about a seat that there is not"),
    ("margins", no_number("margin", -1.7e308, 1.7e308), "a margin is no number"),
    ("margins", NO_SEAT.format("margins"), "it is about a seat that there is not"),
    ("logs", "typeof(log) <> 'blob'", "a log is none"),
    ("logs", "game NOT IN (SELECT number FROM games)", "it is about a game that there is not"),
    ("duels", no_text("engine"), "an engine's text is none"),
    ("duels", no_json("point", "object"), "a point is no JSON object"),
    ("duels", ODD_VALUES.format("point"), "a point holds neither number nor text"),
    ("duels", "trial NOT IN (SELECT number FROM trials)", "it is about a trial that there is not"),
    ("trials", no_integer("number", 0, BIG), "a trial's number is none"),
    ("trials", no_text("engine", "state"), "a trial's texts are none"),
    ("trials", no_json("point", "object"), "a trial's point is no JSON object"),
    ("trials", no_json("scores", "array"), "a trial's scores are no JSON list"),
    ("trials", ODD_VALUES.format("point"), "a trial's point holds neither number nor text"),
    (
        "trials",
        "EXISTS (SELECT 1 FROM json_each(scores) WHERE type NOT IN ('integer', 'real')"
        " OR value NOT BETWEEN 0 AND 1)",
        "a trial's score is no number from 0 to 1",
    ),
)
# Every game has the seats 0, 1, ... and as many as the others.
SEATED = """
SELECT COUNT(*) FROM (SELECT COUNT(s.seat) AS n, MAX(s.seat) AS last FROM games g
LEFT JOIN seats s ON s.game = g.number GROUP BY g.number)
WHERE n < 2 OR last <> n - 1
"""
PLAYERS = "SELECT COUNT(DISTINCT n) FROM (SELECT COUNT(*) AS n FROM seats GROUP BY game)"
ODD = """
SELECT EXISTS (SELECT 1 FROM seats WHERE returns NOT IN (0, 0.5, 1))
AND NOT EXISTS (SELECT 1 FROM seats WHERE seat > 1)
"""


def fault(db: sqlite3.Connection, quick: bool = False) -> str:
    """Return the fault in the content of a run's database; "" if there is none.

    A `quick` check skips the games and seats of a large run: they take seconds for a million.
    """
    quick = quick and many(db)
    first, last, count = db.execute(
        "SELECT MIN(number), MAX(number), COUNT(*) FROM games"
    ).fetchone()
    if count and (first < 1 or last > SPARSEST * count + MANY):
        return f"games: their numbers go from {first} to {last}, and there are {count}"
    for table, every in groupby(RULES, key=lambda rule: rule[0]):
        if table in ROWS and quick:
            continue
        rules = list(every)  # one look at a table for all of them, for there may be a million rows
        if _found(db, table, " OR ".join(broken for _, broken, _ in rules)):
            return next(
                f"{table}: {text}" for _, broken, text in rules if _found(db, table, broken)
            )
    if not quick and (db.execute(SEATED).fetchone()[0] or db.execute(PLAYERS).fetchone()[0] > 1):
        return "seats: a game has not all of its seats"
    if not quick and db.execute(ODD).fetchone()[0]:
        return "seats: a return in a game of two is neither 0 nor 1/2 nor 1"
    if not quick and (wrong := numbers_fault(db)):
        return wrong
    meta = dict(db.execute("SELECT key, value FROM meta"))
    return (
        next(meta_faults(meta), "")
        or ("meta: it lacks the search" if unsearched(meta) else "")
        or finalist_fault(meta)
        or points_fault(db, json.loads(meta.get("search") or "null"))
    )


def points_fault(db: sqlite3.Connection, search: Any) -> str:
    """Return the fault of the points of trials, whose search is sound; "" if there is none."""
    kinds = {axis["name"]: axis["kind"] in NUMERIC for axis in (search or {}).get("axes", ())}
    both = "SELECT number, point FROM trials UNION ALL SELECT trial, point FROM duels"
    for number, point in db.execute(both):
        for name, value in json.loads(point).items():
            if name in kinds and isinstance(value, str) == kinds[name]:
                return f"trials: {name} of trial {number} is not what its search says"
    return ""


def numbers_fault(db: sqlite3.Connection) -> str:
    """Return the fault of the numbers of moves, many in a cell; "" if there is none."""
    for table, column, kind, check, text in NUMBERS:
        cells = db.execute(f"SELECT {column} FROM {table}")
        while rows := cells.fetchmany(PART):
            if not check(np.frombuffer(b"".join(cell for (cell,) in rows), kind)):
                return f"{table}: {text}"
    return ""


def is_times(numbers: Array) -> bool:
    """Whether numbers are finite, from 0 up."""
    return bool(np.isfinite(numbers).all() and (numbers >= 0).all())


def is_values(numbers: Array) -> bool:
    """Whether numbers are finite, or NaN for a value that is missing."""
    return not np.isinf(numbers).any()


def is_counts(numbers: Array) -> bool:
    """Whether numbers are from 0 up."""
    return bool((numbers >= 0).all())


PART = 10_000  # cells
NUMBERS: tuple[tuple[str, str, str, Callable[[Array], bool], str], ...] = (
    ("seats", "ms", "<f4", is_times, "a time of a move is no number from 0 up"),
    ("told", "worth", "<f4", is_values, "a value of a move is infinite"),
    ("searched", "nodes", "<i8", is_counts, "nodes of a move are no number from 0 up"),
    ("searched", "depths", "<i2", is_counts, "a depth of a move is no number from 0 up"),
)


def damage(db: sqlite3.Connection, quick: bool = False) -> str:
    """Return SQLite's complaint about the pages of a database; "" if there is none.

    A `quick` check skips large tables of games and seats, as above: SQLite reports damaged pages
    when it reads them, all games' among them, and a report reads the rest.
    """
    parts = sorted({table for table, *_ in RULES} - {*ROWS}) if quick and many(db) else ["1"]
    verdicts = (db.execute(f"PRAGMA quick_check({part})").fetchone()[0] for part in parts)
    return next((str(verdict).replace("\n", " ") for verdict in verdicts if verdict != "ok"), "")


def many(db: sqlite3.Connection) -> bool:
    """Whether a run holds so many games that looking at each takes its time."""
    return int(db.execute("SELECT COUNT(*) FROM games").fetchone()[0]) > MANY


def _found(db: sqlite3.Connection, table: str, broken: str) -> bool:
    return db.execute(f"SELECT 1 FROM {table} WHERE {broken} LIMIT 1").fetchone() is not None


def meta_faults(meta: dict[str, str]) -> Iterator[str]:
    """Yield the faults of the notes on the run as a whole."""
    for key, (right, words) in META.items():
        if meta.get(key):
            try:
                good = right(meta[key])
            except (
                ValueError,
                TypeError,
                KeyError,
                AttributeError,
                ArithmeticError,
                RecursionError,
            ):
                good = False
            if not good:
                yield f"meta: {key} is not {words}"


def is_number(text: str) -> bool:
    """Whether a text is a finite number from 0 up."""
    return math.isfinite(float(text)) and float(text) >= 0


def is_texts(text: str) -> bool:
    """Whether a text is a JSON list of texts."""
    texts = json.loads(text)
    return isinstance(texts, list) and all(isinstance(one, str) for one in texts)


def is_object(text: str) -> bool:
    """Whether a text is a JSON object."""
    return isinstance(json.loads(text), dict)


def is_paces(text: str) -> bool:
    """Whether a text has the games and seconds of each worker."""
    paces = json.loads(text).values()
    return all(
        math.isfinite(games + seconds) and min(games, seconds) >= 0 for games, seconds in paces
    )


def is_toml(text: str) -> bool:
    """Whether a text is a study file."""
    return isinstance(tomllib.loads(text), dict)


def is_identity(text: str) -> bool:
    """Whether a text has the parts of a study that must not change."""
    study = json.loads(text)
    tables = [study["openings"], study["entrants"], study.get("code", {})]
    whole = all({"name", "entrants", "type", "within"} <= stage.keys() for stage in study["stages"])
    return whole and {"game", "seed"} <= study.keys() and all(isinstance(t, dict) for t in tables)


def is_generations(text: str) -> bool:
    """Whether a text holds the numbered generations of a training run."""
    return all(type(entry["generation"]) is int for entry in json.loads(text))


def is_sprt(text: str) -> bool:
    """Whether a text holds the numbers of a sequential test."""
    test = json.loads(text)
    numbers = [test.get(name) for name in ("elo0", "elo1", "alpha", "beta")]
    extra = test.keys() - {"elo0", "elo1", "alpha", "beta", "model"}
    return not extra and all(isinstance(n, int | float) and math.isfinite(n) for n in numbers)


def is_axis(axis: Any) -> bool:
    """Whether data is that of a searched parameter: a range of numbers, or choices."""
    if not isinstance(axis, dict) or axis.keys() - AXIS or not isinstance(axis.get("name"), str):
        return False
    if axis["kind"] == "choice":
        return bool(axis["choices"]) and all(isinstance(one, str) for one in axis["choices"])
    low, high, step = axis["low"], axis["high"], axis.get("step")
    steps = 1 if step is None else (high - low) / step
    marks = [*axis.get("marks", ())]
    whole = all(isinstance(n, int | float) and abs(n) < BIG for n in (low, high, steps, *marks))
    return (
        axis["kind"] in NUMERIC
        and whole
        and low <= high
        and steps >= 0
        and type(axis["log"]) is bool
    )


def is_search(text: str) -> bool:
    """Whether a text has the fields of a search that reports need."""
    search: Any = json.loads(text)
    if search is None:
        return True
    axes = all(map(is_axis, search["axes"]))
    texts = [search["stage"], search["default"], *search["pool"], *search.get("held_out", [])]
    names = all(isinstance(name, str) for name in texts)
    whole = all(type(search[key]) is int and search[key] > 0 for key in ("rows", "blocks"))
    return bool(search["axes"] and search["pool"] and axes and names and whole)


def is_trainings(text: str) -> bool:
    """Whether a text has the fields of a training search that reports need."""
    search: Any = json.loads(text)
    axes = all(map(is_axis, search["axes"]))
    lists = all(isinstance(search[key], list) for key in ("entries", "duels", "stages"))
    return bool(search["axes"]) and axes and lists and isinstance(search["own"], dict)


def is_progress(text: str) -> bool:
    """Whether a text is a JSON object whose times are such that a clock may show."""
    progress = json.loads(text)
    times = [progress.get(key) for key in ("begun", "end")]
    return all(0 <= t < LATEST for t in times if isinstance(t, int | float))


def is_candidates(text: str) -> bool:
    """Whether a text holds the points that a search confirmed, and what was expected of them."""
    candidates = json.loads(text)
    return isinstance(candidates, list) and all(
        isinstance(one["name"], str)
        and isinstance(one["point"], dict)
        and len(one["expected"]) == 3
        and all(isinstance(n, int | float) and math.isfinite(n) for n in one["expected"])
        for one in candidates
    )


def unsearched(meta: dict[str, str]) -> bool:
    """Whether a search over parameters has no note of what it searches."""
    return meta.get("kind") in ("scan", "tune") and not meta.get("search")


def finalist_fault(meta: dict[str, str]) -> str:
    """Return the fault of the notes on the best candidate, where these are sound; "" if there is none."""
    names = [one["name"] for one in json.loads(meta.get("candidates") or "[]")]
    best = meta.get("finalist")
    return f"meta: finalist is {best}, which is no candidate" if best and best not in names else ""


AXIS = {"name", "kind", "low", "high", "step", "log", "choices", "marks"}
LATEST = 1e11  # seconds since 1970: the year 5138
NUMERIC = ("int", "float")
META: dict[str, tuple[Callable[[str], bool], str]] = {
    **dict.fromkeys(
        ("slow_after_ms", "move_time_ms", "margin_ms", "exclude_p99_over_ms"),
        (is_number, "a number from 0 up"),
    ),
    "study": (is_toml, "a study file (TOML)"),
    "stages": (is_texts, "a JSON list of names"),
    "plugins": (is_texts, "a JSON list of files"),
    "merged": (is_texts, "a JSON list of machines"),
    "generations": (is_generations, "a JSON list of generations"),
    "versions": (is_object, "a JSON object"),
    "identity": (is_identity, "what must stay the same of a study"),
    "progress": (is_progress, "how far a run has come"),
    "paces": (is_paces, "games and seconds by worker"),
    "sprt": (is_sprt, "a sequential test"),
    "search": (is_search, "a search"),
    "trainings": (is_trainings, "a search among trainings"),
    "candidates": (is_candidates, "points that a search confirmed"),
}
