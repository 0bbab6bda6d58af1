"""Frames of a run that grows: new games are appended to arrays already read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from joute.engines.garbage import uncollected
from joute.engines.record import TrialRecord
from joute.results.database import SEAT, column
from joute.results.frames import (
    EVENTS,
    GAME_COLUMNS,
    GAME_PARTS,
    SEAT_PARTS,
    TEXTS,
    Codes,
    Ints,
    Results,
    Times,
    engines_of,
    events_frame,
    events_of,
    game_part,
    games_frame,
    joined,
    seat_part,
    seats_frame,
)
from joute.results.meta import Meta
from joute.results.moves import unpacked
from joute.results.store import Store

ENOUGH = 10_000
"""Least number of games whose wall times are kept; from twice as many on only a sample's are."""
SPREAD = 2654435761  # Knuth's: games far apart, and both of a pair


class Named(NamedTuple):
    """The engines of a run: their frame, the names of their parameters, their names by id."""

    frame: pd.DataFrame
    parameters: tuple[str, ...]
    names: dict[str, str]


class Sampled:
    """The wall times of some of the games, those that a hash of their numbers draws: all, a half, a
    quarter, ... of the pairs, as there are ever more.
    """

    def __init__(self) -> None:
        self.mask = 0
        self._kept: dict[tuple[str, str, str], list[tuple[int, bytes]]] = {}

    def condition(self, last: int) -> str:
        """Return the SQL condition that selects the kept games when there are so many."""
        while last > 2 * ENOUGH * (self.mask + 1):
            self.mask = 2 * self.mask + 1
            self._kept = {
                key: [one for one in games if not one[0] // 2 * SPREAD >> 16 & self.mask]
                for key, games in self._kept.items()
            }
        return f"game / 2 * {SPREAD} >> 16 & {self.mask} = 0"

    def add(self, key: tuple[str, str, str], game: int, data: bytes) -> None:
        """Take the times of a game's seat: stage, group and engine, and the milliseconds as stored."""
        self._kept.setdefault(key, []).append((game, data))

    def times(self, without: Collection[int] = ()) -> Times:
        """Return the milliseconds, without those of some games."""
        packed = {
            key: b"".join(data for game, data in games if game not in without)
            for key, games in self._kept.items()
        }
        return {key: unpacked(data) for key, data in packed.items() if data}


class Growing:
    """All games of a run that were read so far."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.last = folder, 0  # `last`: the number of the last game that was read
        self._codes = {name: Codes() for name in TEXTS}
        self._engines, self._failures = Codes(), Codes()  # engines by id: names may change
        self._games: dict[str, Ints] = joined([], GAME_PARTS)
        self._seats: dict[str, Any] = joined([], SEAT_PARTS)
        self._surplus = np.zeros(0, np.int64)  # numbers of games that do not count
        self._events: dict[str, list[Any]] = {table: [] for table, _ in EVENTS}
        self._times = Sampled()
        self._chance = False
        self.hosts: dict[str, int] = {}  # games that each machine has played, where that is noted
        self._named = Named(pd.DataFrame(), (), {})
        self._stored = 0  # engines, with those that have left

    def read(self, store: Store, after: int, last: int) -> None:
        """Read the games after one number up to another."""
        with uncollected():  # so many rows are not worth a look each
            self._read(store, after, last)

    def _read(self, store: Store, after: int, last: int) -> None:
        parts, surplus = [], list[int]()
        query = (
            f"SELECT {GAME_COLUMNS}, surplus, outcomes <> '' FROM games"
            " WHERE number > ? AND number <= ? ORDER BY number"
        )
        for *cells, left_out, chance in store.columns(query, after, last):
            parts.append(game_part(cells, self._codes))
            numbers = parts[-1]["number"]
            surplus += numbers[np.array(left_out, bool)].tolist()
            self._chance = self._chance or any(chance)
        if not parts:
            self.last = last
            return
        new = joined(parts, GAME_PARTS)
        self._read_seats(store, new, after, last)
        self._games = joined([self._games, new], GAME_PARTS)
        self._surplus = np.union1d(self._surplus, np.array(surplus, np.int64))
        for host, count in hosts_of(store, after, last):
            self.hosts[host] = self.hosts.get(host, 0) + count
        for table, columns in EVENTS:
            where = "f.game > ? AND f.game <= ?"
            self._events[table] += events_of(store, table, columns, where, after, last)
        self.last = last

    def _read_seats(self, store: Store, games: dict[str, Ints], after: int, last: int) -> None:
        parts, place = [self._seats], {name: i for i, name in enumerate(SEAT)}
        where = "WHERE game > ? AND game <= ?"
        query = f"SELECT game, seat, {', '.join(map(column, SEAT))} FROM seats {where}"
        for number, seat, *cells in store.columns(query, after, last):
            of_seat = {name: cells[i] for name, i in place.items()}
            part = seat_part(of_seat, of_seat["engine"], self._engines, self._failures)
            numbers = {"game": np.array(number, np.int64), "seat": np.array(seat, np.int8)}
            parts.append(part | numbers)
        self._seats = joined(parts, SEAT_PARTS)
        stages, groups = (list(self._codes[name]) for name in ("stage", "group"))
        query = f"SELECT game, engine, ms FROM seats {where} AND {self._times.condition(last)}"
        rows = store.rows(query, after, last)
        at = np.searchsorted(games["number"], [row[0] for row in rows])
        stage, group = games["stage"][at].tolist(), games["group"][at].tolist()
        for (game, engine, data), s, g in zip(rows, stage, group, strict=True):
            if data:
                self._times.add((stages[s], groups[g], engine), game, data)

    def leave_out(self, numbers: Iterable[int]) -> None:
        """Let exactly the games of these numbers not count."""
        self._surplus = np.array(sorted(numbers), np.int64)

    def engines(self, store: Store) -> None:
        """Read the engines, if there are other ones."""
        [(count,)] = store.rows("SELECT COUNT(*) FROM engines")
        if count != self._stored:
            self._stored, self._named = count, Named(*engines_of(store))

    def results(self, meta: Meta, trials: tuple[TrialRecord, ...]) -> Results:
        """Return the games that count as frames; their times are a sample where they are many."""
        listed = meta.stages
        counted = ~np.isin(self._games["number"], self._surplus)
        chosen = {name: values[counted] for name, values in self._games.items()}
        games = games_frame(chosen, self._codes, listed)
        failures, claims = (self._event_frame(table, columns, listed) for table, columns in EVENTS)
        return Results(
            self.folder,
            games,
            self._seats_of(games),
            self._times_by_name(),
            failures,
            claims,
            self._named.frame,
            self._named.parameters,
            Meta(meta),
            int((~counted).sum()),
            self._chance,
            trials,
        )

    def _event_frame(self, table: str, columns: Sequence[str], listed: list[str]) -> pd.DataFrame:
        left_out = set(self._surplus.tolist())
        rows = [row for row in self._events[table] if row[0] not in left_out]
        return events_frame(rows, columns, self._named.names, listed)

    def _seats_of(self, games: pd.DataFrame) -> pd.DataFrame:
        numbers = games["number"].to_numpy(np.int64)
        row_of = np.full(self.last + 1, -1, np.int64)
        row_of[numbers] = np.arange(len(games))
        row = row_of[self._seats["game"].astype(np.int64)]
        columns = {name: values[row >= 0] for name, values in self._seats.items()}
        columns["game"] = row[row >= 0]
        names = self._named.names
        engines = Codes({names.get(one, one): code for one, code in self._engines.items()})
        return seats_frame(columns, engines, self._failures, games, list(names.values()))

    def _times_by_name(self) -> Times:
        names = self._named.names
        times = self._times.times(set(self._surplus.tolist())).items()
        return {(stage, group, names.get(one, one)): ms for (stage, group, one), ms in times}


def hosts_of(store: Store, after: int, last: int) -> list[tuple[str, int]]:
    """Return which machine has played how many of some games; nothing in a run that does not note it."""
    query = "SELECT host, COUNT(*) FROM hosts WHERE game > ? AND game <= ? GROUP BY host"
    return [(str(host), count) for host, count in store.rows(query, after, last)]
