"""The tables of a run, as pandas frames and as CSV files that are equal for equal games.

Wall times differ from run to run: in files they are in `times.csv` alone.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from joute.engines.errors import Refused
from joute.engines.record import TrialRecord
from joute.results.frames import Results, load
from joute.results.manifest import note
from joute.results.quantity import SHARE
from joute.results.standings import CROSSTABLE_COLUMNS, crosstable, standings_table
from joute.results.statistics import estimate_means
from joute.results.store import Store

__all__ = [
    "Results",
    "cell_text",
    "check_place",
    "crosstable",
    "engines_table",
    "games_table",
    "load",
    "seats_table",
    "standings",
    "standings_table",
    "times_table",
    "trials_table",
    "write_atomically",
    "write_csv",
    "write_tables",
]

DECIMALS = {
    **dict.fromkeys(("score", "score_low", "score_high", "los_vs_best", "returns"), 4),
    **dict.fromkeys(("elo", "elo_low", "elo_high", "nodes_per_move"), 1),
    **dict.fromkeys(("mean_rank", "mean_rank_low", "mean_rank_high"), 3),
    **dict.fromkeys(("mean_ms", "median_ms", "p95_ms", "p99_ms", "max_ms"), 3),
}
PART = 20_000
"""Games of a table that are made at a time."""
SEATS = ("first", "second", "third", "fourth")
TRIALS_COLUMNS = (
    *("number", "state", "blocks", "games", "score", "score_low", "score_high", "engine"),
)
TIMES_COLUMNS = (
    *("stage", "engine", "moves", "mean_ms", "median_ms", "p95_ms", "p99_ms", "max_ms"),
    "slow_moves",
)


def games_table(results: Results, begin: int = 0, end: int | None = None) -> pd.DataFrame:
    """Return one row a game (the rows from `begin` to `end`, if given), in schedule order, with the
    names of the players and the winner; with more than two players the score of each seat, and
    "shared" where several were first.
    """
    games = results.games[begin:end].reset_index(drop=True)
    begin, end = begin, begin + len(games)
    texts = results.texts(("id", "block", "opening", "digest"), begin, end)
    columns: dict[str, pd.Series] = {"id": texts["id"]}
    columns |= {name: games[name] for name in ("stage", "group", "round")}
    columns |= {name: texts[name] for name in ("opening", "block")}
    players = results.players
    seats = results.seats[players * begin : players * end]
    names, ranks, returns = (
        seats[name].to_numpy(kind).reshape(-1, players).T
        for name, kind in (("engine", object), ("rank", float), ("returns", float))
    )
    for values, title in zip(names, SEATS, strict=False):
        columns[title] = _texts(values)
    many = players > 2
    for values, title in zip(returns if many else returns[:1], SEATS, strict=False):
        columns[f"score_{title}"] = pd.Series(values)
    columns["winner"] = _texts(_winners(names, ranks, "shared" if many else "draw"))
    columns["termination"] = games["termination"]
    failed = seats[seats["failure"] != ""]
    failure_texts: dict[int, str] = {}
    for game, engine, kind in zip(failed["game"], failed["engine"], failed["failure"], strict=True):
        text = f"{engine}: {kind}"
        failure_texts[game] = f"{failure_texts[game]}; {text}" if game in failure_texts else text
    columns["failure"] = _texts(failure_texts.get(game, "") for game in range(begin, end))
    return pd.DataFrame({**columns, "plies": games["plies"], "digest": texts["digest"]})


def _winners(names: Any, ranks: Any, nobody: str) -> list[str]:
    """Return the sole winner of each game, or `nobody`; both arrays have a row a seat."""
    if not ranks.size:
        return []
    best = ranks == ranks.min(axis=0)
    alone, first = best.sum(axis=0) == 1, best.argmax(axis=0)
    return [
        str(names[w, i]) if a else nobody for i, (w, a) in enumerate(zip(first, alone, strict=True))
    ]


def _texts(values: Iterable[str]) -> pd.Series:
    return pd.Series(list(values), dtype=object)


def seats_table(results: Results, begin: int = 0, end: int | None = None) -> pd.DataFrame:
    """Return one row a seat of a game (of the games from row `begin` to `end`, if given), in schedule
    order.
    """
    ids = results.texts(("id",), begin, len(results.games[:end]))["id"].to_numpy(object)
    players = results.players
    seats = results.seats[players * begin : None if end is None else players * end]
    columns = ["engine", "rank", "returns", "failure", "failure_ply", "nodes", "plies"]
    table = seats[["stage", "group", "seat", *columns]].reset_index(drop=True)
    table.insert(2, "game", pd.Series(np.repeat(ids, players), dtype=object))
    if results.has_margins:
        numbers = results.games["number"].to_numpy()[begin:end]
        table["margin"] = pd.Series(
            margins_of(results.folder, numbers.tolist(), players), dtype=object
        )
    return table


def margins_of(folder: Path, games: Sequence[int], players: int) -> list[float | None]:
    """Return the margin of each seat of games by their numbers, as a referee's points have it; None
    where it said none.
    """
    if not games:
        return []
    with Store.again(folder) as store:
        rows = store.rows(
            "SELECT game, seat, margin FROM margins WHERE game BETWEEN ? AND ?",
            min(games),
            max(games),
        )
    margins = {(game, seat): margin for game, seat, margin in rows}
    return [margins.get((game, seat)) for game in games for seat in range(players)]


def engines_table(results: Results) -> pd.DataFrame:
    """Return one row an entrant, its parameters as columns."""
    return results.engines.copy()


def times_table(results: Results) -> pd.DataFrame:
    """Return the wall times per move of each engine in each stage, in milliseconds."""
    limit = results.number("slow_after_ms")
    place = {name: i for i, name in enumerate(results.engines["name"])}
    rows: list[tuple[Any, ...]] = []
    for stage in results.stages:
        of_stage: dict[str, list[NDArray[np.float32]]] = {}
        for (where, _, engine), ms in results.times.items():
            if where == stage:
                of_stage.setdefault(engine, []).append(ms)
        times = {engine: np.concatenate(ms) for engine, ms in of_stage.items()}
        for engine in sorted(times, key=lambda e: (place.get(e, len(place)), e)):
            ms = times[engine]
            if len(ms):
                p95, p99 = (float(p) for p in np.percentile(ms, [95, 99]))
                slow = None if limit is None else int((ms > limit).sum())
                middle = (
                    float(ms.mean(dtype=float)),
                    float(np.median(ms)),
                    p95,
                    p99,
                    float(ms.max()),
                )
                rows.append((stage, engine, len(ms), *middle, slow))
    return pd.DataFrame(
        {
            name: pd.Series([row[i] for row in rows], dtype=object)
            for i, name in enumerate(TIMES_COLUMNS)
        }
    )


def trials_table(results: Results) -> pd.DataFrame:
    """Return one row a trial of a search: how it ended, its score with a 95 % interval, its point; where
    two points played each other also the `other` one. No row where nothing was searched.
    """
    if results.search is None:
        return pd.DataFrame(columns=list(TRIALS_COLUMNS))
    names = dict(zip(results.engines["id"], results.engines["name"], strict=True))
    ids = {name: engine for engine, name in names.items()}
    axes = [axis["name"] for axis in results.search["axes"]]
    duels = any(trial.other is not None for trial in results.trials)
    rows = []
    for trial in results.trials:
        estimate = estimate_means(trial.scores, elo=False)
        row: dict[str, Any] = {
            "number": trial.number,
            "state": trial.state,
            "blocks": len(trial.scores),
            "games": _played(results, trial, ids) * results.search["rows"],
            "score": estimate.score,
            "score_low": estimate.score_low,
            "score_high": estimate.score_high,
            "engine": names.get(trial.engine, trial.engine),
        }
        row |= {_axis(name): trial.point.get(name) for name in axes}
        if duels:  # of a trial against the pool there is no other point
            row[OTHER] = names.get(trial.other_engine, trial.other_engine)
            row |= {f"{OTHER}_{name}": (trial.other or {}).get(name) for name in axes}
        rows.append(row)
    others = [OTHER, *(f"{OTHER}_{name}" for name in axes)] if duels else []
    columns = [*TRIALS_COLUMNS, *map(_axis, axes), *others]
    return pd.DataFrame(
        {name: pd.Series([row[name] for row in rows], dtype=object) for name in columns}
    )


def _played(results: Results, trial: TrialRecord, ids: dict[str, str]) -> int:
    """Count the blocks of a trial that were played: against itself an engine scores 1/2 unplayed."""
    assert results.search is not None
    if trial.state == "even":
        return 0
    if results.meta.kind == "scan":
        return len(trial.scores)
    if trial.other is not None:
        return len(trial.scores) if trial.other_engine != trial.engine else 0
    pool = [ids.get(name) for name in results.search["pool"]]
    return sum(pool[i % len(pool)] != trial.engine for i in range(len(trial.scores)))


def _axis(name: str) -> str:
    return f"parameter_{name}" if name in TRIALS_COLUMNS else name


def standings(results: Results) -> pd.DataFrame:
    """Return the standings of all stages, one below the other."""
    return _stacked(results, standings_table, list(standings_table(results, "").columns))


def crosstables(results: Results) -> pd.DataFrame:
    """Return the crosstables of all stages, one below the other."""
    return _stacked(results, crosstable, list(CROSSTABLE_COLUMNS))


def _stacked(
    results: Results, table: Callable[[Results, str], pd.DataFrame], columns: list[str]
) -> pd.DataFrame:
    tables = [table(results, stage) for stage in results.stages]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=columns)


OTHER = "other"  # the second point of a duel: its engine, and its values behind this word

TABLES = ("games", "seats", "engines", "trials", "times", "standings", "crosstable", "claims")


def write_tables(run: Path | str | Results) -> Results:
    """Write the CSV files of a run beside its database; return the results read."""
    read = results = run if isinstance(run, Results) else load(run)
    folder = results.folder
    write_csv(in_parts(games_table, results), folder / "games.csv")
    write_csv(in_parts(seats_table, results), folder / "seats.csv")
    write_csv(engines_table(results), folder / "engines.csv")
    if results.search is not None:
        write_csv(trials_table(results), folder / "trials.csv")
    if len(results.claims):
        write_csv(results.claims, folder / "claims.csv")
    results = results.matches
    write_csv(times_table(results), folder / "times.csv")
    write_csv(standings(results), folder / "standings.csv")
    write_csv(crosstables(results), folder / "crosstable.csv")
    return read


def in_parts(
    table: Callable[[Results, int, int], pd.DataFrame], results: Results
) -> Iterator[pd.DataFrame]:
    """Yield a table of the games of a run, some ten thousand of them at a time."""
    for begin in range(0, max(1, len(results.games)), PART):
        yield table(results, begin, begin + PART)


def write_csv(table: pd.DataFrame | Iterable[pd.DataFrame], path: Path) -> None:
    """Write a frame, or one after the other, as CSV, whole or not at all, with a fixed number of
    decimals per column.
    """
    with atomically(path) as file:
        for i, frame in enumerate([table] if isinstance(table, pd.DataFrame) else table):
            text = pd.DataFrame(
                {
                    column: pd.Series(column_text(frame[column], str(column)), dtype=object)
                    for column in frame.columns
                }
            )
            lines = text.to_csv(index=False, lineterminator="\n", header=not i)
            file.write(lines.encode())


def write_rows(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write rows of the same keys, at least one, as CSV; values stay what they are."""
    columns = {name: pd.Series([row[name] for row in rows], dtype=object) for name in rows[0]}
    write_csv(pd.DataFrame(columns), path)


def column_text(values: pd.Series, column: str) -> list[str]:
    """Return a column as tables write it; the many equal numbers of a long one are written once."""
    known: dict[Any, str] = {}
    texts = []
    for value in values.tolist():
        if type(value) is str:
            texts.append(value)
            continue
        key = (type(value), value)
        if key not in known:
            known[key] = cell_text(value, column)
        texts.append(known[key])
    return texts


def cell_text(value: object, column: str = "") -> str:
    """Return a value as tables write it: "" for an unknown one, yes or no, fixed decimals."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if column == "score_percent" and isinstance(value, int | float | np.number):
        return SHARE.number(float(value) / 100)
    if isinstance(value, int | float | np.number) and column in DECIMALS:
        text = f"{float(value):.{DECIMALS[column]}f}"
        return text.removeprefix("-") if float(text) == 0 else text
    return format(value, ".10g") if isinstance(value, float) else str(value)


def check_place(path: Path) -> None:
    """Raise Refused if a path is a folder, or its folder is missing or read-only: a check before
    the work whose result goes there.
    """
    if path.is_dir():
        raise Refused(f"{path} is a folder, not a file")
    if not path.parent.is_dir():
        raise Refused(f"{path}: {path.parent} is not a folder")
    if not os.access(path.parent, os.W_OK):
        raise Refused(f"{path}: {path.parent} cannot be written to")


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader finds the old content or the new one, never a part of it."""
    with atomically(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def atomically(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to be written so that a reader finds the old content or the new one, whole."""
    try:
        note(path)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:  # it names a file that nobody knows
        raise OSError(error.errno, error.strerror, str(path)) from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError) and not error.filename:  # a full disk names no file
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
