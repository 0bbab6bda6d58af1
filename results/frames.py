"""A stored run as pandas frames: the source of every table, plot and report."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from joute.engines.record import KINDS, TERMINATIONS, TrialRecord
from joute.results.database import CLAIM, SEAT, column
from joute.results.meta import Meta
from joute.results.moves import unpacked
from joute.results.own_networks import at_home
from joute.results.store import Store

Value: TypeAlias = float | int | str
Ints: TypeAlias = NDArray[np.integer[Any]]
Times: TypeAlias = dict[tuple[str, str, str], NDArray[np.float32]]

FAILURE = ("ply", "kind", "text")
EVENTS = (("failures", FAILURE), ("claims", (*CLAIM,)))
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
_WORK = (*KINDS, "slow", "nodes_per_move")


def standings_columns(players: int) -> tuple[str, ...]:
    """Return the columns of the standings after `WHO`: wins, draws and losses of two players,
    counts of first, second, ... places of more.
    """
    if players <= 2:
        return (*_COUNTS, *_STRENGTH, *_BY_SEAT, *_WORK)
    return ("games", *PLACES[:players], *MEAN_RANK, *_STRENGTH, *_WORK)


TAKEN = {*WHO, *standings_columns(2), *standings_columns(len(PLACES)), *ENGINE_COLUMNS}


@dataclass(frozen=True, eq=False)
class Results:
    """All games of a run that count, in schedule order, with engines by name.

    `games`: one row a game; `number` is the store's, by which `texts` finds its id and all that is
    long; openings, lines (`digest`) and blocks are numbers too, equal ones for equal ones; `opened`
    counts the plies of the opening. `seats`: one row a seat, in the order of games, with the stage,
    group, block and order of its game (`game`: its row in `games`). `times`: milliseconds of all
    moves by (stage, group, engine). `failures`: id of the game, seat, ply, kind, text. `claims`: id
    of the game, seat, and the player's claim (`joute.engines.record.Claim`). `engines`: one row an
    entrant, its parameters as columns (`parameters` names them; None where it has no such
    parameter). `surplus` counts the games that were left out; `chance`: whether any game has chance
    outcomes; `has_margins`: whether a referee said points.
    """

    folder: Path
    games: pd.DataFrame
    seats: pd.DataFrame
    times: Times
    failures: pd.DataFrame
    claims: pd.DataFrame
    engines: pd.DataFrame
    parameters: tuple[str, ...]
    meta: Meta
    surplus: int
    chance: bool = False
    trials: tuple[TrialRecord, ...] = ()
    has_margins: bool = False

    @cached_property
    def search(self) -> dict[str, Any] | None:
        """The notes on the search of a scan or tune study; None for other kinds."""
        return self.meta.search

    @cached_property
    def training(self) -> list[dict[str, Any]]:
        """The notes on the generations of a training run, in their order; empty for other kinds."""
        return self.meta.generations

    @cached_property
    def training_search(self) -> dict[str, Any] | None:
        """The notes on a training search: its axes, the study's own point, entries (a training
        each) and the final duels. None for other kinds, and before the first training has ended.
        """
        return self.meta.training_search

    def adaptive(self, stage: str) -> bool:
        """Whether the pairings of a stage followed from results, so that opponents differ in strength:
        its ratings can be compared, its scores cannot.
        """
        return stage in self.meta.adaptive

    @cached_property
    def matches(self) -> Results:
        """The games without those of a search, in which hundreds of engines play a little each; of a
        training run those of its last stage, of a search among trainings those of the end.
        """
        if self.training:
            return self.only(self.stages[-1:])
        if self.training_search:
            return self.only(self.finals or self.stages[-1:])
        if self.search is None:
            return self
        return self.only([stage for stage in self.stages if stage != self.search["stage"]])

    def only(self, stages: Sequence[str]) -> Results:
        """Return the games of some stages, with the engines that played them."""

        if set(stages) == set(self.stages):
            return self
        games = self.games[self.games["stage"].isin(stages)]
        seats = self.seats[self.seats["stage"].isin(stages)]
        place = np.zeros(len(self.games), np.int64)
        place[games.index] = np.arange(len(games))
        seats = seats.assign(game=place[seats["game"]])
        engines = self.engines[self.engines["name"].isin(seats["engine"].unique())]
        failures = self.failures[self.failures["stage"].isin(stages)]
        claims = self.claims[self.claims["stage"].isin(stages)]
        return replace(
            self,
            games=games.reset_index(drop=True),
            seats=seats.reset_index(drop=True),
            times={key: ms for key, ms in self.times.items() if key[0] in stages},
            failures=failures.reset_index(drop=True),
            claims=claims.reset_index(drop=True),
            engines=engines.reset_index(drop=True),
        )

    @cached_property
    def stages(self) -> list[str]:
        """Stages that have games, in their order."""
        return [str(stage) for stage in self.games["stage"].unique()]

    @cached_property
    def finals(self) -> list[str]:
        """Of a search among trainings, the stages in which the best settings meet the study's own."""
        duels = {duel["name"] for duel in (self.training_search or {}).get("duels", [])}
        return [stage for stage in self.stages if stage in duels]

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
        return of(frame, "stage", stage)

    def groups(self, stage: str) -> list[str]:
        """Groups of a stage, in schedule order; a stage that is not divided has the group ""."""
        return [str(group) for group in self.of_stage(self.games, stage)["group"].unique()]

    def texts(self, columns: Sequence[str], begin: int, end: int) -> pd.DataFrame:
        """Return columns of text of the games from row `begin` to `end`, as they are stored."""
        numbers = self.games["number"].to_numpy()[begin:end]
        if not len(numbers):
            return pd.DataFrame({name: pd.Series([], dtype=object) for name in columns})
        named = ", ".join(map(column, columns))
        with Store.again(self.folder) as store:
            rows = store.rows(
                f"SELECT number, {named} FROM games WHERE number BETWEEN ? AND ?",
                int(numbers.min()),
                int(numbers.max()),
            )
        by_number = {row[0]: row[1:] for row in rows}
        cells = [by_number[number] for number in numbers.tolist()]
        return pd.DataFrame(
            {name: pd.Series([row[i] for row in cells], dtype=object)
             for i, name in enumerate(columns)}
        )  # fmt: skip


def of(frame: pd.DataFrame, name: str, value: str) -> pd.DataFrame:
    """Return the rows of a frame with this value in a column; the frame itself where all have it."""
    mask = frame[name] == value
    return frame if mask.all() else frame[mask]


def load(folder: Path | str) -> Results:
    """Read the run in `folder`; surplus games are counted and left out."""
    with Store.open(folder) as store, store.snapshot():
        meta = store.meta()
        engines, parameters, names = engines_of(store)
        games = _games(store, meta.stages)
        seats, times = _seats(store, games, names)
        failures, claims = (
            events_frame(
                events_of(store, table, columns, "NOT g.surplus"), columns, names, meta.stages
            )
            for table, columns in EVENTS
        )
        [(surplus,)] = store.rows("SELECT COUNT(*) FROM games WHERE surplus")
        [(chance,)] = store.rows("SELECT EXISTS (SELECT 1 FROM games WHERE outcomes <> '')")
        [(margins,)] = store.rows("SELECT EXISTS (SELECT 1 FROM margins)")
        trials = tuple(store.trials())
    return Results(
        Path(folder), games, seats, times, failures, claims, engines, parameters, meta, int(surplus),
        bool(chance), trials, bool(margins),
    )  # fmt: skip


def column_of(values: list[Any]) -> pd.Series:
    """Return a column; text stays plain objects, so that nothing turns into a missing value."""
    numeric = values and not isinstance(values[0], str)
    return pd.Series(values, dtype=None if numeric else object)


class Codes(dict[str, int]):
    """Numbers texts as they come."""

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self)
        return number

    def of(self, texts: Sequence[str]) -> Ints:
        """Return the number of each text."""
        return np.fromiter(map(self.__getitem__, texts), np.int32, len(texts))

    def categories(self, codes: Ints, order: Sequence[str]) -> pd.Categorical[str]:
        """Return texts for their numbers: those that the order does not name, by the alphabet, then those
        that it names.
        """
        named = sorted(text for text in self if text not in set(order))
        named += [text for text in order if text in self]
        place = np.zeros(max(1, len(self)), np.int32)
        for i, text in enumerate(named):
            place[self[text]] = i
        return pd.Categorical.from_codes(place[codes], categories=pd.Index(named, dtype=object))


TEXTS = ("stage", "group", "termination", "block", "opening", "digest")
OPENING = TEXTS.index("opening")
NUMBERS = ("number", "round", "order", "seating", "plies")
GAME_COLUMNS = ", ".join(map(column, (*TEXTS, *NUMBERS)))
GAME_PARTS = (*TEXTS, *NUMBERS, "opened")
SEAT_PARTS = (
    *("game", "seat", "engine", "rank", "returns", "failure", "failure_ply", "nodes", "plies"),
)


def _games(store: Store, listed: list[str]) -> pd.DataFrame:
    """Return the games that count; `stage` and `group` as categories, longer texts as numbers."""
    codes = {name: Codes() for name in TEXTS}
    query = f"SELECT {GAME_COLUMNS} FROM games WHERE NOT surplus ORDER BY number"
    parts = [game_part(cells, codes) for cells in store.columns(query)]
    return games_frame(joined(parts, GAME_PARTS), codes, listed)


def game_part(cells: Sequence[Sequence[Any]], codes: dict[str, Codes]) -> dict[str, Ints]:
    """Return some games, as columns of `GAME_COLUMNS`, as numbers: texts by their codes."""
    texts = {name: codes[name].of(cells[i]) for i, name in enumerate(TEXTS)}
    numbers = {name: np.array(cells[len(TEXTS) + i], np.int64) for i, name in enumerate(NUMBERS)}
    plies = {text: len(text.partition(" moves ")[2].split()) for text in {*cells[OPENING]}}
    opened = np.fromiter(map(plies.__getitem__, cells[OPENING]), np.int32, len(cells[OPENING]))
    return texts | numbers | {"opened": opened}


def games_frame(
    columns: dict[str, Ints], codes: dict[str, Codes], listed: Sequence[str]
) -> pd.DataFrame:
    """Return the games of such numbers as a frame, in schedule order."""
    games = pd.DataFrame(columns, copy=False)
    for name, order in (("stage", listed), ("group", ()), ("termination", TERMINATIONS)):
        games[name] = codes[name].categories(games[name].to_numpy(), order)
    if not len(games):
        return games
    keys = [games["stage"].cat.codes, games["order"], games["seating"]]
    return in_order(games, [key.to_numpy(np.int64) for key in keys])


def in_order(frame: pd.DataFrame, keys: Sequence[Ints]) -> pd.DataFrame:
    """Return a frame with its rows in order of keys, the first of them first."""
    order = np.lexsort(keys[::-1])
    if (order == np.arange(len(order))).all():
        return frame
    return frame.take(order).reset_index(drop=True)


def small(values: Sequence[int]) -> Ints:
    """Return whole numbers in 32 bits each, or in 64 where one needs them."""
    numbers = np.array(values, np.int64)
    fits = not len(numbers) or -(2**31) <= numbers.min() <= numbers.max() < 2**31
    return numbers.astype(np.int32) if fits else numbers


def joined(parts: Sequence[Mapping[str, Any]], names: Iterable[str]) -> dict[str, Any]:
    """Return the columns of some parts, one below the other."""
    empty = np.zeros(0, np.int64)
    return {name: np.concatenate([part[name] for part in parts] or [empty]) for name in names}


def _seats(store: Store, games: pd.DataFrame, names: dict[str, str]) -> tuple[pd.DataFrame, Times]:
    """Return the seats of these games, in their order, and the times of their moves."""
    numbers = games["number"].to_numpy()
    row_of = np.full(int(numbers.max(initial=0)) + 1, -1, np.int32)
    row_of[numbers] = np.arange(len(games))
    stages, groups = games["stage"].tolist(), games["group"].tolist()
    engines, failures = Codes(), Codes()
    times: dict[tuple[str, str, str], list[NDArray[np.float32]]] = {}
    parts: list[dict[str, Any]] = []
    for number, seat, *cells, ms in store.columns("SELECT * FROM seats"):
        of_seat = dict(zip(SEAT, cells, strict=True))
        engine_names = [names.get(engine, engine) for engine in of_seat["engine"]]
        place = np.array(number)
        game = np.where(
            place < len(row_of), row_of[np.minimum(place, len(row_of) - 1)], np.int32(-1)
        )
        spent: dict[tuple[str, str, str], list[bytes]] = {}
        for row, engine, data in zip(game.tolist(), engine_names, ms, strict=True):
            if row >= 0 and data:
                spent.setdefault((stages[row], groups[row], engine), []).append(data)
        for key, data in spent.items():
            times.setdefault(key, []).append(unpacked(b"".join(data)))
        counted = game >= 0
        part = seat_part(of_seat, engine_names, engines, failures) | {
            "game": game,
            "seat": np.array(seat, np.int8),
        }
        parts.append({name: values[counted] for name, values in part.items()})
    columns = joined(parts, SEAT_PARTS)
    parts.clear()
    seats = seats_frame(columns, engines, failures, games, list(names.values()))
    return seats, {key: np.concatenate(chunks) for key, chunks in times.items()}


def seat_part(
    cells: Mapping[str, Sequence[Any]], engine_names: Sequence[str], engines: Codes, failures: Codes
) -> dict[str, Any]:
    """Return seats as numbers, by column; `engine_names` has the engine in each seat."""
    return {
        "engine": engines.of(engine_names),
        "rank": np.array(cells["rank"], float),
        "returns": np.array(cells["returns"], float),
        "failure": failures.of(cells["failure"]),
        "failure_ply": small(cells["failure_ply"]),
        "nodes": np.array(cells["nodes"], np.int64),
        "plies": small(cells["plies"]),
    }


def seats_frame(
    columns: dict[str, Any],
    engines: Codes,
    failures: Codes,
    games: pd.DataFrame,
    names: Sequence[str],
) -> pd.DataFrame:
    """Return the seats of such numbers as a frame, in the order of their games (`game`: their rows)."""
    seats = pd.DataFrame(columns, copy=False)
    for name, codes, order in (("engine", engines, names), ("failure", failures, ())):
        seats[name] = codes.categories(seats[name].to_numpy(), list(order))
    seats = in_order(seats, [seats["game"].to_numpy(), seats["seat"].to_numpy()])
    game = seats["game"].to_numpy()
    for name in ("stage", "group", "block", "order"):
        seats[name] = games[name].array.take(game)
    return seats


EVENT = "g.number, g.order_, g.seating, g.stage, g.grp, g.id, f.seat, s.engine"


def events_of(
    store: Store, table: str, columns: Sequence[str], where: str, *values: object
) -> list[Any]:
    """Return the rows of a table about seats, after `EVENT`, in games for which a condition holds."""
    fields = "".join(f", f.{name}" for name in columns)
    return store.rows(
        f"SELECT {EVENT}{fields} FROM {table} f JOIN games g ON g.number = f.game"
        f" JOIN seats s ON s.game = f.game AND s.seat = f.seat WHERE {where}",
        *values,
    )


def events_frame(
    rows: list[Any], columns: Sequence[str], names: Mapping[str, str], listed: Sequence[str]
) -> pd.DataFrame:
    """Return such rows as a frame, in schedule order."""
    place = {stage: i for i, stage in enumerate(listed)}
    rows = sorted(rows, key=lambda r: (place.get(r[3], -1), r[3], r[1], r[2], r[6]))
    every = ("stage", "group", "game", "seat", "engine", *columns)
    table = {name: column_of([row[i] for row in rows]) for i, name in enumerate(every, 3)}
    table["engine"] = column_of([names.get(row[7], row[7]) for row in rows])
    return pd.DataFrame(table)


def engines_of(store: Store) -> tuple[pd.DataFrame, tuple[str, ...], dict[str, str]]:
    """Return the engines, but for those that have left, the names of their parameters' columns, and their
    names by id.
    """
    rows = store.rows("SELECT name, spec, id, digest, parameters FROM engines")
    parsed, left = [], store.meta().left
    for name, spec, engine, digest, parameters in rows:
        if engine in left:
            continue
        text, settings = at_home(spec, json.loads(parameters), store.path.parent)
        parsed.append((name, text, engine, digest, settings))
    used = sorted({name for row in parsed for name in row[4]})
    free = {name: _free(name) for name in used}
    parsed.sort(key=lambda row: ([_sortable(row[4].get(name)) for name in used], row[0]))
    frame = pd.DataFrame(
        {name: column_of([row[i] for row in parsed]) for i, name in enumerate(ENGINE_COLUMNS)}
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
