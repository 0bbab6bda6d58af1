"""A stored run as pandas frames: what every table, plot and report is computed from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from engines.record import TrialRecord
from results.database import DATABASE, GAME, SEAT, column, damaged
from results.store import Store

Value: TypeAlias = float | int | str

ENGINE_COLUMNS = ("name", "spec", "id", "digest")
WHO = ("stage", "group", "rank", "engine")
_COUNTS = ("games", "wins", "draws", "losses")
_BY_SEAT = ("games_first", "wins_first", "wins_second")
PLACES = ("place_1", "place_2", "place_3", "place_4")
MEAN_RANK = ("mean_rank", "mean_rank_low", "mean_rank_high")
_STRENGTH = (
    *("score", "score_low", "score_high", "elo", "elo_low", "elo_high", "los_vs_best"),
    *("tied_with_best", "blocks"),
)
_WORK = ("illegal", "timeout", "crash", "slow", "nodes_per_move")


def standings_columns(players: int) -> tuple[str, ...]:
    """Return the columns of the standings after `WHO`: wins, draws and losses of two players, how
    often more came first, second, ...
    """
    if players <= 2:
        return (*_COUNTS, *_STRENGTH, *_BY_SEAT, *_WORK)
    return ("games", *PLACES[:players], *MEAN_RANK, *_STRENGTH, *_WORK)


TAKEN = {*WHO, *standings_columns(2), *standings_columns(len(PLACES)), *ENGINE_COLUMNS}


@dataclass(frozen=True, eq=False)
class Results:
    """All games of a run that count, in schedule order, with engines by name.

    `games`: one row a game. `seats`: one row a seat, with the stage, group, block and order of its
    game. `times`: the same rows with `ms`, an array of milliseconds, one per move. `failures`: ply,
    kind, text. `engines`: one row an entrant, its parameters as columns (`parameters` names them;
    None where it has no such parameter). `surplus` counts the games that were left out.
    """

    folder: Path
    games: pd.DataFrame
    seats: pd.DataFrame
    times: pd.DataFrame
    failures: pd.DataFrame
    engines: pd.DataFrame
    parameters: tuple[str, ...]
    meta: dict[str, str]
    surplus: int
    trials: tuple[TrialRecord, ...] = ()

    @cached_property
    def search(self) -> dict[str, Any] | None:
        """What is noted of the search of a scan or tune study; None for other kinds."""
        found: dict[str, Any] | None = json.loads(self.meta.get("search") or "null")
        return found

    @cached_property
    def matches(self) -> Results:
        """The games without those of a search, in which hundreds of engines play a little each."""
        if self.search is None:
            return self
        return self.only([stage for stage in self.stages if stage != self.search["stage"]])

    def only(self, stages: Sequence[str]) -> Results:
        """Return the games of some stages, with the engines that played them."""

        def of(frame: pd.DataFrame) -> pd.DataFrame:
            return frame[frame["stage"].isin(stages)].reset_index(drop=True)

        seats = of(self.seats)
        engines = self.engines[self.engines["name"].isin(set(seats["engine"]))]
        return replace(
            self,
            games=of(self.games),
            seats=seats,
            times=of(self.times),
            failures=of(self.failures),
            engines=engines.reset_index(drop=True),
        )

    @cached_property
    def stages(self) -> list[str]:
        """Stages that have games, in their order."""
        return list(dict.fromkeys(self.games["stage"]))

    @cached_property
    def grid(self) -> list[str]:
        """Parameters that are not the same for all entrants."""
        return [p for p in self.parameters if self.engines[p].map(repr).nunique() > 1]

    @cached_property
    def values(self) -> dict[str, dict[str, Value | None]]:
        """Parameter values of every engine, by its name."""
        rows = self.engines[["name", *self.parameters]].to_dict("records")
        return {row["name"]: {p: row[p] for p in self.parameters} for row in rows}

    @cached_property
    def players(self) -> int:
        """Largest number of seats of a game (2 if nothing was played)."""
        return int(self.seats["seat"].max()) + 1 if len(self.seats) else 2

    def number(self, key: str) -> float | None:
        """A number among the meta values, or None where it is empty or absent."""
        text = self.meta.get(key, "")
        return float(text) if text else None

    def of_stage(self, frame: pd.DataFrame, stage: str) -> pd.DataFrame:
        """Return the rows of a frame that belong to a stage."""
        return frame[frame["stage"] == stage]

    def groups(self, stage: str) -> list[str]:
        """Groups of a stage, in schedule order; a stage that is not divided has the group ""."""
        return list(dict.fromkeys(self.of_stage(self.games, stage)["group"]))


def load(folder: Path | str) -> Results:
    """Read the run in `folder`; surplus games are counted and left out."""
    with Store.open(folder) as store, store.snapshot():
        meta = store.meta()
        games = _games(store, _listed_stages(meta))
        engines, parameters, names = _engines(store)
        seats = _of_games(_frame(store, "seats", ("game", "seat", *SEAT)), games)
        times = _of_games(_frame(store, "times", ("game", "seat", "ms")), games)
        failures = _of_games(
            _frame(store, "failures", ("game", "seat", "ply", "kind", "text")), games
        )
        surplus = store.rows("SELECT COUNT(*) FROM games WHERE surplus")[0][0]
        trials = tuple(store.trials())
    seats["engine"] = [names.get(engine, engine) for engine in seats["engine"]]
    who = {(g, s): e for g, s, e in zip(seats["game"], seats["seat"], seats["engine"], strict=True)}
    for frame in (times, failures):
        frame["engine"] = [who[g, s] for g, s in zip(frame["game"], frame["seat"], strict=True)]
    try:
        ms = [np.array(text.split(), float) for text in times["ms"]]
    except ValueError as error:
        raise damaged(Path(folder) / DATABASE, f"times: {error}") from None
    times["ms"] = pd.Series(ms, dtype=object)
    return Results(
        Path(folder), games, seats, times, failures, engines, parameters, meta, int(surplus), trials
    )


def _listed_stages(meta: dict[str, str]) -> list[str]:
    return [str(stage) for stage in json.loads(meta.get("stages") or "[]")]


def _frame(store: Store, table: str, columns: Sequence[str]) -> pd.DataFrame:
    query = f"SELECT {', '.join(map(column, columns))} FROM {table}"
    if table == "games":
        query += " WHERE surplus = 0"
    rows = store.rows(query)
    return pd.DataFrame({name: _column([row[i] for row in rows]) for i, name in enumerate(columns)})


def _column(values: list[Any]) -> pd.Series:
    """Return a column; text stays plain objects, so that nothing turns into a missing value."""
    numeric = values and not isinstance(values[0], str)
    return pd.Series(values, dtype=None if numeric else object)


def _games(store: Store, listed: list[str]) -> pd.DataFrame:
    games = _frame(store, "games", tuple(GAME))
    unlisted = sorted(set(games["stage"]) - set(listed))
    place = {stage: i for i, stage in enumerate([*listed, *unlisted])}
    games["place"] = games["stage"].map(place)
    games = games.sort_values(["place", "order", "seating", "id"], ignore_index=True)
    return games.drop(columns="place")


def _of_games(frame: pd.DataFrame, games: pd.DataFrame) -> pd.DataFrame:
    """Keep the rows of these games, in their order, with what says where the game belongs."""
    where = games[["id", "stage", "group", "block", "order"]].rename(columns={"id": "game"})
    where = where.assign(place=np.arange(len(where)))
    merged = frame.merge(where, on="game", how="inner")
    merged = merged.sort_values(["place", "seat"], ignore_index=True)
    return merged.drop(columns="place")


def _engines(store: Store) -> tuple[pd.DataFrame, tuple[str, ...], dict[str, str]]:
    rows = store.rows("SELECT name, spec, id, digest, parameters FROM engines")
    parsed = [(*row[:4], json.loads(row[4])) for row in rows]
    used = sorted({name for row in parsed for name in row[4]})
    free = {name: _free(name) for name in used}
    parsed.sort(key=lambda row: ([_sortable(row[4].get(name)) for name in used], row[0]))
    frame = pd.DataFrame(
        {name: _column([row[i] for row in parsed]) for i, name in enumerate(ENGINE_COLUMNS)}
    )
    for name in used:
        frame[free[name]] = pd.Series([row[4].get(name) for row in parsed], dtype=object)
    return frame, tuple(free.values()), {row[2]: row[0] for row in parsed}


def _free(name: str) -> str:
    """Name the column of a parameter so that it hides none of ours."""
    return f"parameter_{name}" if name in TAKEN else name


def _sortable(value: Value | None) -> tuple[int, float, str]:
    if value is None:
        return (0, 0.0, "")
    return (2, 0.0, value) if isinstance(value, str) else (1, float(value), "")
