"""Standings of a stage with their intervals, and the crosstable."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from joute.engines.record import KINDS
from joute.results.frames import MEAN_RANK, PLACES, WHO, Ints, Results, of, standings_columns
from joute.results.ratings.ratings import ROUNDED, EloInterval, Ratings, ties_with_best
from joute.results.statistics import Estimate, estimate, estimate_means, is_sure, pair_counts

CROSSTABLE_COLUMNS = ("stage", "group", "engine", "opponent", "games", "score_percent")


@dataclass(frozen=True, eq=False)
class Group:
    """The games of one group of one stage: its seats, its entrants, and their ratings, fitted on
    first use.
    """

    stage: str
    name: str
    seats: pd.DataFrame
    engines: list[str]
    games: pd.DataFrame

    @cached_property
    def ratings(self) -> Ratings | None:
        """Ratings of the entrants: Bradley-Terry for two players, Plackett-Luce for more; None without
        games.
        """
        return _ratings(self, self.games)

    @property
    def is_duel(self) -> bool:
        """Whether just two engines have played, copies of them where there are more seats."""
        return len(self.engines) == 2 and len(self.seats) > 0

    def blocks(self, engine: str) -> list[float]:
        """Mean return of the engine in each of its blocks, in schedule order."""
        mask = self.who == self.engines.index(engine)
        return means(self._block[mask], self.seats["returns"].to_numpy()[mask])

    def estimate(self, engine: str) -> Estimate:
        """Score of the engine in its blocks, with its interval."""
        values = self.blocks(engine)
        if self.paired:
            return estimate(pair_counts(values))
        return estimate_means(values, elo=self.players == 2)

    def versus(self, one: str, other: str) -> Estimate:
        """How often an engine finishes before another where both play, ties half, by blocks; for
        two players this is its score.
        """
        if self.players == 2 and set(self.engines) == {one, other}:
            return self.estimate(one)
        met = self.meetings
        mask = (met.one == self.engines.index(one)) & (met.other == self.engines.index(other))
        block = np.broadcast_to(self._by_game(self._block)[:, :1], mask.shape)
        ahead = means(block[mask], met.ahead[mask])
        return estimate_means(ahead, elo=self.is_duel, pairs=self.paired)

    @cached_property
    def players(self) -> int:
        """Seats of a game (2 if nothing was played)."""
        return int(self.seats["seat"].max()) + 1 if len(self.seats) else 2

    @cached_property
    def who(self) -> Ints:
        """The engine in each row of `seats`, as an index in `engines`."""
        names = self.seats["engine"].astype(pd.CategoricalDtype(self.engines))
        return np.asarray(names.cat.codes, np.int64)

    @cached_property
    def _block(self) -> Ints:
        """The block of each row of `seats`, numbered in schedule order."""
        return np.asarray(pd.factorize(self.seats["block"])[0], np.int64)

    def _by_game(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return values of the rows of `seats` as a table: a row a game, a column a seat."""
        return rows.reshape(-1, self.players)

    @cached_property
    def places(self) -> pd.DataFrame:
        """For every seat the share of each place: seats that tie for some places take equal parts
        of each.
        """
        rank = self._by_game(self.seats["rank"].to_numpy(float))
        tied = (rank[:, :, None] == rank[:, None, :]).sum(axis=2)
        first, last = rank - (tied - 1) / 2, rank + (tied - 1) / 2
        return pd.DataFrame(
            {
                name: (((first <= place) & (place <= last)) / tied).ravel()
                for place, name in enumerate(PLACES[: self.players], 1)
            },
            index=self.seats.index,
        )

    @cached_property
    def meetings(self) -> Meetings:
        """Each engine with each other in each game."""
        seat = self._by_game(self.who)
        rank = self._by_game(self.seats["rank"].to_numpy(float))
        pairs = list(permutations(range(self.players), 2))
        one, other = [i for i, _ in pairs], [j for _, j in pairs]
        level = (rank[:, one] == rank[:, other]) / 2
        return Meetings(seat[:, one], seat[:, other], (rank[:, one] < rank[:, other]) + level)

    @cached_property
    def gauntlet_of(self) -> str | None:
        """The engine that has met each of two others or more, who have not met each other; None where
        there is none, or more than two play.
        """
        if len(self.engines) < 3:
            return None
        met, count = self.meetings, len(self.engines)
        codes = np.unique(met.one * count + met.other)
        pairs = {frozenset(divmod(int(code), count)) for code in codes}
        pairs = {pair for pair in pairs if len(pair) == 2}  # copies meet, too
        for i, engine in enumerate(self.engines):
            if pairs == {frozenset((i, other)) for other in range(count) if other != i}:
                return engine
        return None

    @cached_property
    def paired(self) -> bool:
        """Whether every block is a pair of games between two players."""
        return (
            self.players == 2
            and bool(len(self.seats))
            and bool((np.bincount(self._block) == 4).all())
        )


class Meetings(NamedTuple):
    """Meetings of entrants: a row a game, a column an ordered pair of seats. `one` and `other` are
    numbers of engines, equal ones where copies meet; `ahead` is 1 where one finished before the
    other, 1/2 where they are level.
    """

    one: Ints
    other: Ints
    ahead: NDArray[np.float64]


def means(group: NDArray[Any], values: NDArray[Any]) -> list[float]:
    """Return the mean of the values of each group that has any, in the order of the groups' numbers."""
    count = np.bincount(group)
    total = np.bincount(group, values)
    means: list[float] = (total[count > 0] / count[count > 0]).tolist()
    return means


def groups_of(results: Results, stage: str) -> list[Group]:
    """Return the groups of a stage, in schedule order, made once."""
    known = _groups.setdefault(results, {})
    if stage not in known:
        known[stage] = _grouped(results, stage)
    return known[stage]


_groups: WeakKeyDictionary[Results, dict[str, list[Group]]] = WeakKeyDictionary()


def _grouped(results: Results, stage: str) -> list[Group]:
    seats = results.of_stage(results.seats, stage)
    games = results.of_stage(results.games, stage)
    known = {name: i for i, name in enumerate(results.engines["name"])}
    grouped = []
    for name in results.groups(stage):
        inside = of(seats, "group", name)
        engines = [str(engine) for engine in inside["engine"].unique()]
        engines.sort(key=lambda e: (known.get(e, len(known)), e))
        grouped.append(Group(stage, name, inside, engines, of(games, "group", name)))
    return grouped


def _ratings(group: Group, games: pd.DataFrame) -> Ratings | None:
    if not len(group.seats):
        return None
    # Round r gives the same opening to all tables: their games are not independent. In games of
    # chance a start may come again in another round, and goes on otherwise; where all games start
    # alike, the block is all there is to go by.
    alike = games["opening"].nunique() == 1
    keys = ["block"] if alike else ["opening", "round"]
    cluster = games.groupby(keys, sort=False).ngroup().to_numpy()
    players = group.players
    ids = group.who.reshape(-1, players)
    if players > 2:
        from joute.results.ratings.plackett_luce import plackett_luce

        ranks = group.seats["rank"].to_numpy(float).reshape(-1, players)
        return plackett_luce(ids, ranks, cluster, group.engines)
    from joute.results.ratings.bradley_terry import bradley_terry

    apart = ids[:, 0] != ids[:, -1]
    result = group.seats["returns"].to_numpy(float).reshape(-1, players)[:, 0]
    return bradley_terry(
        ids[apart, 0], ids[apart, -1], result[apart], cluster[apart], group.engines
    )


def standings_table(results: Results, stage: str) -> pd.DataFrame:
    """Return the standings of a stage, one row an engine, ranked inside each group. Two players
    have wins, draws and losses; more have counts of each place and their mean rank.

    `los_vs_best` is the chance that the engine is really stronger than the first of its group; an
    engine is `tied_with_best` when the games cannot tell it from the first. None: unknown, as the
    `elo` of an engine to whose strength the games set no limit. The parameters come last: there may
    be many.
    """
    rows = [row for group in groups_of(results, stage) for row in _ranked(results, group)]
    columns = [*WHO, *standings_columns(results.players), *results.grid]
    return pd.DataFrame(
        {column: pd.Series([row[column] for row in rows], dtype=object) for column in columns}
    )


def _ranked(results: Results, group: Group) -> list[dict[str, Any]]:
    """Return the rows of a group, made once: several tables of a page begin with them."""
    known: dict[str, Any] = vars(group)
    if "_rows" not in known:
        known["_rows"] = _made_rows(results, group)
    rows: list[dict[str, Any]] = known["_rows"]
    return rows


def _made_rows(results: Results, group: Group) -> list[dict[str, Any]]:
    ratings = None if group.is_duel else group.ratings  # which need not be fitted
    best, ties = _best(group)
    slow = _slow_moves(results, group)
    rows = []
    for i, engine in enumerate(group.engines):
        seats = group.seats[group.who == i]
        estimated = group.estimate(engine)
        elo, los = EloInterval(None, None, None), None
        if ratings is not None:
            elo, los = ratings.elo_interval(i), ratings.difference(i, best).los
        elif group.is_duel:
            duel = group.versus(engine, group.engines[1 - i])
            elo, los = _apart(duel), duel.los
        row = {
            "stage": group.stage,
            "group": group.name,
            "engine": engine,
            **{p: results.values.get(engine, {}).get(p) for p in results.grid},
            **_counts(seats),
            **(_places(group, engine, estimated) if group.players > 2 else {}),
            "score": estimated.score,
            "score_low": estimated.score_low,
            "score_high": estimated.score_high,
            "elo": elo.elo,
            "elo_low": elo.low,
            "elo_high": elo.high,
            "rating": float(ratings.elo[i]) if ratings else 0.0,
            "los_vs_best": los if i != best else None,
            "tied_with_best": ties[i],
            "blocks": estimated.blocks,
            "slow": slow.get(engine, 0) if slow is not None else None,
        }
        rows.append(row)
    rows.sort(key=lambda row: _strength(row, group.engines[best]))
    for place, row in enumerate(rows, 1):
        row["rank"] = place
    return rows


def _apart(duel: Estimate) -> EloInterval:
    """Return the Elo of one of two engines above the other, from its score: a match says one thing wherever
    it says it. As in ratings, no Elo where an end is without limit.
    """
    low, high = duel.elo_low, duel.elo_high
    return EloInterval(None if low is None or high is None else duel.elo, low, high)


def _best(group: Group) -> tuple[int, list[bool]]:
    """Return the index of the strongest entrant, and which entrants cannot be told from it."""
    if group.is_duel:
        duel = group.versus(*group.engines)
        best = int(duel.score < 0.5)
        return best, [i == best or not is_sure(duel) for i in range(2)]
    if group.ratings is not None and len(group.engines) > 1:
        return group.ratings.best, ties_with_best(group.ratings)
    estimates = [group.estimate(engine) for engine in group.engines]
    best = max(range(len(estimates)), key=lambda i: estimates[i].score)
    return best, [one.score_high >= estimates[best].score_low for one in estimates]


def _strength(row: dict[str, Any], best: str) -> tuple[bool, float, float]:
    """Sort key, best first; equal ones stay in the order of their parameters."""
    return (row["engine"] != best, -round(row["rating"], ROUNDED), -row["score"])


def _counts(seats: pd.DataFrame) -> dict[str, Any]:
    """Count the games of an engine; won, drawn, lost is of interest for two players alone."""
    won, lost = seats["returns"] == 1, seats["returns"] == 0
    first, moves, nodes = seats["seat"] == 0, int(seats["plies"].sum()), int(seats["nodes"].sum())
    return {
        "games": seats["game"].nunique(),
        "wins": int(won.sum()),
        "draws": int((~won & ~lost).sum()),
        "losses": int(lost.sum()),
        "games_first": int(first.sum()),
        "wins_first": int((won & first).sum()),
        "wins_second": int((won & ~first).sum()),
        **{kind: int((seats["failure"] == kind).sum()) for kind in KINDS},
        "nodes_per_move": nodes / moves if nodes else None,
    }


def _places(group: Group, engine: str, estimated: Estimate) -> dict[str, Any]:
    """How often an engine came first, second, ... (copies count each), and its mean rank, which
    follows from the score, (players - rank) / (players - 1), as does its interval.
    """
    counts = group.places[group.who == group.engines.index(engine)].sum().round(2).to_dict()
    ends = (estimated.score, estimated.score_high, estimated.score_low)
    ranks = [group.players - (group.players - 1) * score for score in ends]
    return {str(place): _whole(n) for place, n in counts.items()} | dict(
        zip(MEAN_RANK, ranks, strict=True)
    )


def _whole(number: float) -> float | int:
    return int(number) if number == int(number) else number


def _slow_moves(results: Results, group: Group) -> dict[str, int] | None:
    """Moves of each engine over the study's `slow_after_ms`; None where it names no such limit."""
    limit = results.number("slow_after_ms")
    if limit is None:
        return None
    return {
        engine: int((ms > limit).sum())
        for (stage, name, engine), ms in results.times.items()
        if (stage, name) == (group.stage, group.name)
    }


def crosstable(results: Results, stage: str) -> pd.DataFrame:
    """Return the score of each engine against each other, in percent, one row a pair of them.

    With more than two players an engine scores against those that it finished before.
    """
    rows = [row for group in groups_of(results, stage) for row in _crossed(results, group)]
    return pd.DataFrame(
        {
            column: pd.Series([row[i] for row in rows], dtype=object)
            for i, column in enumerate(CROSSTABLE_COLUMNS)
        }
    )


def _crossed(results: Results, group: Group) -> list[tuple[Any, ...]]:
    met, count = group.meetings, len(group.engines)
    pair = met.one * count + met.other
    pair[met.one == met.other] = -1  # copies
    times = np.bincount(pair[pair >= 0], minlength=count**2)
    total = np.bincount(pair[pair >= 0], met.ahead[pair >= 0], minlength=count**2)
    for i in range(1, pair.shape[1]):  # a game in which they meet several times is one game
        pair[(pair[:, :i] == pair[:, i : i + 1]).any(axis=1), i] = -1
    games = np.bincount(pair[pair >= 0], minlength=count**2)
    scores = {
        (one, other): (int(games[at]), 100 * float(total[at] / times[at]))
        for i, one in enumerate(group.engines)
        for j, other in enumerate(group.engines)
        if games[at := i * count + j]
    }
    ranked = [row["engine"] for row in _ranked(results, group)]
    return [
        (group.stage, group.name, one, other, *scores[one, other])
        for one in ranked
        for other in ranked
        if (one, other) in scores
    ]
