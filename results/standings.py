"""Who stands where: the standings of a stage with their intervals, and the crosstable."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from engines.record import FAILURES
from results.frames import STANDINGS_COLUMNS, Results
from results.ratings import Ratings, davidson, ties_with_best
from results.statistics import Estimate, estimate, estimate_means, pair_counts

CROSSTABLE_COLUMNS = ("stage", "group", "engine", "opponent", "games", "score_percent")


@dataclass(frozen=True, eq=False)
class Group:
    """The games of one group of one stage: its seats, its entrants, and their ratings."""

    stage: str
    name: str
    seats: pd.DataFrame
    engines: list[str]
    ratings: Ratings | None

    def blocks(self, engine: str) -> list[float]:
        """Mean return of the engine in each of its blocks, in schedule order."""
        mine = self.seats[self.seats["engine"] == engine]
        return [float(x) for x in mine.groupby("block", sort=False)["returns"].mean()]

    def estimate(self, engine: str) -> Estimate:
        """Score of the engine in its blocks, with its interval."""
        values = self.blocks(engine)
        if self.paired:
            return estimate(pair_counts(values))
        return estimate_means(values, elo=self.ratings is not None)

    @cached_property
    def paired(self) -> bool:
        """Whether every block is a pair of games between two players."""
        sizes = self.seats.groupby("block", sort=False)["game"].agg(["size", "nunique"])
        return bool(len(sizes)) and bool(((sizes["size"] == 4) & (sizes["nunique"] == 2)).all())


def groups_of(results: Results, stage: str) -> list[Group]:
    """Return the groups of a stage, in schedule order, each rated by itself."""
    seats = results.of_stage(results.seats, stage)
    games = results.of_stage(results.games, stage)
    known = {name: i for i, name in enumerate(results.engines["name"])}
    found = []
    for name in results.groups(stage):
        inside = seats[seats["group"] == name]
        engines = sorted(set(inside["engine"]), key=lambda e: (known.get(e, len(known)), e))
        ratings = _ratings(inside, games[games["group"] == name], engines)
        found.append(Group(stage, name, inside, engines, ratings))
    return found


def _ratings(seats: pd.DataFrame, games: pd.DataFrame, engines: list[str]) -> Ratings | None:
    """Davidson ratings of the entrants; None where the games have more than two players."""
    if not len(seats) or seats["seat"].max() != 1:
        return None
    index = {name: i for i, name in enumerate(engines)}
    first, second = (seats[seats["seat"] == seat] for seat in (0, 1))
    # Round r gives the same opening to all pairings: their games are not independent. Where all
    # games start alike, the block is all there is to go by.
    key = "opening" if games["opening"].nunique() > 1 else "block"
    one = first["engine"].map(index).to_numpy(int)
    two = second["engine"].map(index).to_numpy(int)
    apart = one != two
    cluster = games[key].factorize()[0]
    result = first["returns"].to_numpy(float)
    return davidson(one[apart], two[apart], result[apart], cluster[apart], engines)


def standings_table(results: Results, stage: str) -> pd.DataFrame:
    """Return the standings of a stage, one row an engine, ranked inside each group.

    `los_vs_best` is the chance that the engine is really stronger than the first of its group; an
    engine is `tied_with_best` when the games cannot tell it from the first. None: cannot be said.
    """
    rows = [row for group in groups_of(results, stage) for row in _ranked(results, group)]
    columns = [*STANDINGS_COLUMNS[:4], *results.grid, *STANDINGS_COLUMNS[4:]]
    return pd.DataFrame(
        {column: pd.Series([row[column] for row in rows], dtype=object) for column in columns}
    )


def _ranked(results: Results, group: Group) -> list[dict[str, Any]]:
    ratings = group.ratings
    best, ties = _best(group)
    slow = _slow_moves(results, group)
    rows = []
    for i, engine in enumerate(group.engines):
        mine = group.seats[group.seats["engine"] == engine]
        found = group.estimate(engine)
        interval = ratings.interval(i) if ratings else None
        row = {
            "stage": group.stage,
            "group": group.name,
            "engine": engine,
            **{p: results.values.get(engine, {}).get(p) for p in results.grid},
            **_counts(mine),
            "score": found.score,
            "score_low": found.score_low,
            "score_high": found.score_high,
            "elo": float(ratings.elo[i]) if ratings and interval else None,
            "elo_low": interval[0] if interval else None,
            "elo_high": interval[1] if interval else None,
            "los_vs_best": ratings.difference(i, best).los if ratings and i != best else None,
            "tied_with_best": ties[i],
            "blocks": found.blocks,
            "slow": slow.get(engine, 0) if slow is not None else None,
        }
        rows.append(row)
    rows.sort(key=lambda row: _strength(row, group.engines[best]))
    for place, row in enumerate(rows, 1):
        row["rank"] = place
    return rows


def _best(group: Group) -> tuple[int, list[bool]]:
    """Place of the strongest entrant, and which entrants cannot be told from it."""
    if group.ratings is not None and len(group.engines) > 1:
        return int(np.argmax(group.ratings.elo)), ties_with_best(group.ratings)
    found = [group.estimate(engine) for engine in group.engines]
    best = max(range(len(found)), key=lambda i: found[i].score)
    return best, [one.score_high >= found[best].score_low for one in found]


def _strength(row: dict[str, Any], best: str) -> tuple[bool, float, float]:
    """Sort key, best first; equal ones stay in the order of their parameters."""
    elo = row["elo"] if row["elo"] is not None else 0.0
    return (row["engine"] != best, -round(elo, 6), -row["score"])


def _counts(mine: pd.DataFrame) -> dict[str, Any]:
    """Count the games of an engine; with more than two players, won means alone in first place."""
    won, lost = mine["returns"] == 1, mine["returns"] == 0
    first, moves = mine["seat"] == 0, int(mine["plies"].sum())
    return {
        "games": len(mine),
        "wins": int(won.sum()),
        "draws": int((~won & ~lost).sum()),
        "losses": int(lost.sum()),
        "games_first": int(first.sum()),
        "wins_first": int((won & first).sum()),
        "wins_second": int((won & ~first).sum()),
        **{kind: int((mine["failure"] == kind).sum()) for kind in FAILURES},
        "nodes_per_move": int(mine["nodes"].sum()) / moves if moves else None,
    }


def _slow_moves(results: Results, group: Group) -> dict[str, int] | None:
    """Moves of each engine over the study's `slow_after_ms`; None where it names no such limit."""
    limit = results.number("slow_after_ms")
    if limit is None:
        return None
    times = results.times
    mine = times[(times["stage"] == group.stage) & (times["group"] == group.name)]
    slow = pd.Series([int((ms > limit).sum()) for ms in mine["ms"]], index=mine.index, dtype=int)
    return {str(engine): int(n) for engine, n in slow.groupby(mine["engine"]).sum().items()}


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
    columns = group.seats[["game", "seat", "engine", "rank"]]
    pairs = columns.merge(columns, on="game", suffixes=("", "_other"))
    pairs = pairs[pairs["engine"] != pairs["engine_other"]]
    ahead = (pairs["rank"] < pairs["rank_other"]) + (pairs["rank"] == pairs["rank_other"]) / 2
    found = ahead.groupby([pairs["engine"], pairs["engine_other"]]).agg(["size", "mean"])
    scores = {key: (int(n), 100 * float(mean)) for key, n, mean in found.itertuples()}
    ranked = [row["engine"] for row in _ranked(results, group)]
    return [
        (group.stage, group.name, one, other, *scores[one, other])
        for one in ranked
        for other in ranked
        if (one, other) in scores
    ]
