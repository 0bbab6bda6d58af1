"""The lines of a comparison: one for each engine in both runs and stage, or for each pairing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from reports.compare_scores import (
    TINY,
    Both,
    Sample,
    difference,
    holm,
    joined,
    matched,
    meetings,
    sample,
)
from results.frames import Results
from results.standings import Group, groups_of

SURE = 0.05
"""Chance below which a difference is called more than luck (two-sided, after the correction)."""
FINAL = "final"
"""The stage of a search whose openings chose nothing."""


@dataclass(frozen=True)
class Side:
    """An engine in one run: score in [0, 1] and Elo above the average of its opponents, with 95 %
    intervals; None where the games give no Elo to compare.
    """

    score: float
    low: float
    high: float
    blocks: int
    games: int
    elo: float | None = None
    elo_low: float | None = None
    elo_high: float | None = None


@dataclass(frozen=True)
class Line:
    """An engine in A against the same in B, over the opponents that it met in both.

    `met` counts all its opponents in A and in B. `low` and `high` are the 95 % interval of the
    difference of scores (B less A, -1 to 1), None where both sides are the same games; `p_holm` is
    `p` corrected for the number of lines compared.
    """

    stage: str
    engine: Both
    opponents: tuple[Both, ...]
    met: tuple[int, int]
    a: Side
    b: Side
    difference: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    elo_difference: float | None = None
    elo_low: float | None = None
    elo_high: float | None = None
    openings: int = 0

    @property
    def same_field(self) -> bool:
        """Whether it met the same opponents in both runs and no other."""
        return self.met == (len(self.opponents), len(self.opponents))

    @property
    def alone(self) -> bool:
        """Whether its own interval leaves out 0, the other comparisons not considered."""
        return self.p is not None and self.p < SURE

    @property
    def real(self) -> bool:
        """Whether the difference is more than luck, the number of comparisons considered."""
        return self.p_holm is not None and self.p_holm < SURE


class Scores:
    """All that can be compared of the games of two runs; searches' own games are left out."""

    def __init__(self, a: Results, b: Results) -> None:
        self.a, self.b = a.matches, b.matches
        self.pairs = matched(self.a, self.b)
        self.stages = [stage for stage in self.a.stages if stage in self.b.stages]
        if a.search is not None and b.search is not None:  # earlier stages chose the finalists
            self.stages = [stage for stage in self.stages if stage == FINAL]
        self._met = {name: meetings(run) for name, run in (("a", self.a), ("b", self.b))}
        both = set(zip(*self._games(self.a), strict=True))
        self._shared = both & set(zip(*self._games(self.b), strict=True))
        self.apart: list[tuple[str, str]] = []
        """Engine and stage of those in both runs that no opponent of both has met."""
        self._blocks = self._whole_blocks()
        self._kept: dict[tuple[int, str], list[Group]] = {}

    def _games(self, run: Results) -> list[list[Any]]:
        """Ids, lines of play and results of the games of a run."""
        returns = run.seats.groupby("game", sort=False)["returns"].agg(tuple)
        return [run.games["id"].tolist(), run.games["digest"].tolist(), returns.tolist()]

    def _whole_blocks(self) -> set[str]:
        """Blocks that are in both runs, game by game."""
        ids = {game for game, _, _ in self._shared}
        found = []
        for run in (self.a, self.b):
            inside = run.games["id"].isin(ids).groupby(run.games["block"]).all()
            found.append(set(inside.index[inside]))
        return found[0] & found[1]

    @cached_property
    def engines(self) -> list[Line]:
        """One line for each engine and stage; a pairing that is alone in a stage comes once."""
        lines, seen = [], set()
        for stage in self.stages:
            for pair in self._from_the_first_seat(stage):
                line = self._line(stage, pair)
                if line is None:
                    continue
                if len(line.opponents) == 1:
                    key = (stage, frozenset({pair, line.opponents[0]}))
                    if key in seen:
                        continue
                    seen.add(key)
                lines.append(line)
        return corrected(lines)

    @cached_property
    def pairings(self) -> list[Line]:
        """One line for each pairing of stages in which opponents differ."""
        lines, seen = [], set()
        for stage in dict.fromkeys(line.stage for line in self.engines if not line.same_field):
            for line in (one for one in self.engines if one.stage == stage):
                for other in line.opponents:
                    key = (stage, frozenset({line.engine, other}))
                    found = None if key in seen else self._line(stage, line.engine, [other])
                    seen.add(key)
                    lines += [found] if found else []
        return corrected(lines)

    def _from_the_first_seat(self, stage: str) -> list[Both]:
        """All pairs; first the changed ones and the one that began: a match is told of that one."""
        first = self.a.of_stage(self.a.seats, stage)["engine"].iloc[0]
        lone = self.a.of_stage(self.a.seats, stage)["engine"].nunique() == 2
        said = self.a.search or {"pool": [], "default": ""}  # a search's opponents only measure
        measures = set(said["pool"]) - {said["default"]}
        told = [one for one in self.pairs if one.a not in measures]
        return sorted(told, key=lambda one: (one.fixed, lone and one.a != first))

    def _opponents(self, stage: str, pair: Both) -> tuple[list[set[str]], list[Both]]:
        """Names of whom it met, in A and in B, and who of them is the same in both."""
        met = []
        for run, name in (("a", pair.a), ("b", pair.b)):
            rows = self._met[run]
            rows = rows[(rows["stage"] == stage) & (rows["engine"] == name)]
            met.append(set(rows["opponent"]))
        common = [o for o in self.pairs if o.fixed and o.a in met[0] and o.b in met[1]]
        return met, common

    def _line(self, stage: str, pair: Both, only: list[Both] | None = None) -> Line | None:
        met, common = self._opponents(stage, pair)
        if not all(met):
            return None
        opponents = common if only is None else only
        if not opponents:
            if pair.fixed and (pair.label, stage) not in self.apart:
                self.apart.append((pair.label, stage))
            return None
        rows = list(self._rows(stage, pair, opponents))
        starts = pd.concat([one["opening"] for one in rows]).nunique()
        cluster = "opening" if starts > 1 else "block"
        a, b = (sample(one, cluster) for one in rows)
        line = Line(
            stage=stage,
            engine=pair,
            opponents=tuple(opponents),
            met=(len(met[0]), len(met[1])),
            a=side(a),
            b=side(b),
            difference=b.score - a.score if abs(b.score - a.score) > TINY else 0.0,
            openings=min(len(a.influence), len(b.influence)),
        )
        blocks = [set(one["block"]) for one in rows]
        if blocks[0] == blocks[1] and blocks[0] <= self._blocks:
            return line
        found = difference(a, b)
        line = replace(line, low=found.low, high=found.high, p=found.p)
        return self._rated(line, found.correlation) if line.same_field else line

    def _rows(self, stage: str, pair: Both, opponents: list[Both]) -> Iterator[pd.DataFrame]:
        sides = (
            ("a", pair.a, [one.a for one in opponents]),
            ("b", pair.b, [one.b for one in opponents]),
        )
        for run, name, others in sides:
            rows = self._met[run]
            mine = (rows["stage"] == stage) & (rows["engine"] == name)
            yield rows[mine & rows["opponent"].isin(others)]

    def _rated(self, line: Line, correlation: float) -> Line:
        """Add the Elo above the opponents' average, where the same engines met in both runs."""
        names = (line.engine.a, line.engine.b)
        a, b = (self._elo(run, line, n) for run, n in zip((self.a, self.b), names, strict=True))
        if a is None or b is None or a[2] != b[2]:
            return line
        gap, half = b[0] - a[0], joined(a[1], b[1], correlation)
        if half < 1e-6:
            return line
        return replace(
            line,
            a=replace(line.a, elo=a[0], elo_low=a[0] - a[1], elo_high=a[0] + a[1]),
            b=replace(line.b, elo=b[0], elo_low=b[0] - b[1], elo_high=b[0] + b[1]),
            elo_difference=gap,
            elo_low=gap - half,
            elo_high=gap + half,
        )

    def _elo(
        self, run: Results, line: Line, name: str
    ) -> tuple[float, float, frozenset[Both]] | None:
        """Elo of an engine above the average of the others of its group, the half width of its 95 %
        interval, and who these are; None where these, or the games, give none to compare.
        """
        groups = [g for g in self._groups(run, line.stage) if name in g.engines]
        if len(groups) != 1 or groups[0].ratings is None:
            return None
        ratings = groups[0].ratings
        i = ratings.names.index(name)
        ends = ratings.interval(i)
        if ends is None or ratings.told(i).elo is None:
            return None
        inside = np.flatnonzero(ratings.part == ratings.part[i])
        known = {(one.a if run is self.a else one.b): one for one in self.pairs if one.fixed}
        others = [ratings.names[j] for j in inside if j != i]
        if any(other not in known for other in others):
            return None  # the average would be over other engines in the other run
        who = frozenset(known[other] for other in others)
        scale = len(inside) / (len(inside) - 1)
        return scale * float(ratings.elo[i]), scale * (ends[1] - ends[0]) / 2, who

    def _groups(self, run: Results, stage: str) -> list[Group]:
        key = (id(run), stage)
        if key not in self._kept:
            self._kept[key] = groups_of(run, stage)
        return self._kept[key]


def side(found: Sample) -> Side:
    """Return a sample as the tables show it."""
    low, high = found.interval()
    return Side(found.score, low, high, found.blocks, found.games)


def corrected(lines: list[Line]) -> list[Line]:
    """Add the p-values that consider the number of lines; lines of the same games are not tests."""
    tested = [i for i, line in enumerate(lines) if line.p is not None]
    for i, p in zip(tested, holm([lines[i].p or 0.0 for i in tested]), strict=True):
        lines[i] = replace(lines[i], p_holm=p)
    return lines
