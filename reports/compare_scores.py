"""Engines of two runs held side by side: scores against the same opponents, and luck kept apart.

A block counts for an engine what it scored against one opponent, in [0, 1]; a score is the mean over
the opponents, each counting the same. Blocks that began from the same opening, in one run or in both,
are not independent, so variances are clustered by opening. Differences are B less A.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from results.frames import Results
from results.standings import meetings as meetings_of
from results.statistics import ENOUGH, estimate_means

SAME, CODE, CHANGED, INSTEAD = "same", "code changed", "parameters changed", "another engine"
TINY = 1e-12
"""Differences and standard errors of scores below this are rounding."""


@dataclass(frozen=True)
class Both:
    """An engine of run A and the one of run B that is held against it, by their names there.

    `how`: SAME in text and code, CODE when only the text is, CHANGED when only the name is, INSTEAD
    when each is the only engine (or the finalist of a search) that the other run has not.
    """

    a: str
    b: str
    how: str

    @property
    def fixed(self) -> bool:
        """Whether both have the same canonical text, so that it can measure others."""
        return self.how in (SAME, CODE)

    @property
    def label(self) -> str:
        """One name for both."""
        if self.a == self.b:
            return self.a
        return f"{self.a} (in B: {self.b})" if self.fixed else f"{self.a} → {self.b}"


def matched(a: Results, b: Results) -> list[Both]:
    """Return the engines to be held against each other, in the order of A."""
    known = {spec: (name, digest) for name, spec, digest in _told(b)}
    found, rest = [], []
    for name, spec, digest in _told(a):
        other = known.pop(spec, None)
        if other is None:
            rest.append(name)
        else:
            found.append(Both(name, other[0], SAME if other[1] == digest else CODE))
    left = {name for name, _ in known.values()}
    # The candidates of a search have names by their places: equal ones mean nothing.
    placed = {one["name"] for one in json.loads(a.meta.get("candidates") or "[]")}
    named = (left & set(rest)) - placed
    found += [Both(name, name, CHANGED) for name in rest if name in named]
    rest = [name for name in rest if name not in named]
    left -= {one.b for one in found}
    heads = a.meta.get("finalist", ""), b.meta.get("finalist", "")
    if heads[0] in rest and heads[1] in left:
        found.append(Both(*heads, INSTEAD))
    elif a.search is None and b.search is None and len(rest) == len(left) == 1:
        found.append(Both(rest[0], left.pop(), INSTEAD))
    place = {str(name): i for i, name in enumerate(a.engines["name"])}
    return sorted(found, key=lambda one: place[one.a])


def _told(run: Results) -> list[tuple[str, str, str]]:
    """Name, canonical text and digest of the code of every engine."""
    rows = run.engines[["name", "spec", "digest"]].to_dict("records")
    return [(str(row["name"]), str(row["spec"]), str(row["digest"])) for row in rows]


def meetings(results: Results) -> pd.DataFrame:
    """Return one row for each engine, opponent and block: stage, block, opening, the engine's mean
    `value` in [0, 1] (finished before: 1, level: 1/2), and the number of games.
    """
    games = results.games[["id", "stage", "opening"]].rename(columns={"id": "game"})
    pairs = meetings_of(results.seats).merge(games, on="game")
    pairs = pairs.rename(columns={"engine_other": "opponent", "ahead": "value"})
    keys = ["stage", "block", "opening", "engine", "opponent"]
    found = pairs.groupby(keys, sort=False)["value"].agg(["mean", "size"]).reset_index()
    return found.rename(columns={"mean": "value", "size": "games"})


@dataclass(frozen=True, eq=False)
class Sample:
    """The score of an engine in one run, in [0, 1], and what each cluster of blocks adds to its
    error (`influence`, by cluster); `freedom`: degrees of freedom of its variance.
    """

    score: float
    blocks: int
    games: int
    influence: pd.Series
    freedom: float

    @property
    def error(self) -> float:
        """Standard error of the score; 0 where the blocks do not vary."""
        found = math.sqrt(float((self.influence**2).sum()))
        return found if found > TINY else 0.0

    def halves(self, critical: float) -> tuple[float, float]:
        """Distance from the score to the ends of its 95 % interval, below and above."""
        if self.error:
            return critical * self.error, critical * self.error
        bound = estimate_means([self.score] * len(self.influence), elo=False)
        return self.score - bound.score_low, bound.score_high - self.score

    def interval(self) -> tuple[float, float]:
        """95 % interval of the score, in [0, 1]."""
        low, high = self.halves(critical(self.freedom))
        return max(0.0, self.score - low), min(1.0, self.score + high)


def sample(rows: pd.DataFrame, cluster: str) -> Sample:
    """Return the score behind an engine's meetings; `cluster` names the column of the clusters."""
    by_opponent = rows.groupby("opponent")["value"]
    size, mean = by_opponent.transform("size"), by_opponent.transform("mean")
    count, total = int(rows["opponent"].nunique()), len(rows)
    score = float(by_opponent.mean().mean())
    if size.min() >= 2:
        rest, lost = (rows["value"] - mean) * np.sqrt(size / (size - 1)), count / total
    else:  # an opponent met once shows no spread of its own: all are taken around the score
        rest = (rows["value"] - score) * math.sqrt(total / max(1, total - 1))
        lost = 0.0
    influence = (rest / (size * count)).groupby(rows[cluster]).sum()
    clusters = len(influence)
    freedom = clusters * (1 - lost) if lost else clusters - 1
    return Sample(score, total, int(rows["games"].sum()), influence, max(1.0, freedom))


def critical(freedom: float) -> float:
    """Two-sided 95 % quantile: Student's with few degrees of freedom, else the normal one."""
    return float(stdtrit(freedom, 0.975) if freedom < ENOUGH - 1 else ndtri(0.975))


@dataclass(frozen=True)
class Difference:
    """Score in B less score in A (-1 to 1) with its 95 % interval, the chance `p` of one as large
    if there were none, and how the two scores go together (`correlation`, 0 for independent runs).
    """

    value: float
    low: float
    high: float
    p: float
    correlation: float


def difference(a: Sample, b: Sample) -> Difference:
    """Compare two scores; what both took from the same openings is not taken for independent.

    The intervals are joined as by Zou and Donner (2008), "square and add", which for two normal
    ones is the sum of variances less twice their covariance.
    """
    value = b.score - a.score
    value = 0.0 if abs(value) < TINY else value
    freedom = min(a.freedom, b.freedom)
    wide = critical(freedom)
    (a_down, a_up), (b_down, b_up) = a.halves(wide), b.halves(wide)
    r = 0.0
    if a.error and b.error:
        shared = float((a.influence * b.influence).dropna().sum())
        r = min(1.0, max(-1.0, shared / (a.error * b.error)))
    down, up = joined(a_up, b_down, r), joined(a_down, b_up, r)
    if min(down, up) < 1e-9:  # every opening moved alike: only a bound is left
        clusters = len(a.influence.index.union(b.influence.index))
        bound = 1 - estimate_means([1.0] * clusters, elo=False).score_low
        down = up = bound
    near = down if value > 0 else up
    z = wide * abs(value) / near
    p = 2 * float(stdtr(freedom, -z) if freedom < ENOUGH - 1 else ndtr(-z))
    return Difference(value, max(-1.0, value - down), min(1.0, value + up), min(1.0, p), r)


def joined(one: float, other: float, correlation: float) -> float:
    """Half width of the interval of a difference from those of its two sides."""
    return math.sqrt(max(0.0, one**2 + other**2 - 2 * correlation * one * other))


def holm(chances: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number (Holm 1979), valid however they depend."""
    order = sorted(range(len(chances)), key=lambda i: chances[i])
    found, worst = [0.0] * len(chances), 0.0
    for rank, i in enumerate(order):
        worst = max(worst, min(1.0, (len(chances) - rank) * chances[i]))
        found[i] = worst
    return found
