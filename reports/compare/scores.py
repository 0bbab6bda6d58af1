"""Engines of two runs side by side, as values: one line for each engine in both and stage."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import permutations
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from joute.reports.compare.difference import difference, holm, joined, sample
from joute.reports.compare.pairs import Pair, matched
from joute.results.frames import Results
from joute.results.quantity import ELO, Quantity
from joute.results.standings import groups_of

SURE = 0.05
"""Chance below which a difference is called more than luck (two-sided, after the correction)."""
FINAL = "final"
"""The stage of a search whose openings chose nothing."""
Three: TypeAlias = tuple[Quantity, Quantity, Quantity]
"""A quantity in A, in B, and the difference."""
UNRATED: Three = (
    Quantity("Elo in A", ELO),
    Quantity("Elo in B", ELO),
    Quantity("Elo difference", ELO),
)


def meetings(run: Results) -> pd.DataFrame:
    """Return one row for each engine, opponent and block: stage, block, opening, the engine's mean
    `value` in [0, 1] (finished before: 1, level: 1/2), and the number of games.
    """
    texts = run.texts(("block", "opening"), 0, len(run.games))
    engine, rank = (
        run.seats[name].to_numpy(kind).reshape(-1, run.players)
        for name, kind in (("engine", object), ("rank", float))
    )
    seats = list(permutations(range(run.players), 2))
    one, other = [i for i, _ in seats], [j for _, j in seats]
    ahead = (rank[:, one] < rank[:, other]) + (rank[:, one] == rank[:, other]) / 2
    pairs = pd.DataFrame(
        {
            "stage": np.repeat(run.games["stage"].to_numpy(object), len(seats)),
            "block": np.repeat(texts["block"].to_numpy(object), len(seats)),
            "opening": np.repeat(texts["opening"].to_numpy(object), len(seats)),
            "engine": engine[:, one].ravel(),
            "opponent": engine[:, other].ravel(),
            "value": ahead.ravel(),
        }
    )
    pairs = pairs[pairs["engine"] != pairs["opponent"]]
    keys = ["stage", "block", "opening", "engine", "opponent"]
    grouped = pairs.groupby(keys, sort=False)["value"].agg(["mean", "size"]).reset_index()
    return grouped.rename(columns={"mean": "value", "size": "games"})


@dataclass(frozen=True)
class ScoreLine:
    """An engine in A against the same in B, over the opponents that it met in both.

    Pairs of numbers are those of A and B; `met` counts all its opponents. Scores are in [0, 1], Elo
    is above the average of its opponents. `p`: the chance of such a difference of scores by luck,
    None if both sides are the same games; `p_holm`: corrected for the number of lines.
    """

    stage: str
    engine: Pair
    opponents: tuple[Pair, ...]
    met: tuple[int, int]
    blocks: tuple[int, int]
    games: tuple[int, int]
    openings: int
    scores: Three
    p: float | None
    p_holm: float | None = None
    elos: Three = UNRATED

    @property
    def difference(self) -> Quantity:
        """Score in B less score in A."""
        return self.scores[2]

    @property
    def same_field(self) -> bool:
        """Whether it met the same opponents in both runs and no others."""
        return self.met == (len(self.opponents), len(self.opponents))

    @property
    def alone(self) -> bool:
        """Whether its own interval excludes 0, without regard to the other comparisons."""
        return self.p is not None and self.p < SURE

    @property
    def real(self) -> bool:
        """Whether the difference is more than luck, corrected for the number of comparisons."""
        return self.p_holm is not None and self.p_holm < SURE


class Scores:
    """All comparable scores of two runs; games of a search itself are left out.

    `same`: the ids of games with the same course in both.
    """

    def __init__(self, a: Results, b: Results, same: frozenset[str]) -> None:
        self.runs = a.matches, b.matches
        self.pairs = matched(*self.runs)
        self.stages = [stage for stage in self.runs[0].stages if stage in self.runs[1].stages]
        if a.search is not None and b.search is not None:  # earlier stages chose the finalists
            self.stages = [stage for stage in self.stages if stage == FINAL]
        self._meetings = [meetings(run) for run in self.runs]
        self._groups = cache(lambda run, stage: groups_of(self.runs[run], stage))
        texts = [run.texts(("id", "block"), 0, len(run.games)) for run in self.runs]
        complete = [text["id"].isin(same).groupby(text["block"]).all() for text in texts]
        self._same = set(complete[0].index[complete[0]]) & set(complete[1].index[complete[1]])

    @cached_property
    def engines(self) -> list[ScoreLine]:
        """One line for each engine and stage; the only pairing of a stage comes once."""
        return self._lines(
            (stage, pair, self._common(self._rows(stage, pair)))
            for stage in self.stages
            for pair in self._ordered(stage)
        )

    @cached_property
    def pairings(self) -> list[ScoreLine]:
        """One line for each pairing of stages in which opponents differ."""
        mixed = {line.stage for line in self.engines if not line.same_field}
        return self._lines(
            (line.stage, line.engine, [other])
            for line in self.engines
            if line.stage in mixed
            for other in line.opponents
        )

    @cached_property
    def apart(self) -> list[str]:
        """Engines that played a stage in both runs, but met no opponent in both."""
        labels = []
        for stage in self.stages:
            for pair in (p for p in self._ordered(stage) if p.fixed):
                rows = self._rows(stage, pair)
                if len(rows[0]) and len(rows[1]) and not self._common(rows):
                    labels.append(pair.label)
        return list(dict.fromkeys(labels))

    def _lines(self, wanted: Iterable[tuple[str, Pair, list[Pair]]]) -> list[ScoreLine]:
        """Return a line for each stage, engine and opponents; the two of a pairing have one line."""
        line_by_key: dict[Any, ScoreLine] = {}
        for stage, pair, opponents in wanted:
            key = stage, frozenset({pair, *opponents} if len(opponents) == 1 else {pair})
            if opponents and key not in line_by_key:
                line_by_key[key] = self._line(stage, pair, opponents)
        chances = iter(holm([line.p for line in line_by_key.values() if line.p is not None]))
        return [
            line if line.p is None else replace(line, p_holm=next(chances))
            for line in line_by_key.values()
        ]

    def _ordered(self, stage: str) -> list[Pair]:
        """All pairs: changed ones first; in a match, then the engine that moved first."""
        a = self.runs[0]
        played = a.of_stage(a.seats, stage)["engine"]
        search = a.search or {"pool": [], "default": ""}  # a search's opponents only measure
        measures = set(search["pool"]) - {search["default"]}
        pairs = [pair for pair in self.pairs if pair.a not in measures]
        match = played.nunique() == 2
        return sorted(pairs, key=lambda pair: (pair.fixed, match and pair.a != played.iloc[0]))

    def _rows(self, stage: str, pair: Pair) -> list[pd.DataFrame]:
        """Its meetings in A and in B."""
        return [
            met[(met["stage"] == stage) & (met["engine"] == name)]
            for met, name in zip(self._meetings, (pair.a, pair.b), strict=True)
        ]

    def _common(self, rows: list[pd.DataFrame]) -> list[Pair]:
        """The opponents that are the same engine in both runs."""
        a, b = (set(frame["opponent"]) for frame in rows)
        return [pair for pair in self.pairs if pair.fixed and pair.a in a and pair.b in b]

    def _line(self, stage: str, pair: Pair, opponents: list[Pair]) -> ScoreLine:
        every = self._rows(stage, pair)
        names = [p.a for p in opponents], [p.b for p in opponents]
        rows = [e[e["opponent"].isin(some)] for e, some in zip(every, names, strict=True)]
        alike = pd.concat([frame["opening"] for frame in rows]).nunique() == 1
        a, b = (sample(frame, "block" if alike else "opening") for frame in rows)
        gap, p, correlation = difference(a, b)
        blocks = [set(frame["block"]) for frame in rows]
        same = blocks[0] == blocks[1] and blocks[0] <= self._same
        line = ScoreLine(
            stage=stage,
            engine=pair,
            opponents=tuple(opponents),
            met=(every[0]["opponent"].nunique(), every[1]["opponent"].nunique()),
            blocks=(a.blocks, b.blocks),
            games=(a.games, b.games),
            openings=min(len(a.influence), len(b.influence)),
            scores=(
                a.quantity("score in A"),
                b.quantity("score in B"),
                replace(gap, low=None, high=None) if same else gap,
            ),
            p=None if same else p,
        )
        rated = line.same_field and not same
        return replace(line, elos=self._elos(stage, pair, correlation)) if rated else line

    def _elos(self, stage: str, pair: Pair, correlation: float) -> Three:
        """Elo above the opponents' average, where the same engines met in both runs."""
        a, b = (self._elo(run, stage, name) for run, name in enumerate((pair.a, pair.b)))
        if a is None or b is None or a[2] != b[2]:
            return UNRATED
        half = joined(a[1], b[1], correlation)
        elos = ((a[0], a[1]), (b[0], b[1]), (b[0] - a[0], half))
        one, two, gap = (
            replace(blank, value=elo, low=elo - half, high=elo + half)
            for blank, (elo, half) in zip(UNRATED, elos, strict=True)
        )
        return (one, two, gap) if half >= 1e-6 else UNRATED

    def _elo(self, run: int, stage: str, name: str) -> tuple[float, float, set[Pair]] | None:
        """Elo of an engine above the average of the others of its group, the half width of its 95 %
        interval, and the others; None where there is nothing to compare.
        """
        groups = [group for group in self._groups(run, stage) if name in group.engines]
        if len(groups) != 1 or groups[0].ratings is None:
            return None
        ratings = groups[0].ratings
        i = ratings.names.index(name)
        ends = ratings.interval(i)
        if ends is None or ratings.elo_interval(i).elo is None:
            return None
        inside = np.flatnonzero(ratings.part == ratings.part[i])
        known = {(pair.a, pair.b)[run]: pair for pair in self.pairs if pair.fixed}
        others = {ratings.names[j] for j in inside if j != i}
        if not others <= known.keys():
            return None  # the average would be over other engines in the other run
        scale = len(inside) / (len(inside) - 1)
        elo, half = float(ratings.elo[i]), (ends[1] - ends[0]) / 2
        return scale * elo, scale * half, {known[other] for other in others}
