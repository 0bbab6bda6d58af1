"""What the trials of a scan or a tune study say: curves, the best point, effects, certainty.

Everything is read from a surrogate fitted to all trials (see studies.search.surrogate), never from
the best trial's own score, which is also the luckiest.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from joute.engines.check import COMPONENTS
from joute.engines.engine import parse_game
from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.kernels.compile import Floats
from joute.engines.parameter import Value
from joute.engines.registry import names
from joute.reports.reading.confirmation import STAGE as CONFIRMATION
from joute.reports.reading.effect import f_test, terms
from joute.reports.reading.final import Final, final_of
from joute.results.frames import Results
from joute.studies.search.recommend import read
from joute.studies.search.space import Space
from joute.studies.search.surrogate import Surrogate, observed, observed_blocks
from joute.studies.search.trial import COMPLETE, UNPLAYED, Trial
from joute.studies.tuner.answer import Effect, TunerAnswer
from joute.studies.tuner.axis import Axis
from joute.studies.tuner.domain import Point
from joute.studies.tuner.model.counts import Counts
from joute.studies.tuner.model.gp import chance
from joute.studies.tuner.model.noise import Noise
from joute.studies.tuner.model.team import Team

GRID = 61  # places at which a curve is computed
BACKGROUND = 24  # points of the other axes that a curve is averaged over
DRAWS = 300
SURE = 0.05  # an effect is one when chance gives as much in fewer than this share of cases
LOW, HIGH = 2.5, 97.5
SMALL = 10  # games of a trial below which its own score says next to nothing
ABSENT = ("none",)  # what an engine may name where it has no such part
Range: TypeAlias = tuple[Value, Value] | list[str]
"""Where the best value may lie: the ends of the 95 % range of a number, or all choices that may be."""


class Plane(Space):
    """The space of a stored run, whose engines may be made of missing parts."""

    def active(self, axis: Axis, point: Any) -> bool:
        """Ask the engine's parameters if all its parts are known; else every axis is active."""
        settings = {**self.base, **point}
        parts = [(kind, settings[kind]) for kind in COMPONENTS if settings.get(kind)]
        if self.game is None or any(str(part) not in self._at_hand[kind] for kind, part in parts):
            return True
        return super().active(axis, point)

    @cached_property
    def _at_hand(self) -> dict[str, set[str]]:
        return {kind: {*names(kind), *ABSENT} for kind in COMPONENTS}


def game_of(meta: Mapping[str, str]) -> Game | None:
    """Return the game of a stored run; None if it belongs to a missing plugin."""
    try:
        return parse_game(meta.get("game", ""))
    except Refused:
        return None


def draws_of_trials(results: Results) -> dict[str, int]:
    """Return how many games of each trial were drawn, by its number as text; 0 of those that are missing."""
    seats = results.seats
    drawn = seats[(seats["stage"] == "search") & (seats["seat"] == 0) & (seats["returns"] == 0.5)]
    return {str(group): len(games) for group, games in drawn.groupby("group", observed=True)}


def results_of(scores: Sequence[float], games: int, draws: int) -> tuple[float, float, float]:
    """Return games won, drawn and lost in blocks of so many games with these mean scores."""
    won = sum(scores) * games - draws / 2
    return won, draws, len(scores) * games - won - draws


@dataclass(frozen=True)
class Curve:
    """The score over one axis: values, mean and 95 % band in [0, 1]."""

    values: list[Value]
    mean: Floats
    low: Floats
    high: Floats

    def at(self, axis: Axis, values: Sequence[Value]) -> Floats:
        """Return the mean at values of the axis."""
        if axis.kind == "choice":
            place = {value: i for i, value in enumerate(self.values)}
            return self.mean[[place[value] for value in values]]
        known = [axis.place(value) for value in self.values]
        here: Floats = np.interp([axis.place(value) for value in values], known, self.mean)
        return here


class Search:
    """The trials of a run and their evaluation."""

    @classmethod
    def of(cls, results: Results) -> Search:
        """Return the search of a run; made once, as the evaluation is costly."""
        search: Search | None = vars(results).get("_searched")
        if search is None:
            search = cls(results)
            vars(results)["_searched"] = search
        return search

    def __init__(self, results: Results) -> None:
        assert results.search is not None
        stored = results.search
        self.results = results
        self.kind = results.meta.kind
        axes = tuple(Axis.stored(axis) for axis in stored["axes"])
        self.space = Plane(game_of(results.meta), stored["base"], axes)
        self.games_per_block: int = stored["rows"]
        self.pool: list[str] = stored["pool"]
        self.held_out: list[str] = stored.get("held_out", [])
        self.default: str = stored["default"]
        self.sampler: str = stored["sampler"]
        self.prune_risk: float = stored.get("prune_risk", 0.0)
        drawn = draws_of_trials(results)
        self.trials = [
            Trial(
                t.number, dict(t.point), list(t.scores), t.state,
                results=results_of(t.scores, self.games_per_block, drawn.get(str(t.number), 0)),
                other=t.other,
            )
            for t in results.trials
        ]  # fmt: skip
        self.seed = results.meta.seed
        self.by_block = results.meta.by_block

    @cached_property
    def duels(self) -> bool:
        """Whether points played each other."""
        return any(trial.other is not None for trial in self.trials)

    @cached_property
    def against(self) -> list[str]:
        """Whom expected scores are against: the pool; while only points have played each other, the
        default.
        """
        alone = self.duels and all(t.other is not None for t in [*self.trials, *self.confirming()])
        return [self.default] if alone else self.pool

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The searched axes."""
        return self.space.axes

    @cached_property
    def default_point(self) -> Point:
        """The point of the default."""
        base = self.space.base
        return {axis.name: base[axis.name] for axis in self.axes if axis.name in base}

    def allowed(self, axis: Axis) -> tuple[float, float]:
        """Return the least and the largest value that an axis may have at all, wherever that is known."""
        declared = self.results.meta.study.get("parameters", {}).get(axis.name)
        if declared is not None:
            return float(declared.get("low", -math.inf)), float(declared.get("high", math.inf))
        try:
            known = self.space.parameters({**self.space.base, **self.best})
        except Refused:  # a plugin that is not here: nothing is known beyond what was searched
            return axis.low, axis.high
        parameter = known.get(axis.name)
        return (parameter.low, parameter.high) if parameter else (-math.inf, math.inf)

    @cached_property
    def opponent_point(self) -> Point | None:
        """The default's point if it is the only opponent: there the score is 1/2 for certain."""
        alone = self.pool == [self.default] and self.inside(self.default_point)
        return self.default_point if alone else None

    @cached_property
    def _observed(self) -> tuple[Counts, Noise | float]:
        played = [trial for trial in self.trials if trial.state != UNPLAYED]
        if not self.by_block:
            return observed(self.space, played, self.games_per_block, self.opponent_point)
        counts, noise = observed_blocks(
            self.space, played, self.games_per_block, self.opponent_point
        )
        if self.duels:
            place = self.space.places([self.default_point])[0]
            counts = counts.anchored(place, noise.spread)
        return counts, noise

    def inside(self, point: Point) -> bool:
        """Whether a point lies in the searched ranges."""
        return all(axis.holds(point[axis.name]) for axis in self.axes if axis.name in point)

    @cached_property
    def surrogate(self) -> Surrogate:
        """The surrogate of all trials."""
        return Surrogate(self.space, *self._observed)

    def expected(self, point: Point) -> tuple[float, float, float]:
        """Return the expected score at a point with its 95 % interval."""
        mean, sd = self.surrogate.predict(self.space.places([point]))
        scores = chance(np.array([mean[0], mean[0] - 1.96 * sd[0], mean[0] + 1.96 * sd[0]]))
        return float(scores[0]), float(scores[1]), float(scores[2])

    def may_gain(self, point: Point) -> float:
        """Return the upper end (95 %) of what the best of many points of the space may score more than one."""
        places = self.space.places([point, self.best, *self.background])
        scores = chance(self.surrogate.draw(places, DRAWS, self.seed))
        return float(np.quantile(scores.max(1) - scores[:, 0], 0.975))

    @cached_property
    def background(self) -> list[Point]:
        """Points over which curves are averaged: spread over the space by the study's seed."""
        rng = np.random.default_rng([11, self.seed])
        return [
            self.space.walk(lambda axis: axis.at(float(rng.random()))) for _ in range(BACKGROUND)
        ]

    def values_of(self, axis: Axis, most: int = GRID) -> list[Value]:
        """Return values across an axis: all of a short discrete one, else evenly spread ones."""
        if axis.kind == "choice":
            return list(axis.choices)
        if axis.discrete and not axis.log and len(axis.values()) <= most:
            return axis.values()
        return list(dict.fromkeys(axis.at(u) for u in np.linspace(0, 1, most)))

    def with_value(self, point: Point, axis: Axis, value: Value) -> Point:
        """Return a point with one axis set, the others as they were."""
        return self.space.walk(
            lambda other: value if other is axis else point.get(other.name, other.at(0.5))
        )

    def curve(self, axis: Axis) -> Curve:
        """Return the score over an axis.

        In a tune study the other axes are at the best point, near which its games are; in a scan,
        whose games are everywhere, they are averaged over the background.
        """
        values = self.values_of(axis)
        if self.kind != "scan" or len(self.axes) == 1:
            base: Point = self.reported if self.kind != "scan" else {}
            X = self.space.places([self.with_value(base, axis, value) for value in values])
            mean, sd = self._model.marginal(X)
            return Curve(values, chance(mean), chance(mean - 1.96 * sd), chance(mean + 1.96 * sd))
        ends: list[tuple[float, float, float]] = []
        for value in values:
            points = [self.with_value(point, axis, value) for point in self.background]
            drawn = self.surrogate.draw(
                self.space.places(points), DRAWS, self.seed
            )  # one luck for all
            level = chance(drawn).mean(axis=1)
            low, high = np.percentile(level, [LOW, HIGH])
            ends.append((float(level.mean()), float(low), float(high)))
        mean, lower, upper = np.array(ends).T
        return Curve(values, mean, lower, upper)

    def level(self, point: Point) -> float:
        """Return the score at a point as the curves have it."""
        return float(chance(self._model.marginal(self.space.places([point]))[0])[0])

    @property
    def _model(self) -> Team:
        """The model of which the curves and dots are told."""
        return self.surrogate.team if self.kind == "scan" else self.answer.team

    def modelled(self, trials: Sequence[Trial]) -> Floats:
        """Return the scores that the model expects of trials."""
        log_odds = self._model.marginal(self.space.places([t.point for t in trials]))[0].copy()
        fought = [i for i, trial in enumerate(trials) if trial.other is not None]
        if fought:
            others = [trials[i].other or {} for i in fought]
            log_odds[fought] -= self._model.marginal(self.space.places(others))[0]
        return chance(log_odds)

    @cached_property
    def small(self) -> bool:
        """Whether trials have so few games that only the model of all is informative."""
        games = [len(trial.values) * self.games_per_block for trial in self.trials]
        return bool(games) and float(np.median(games)) < SMALL

    @cached_property
    def answer(self) -> TunerAnswer:
        """The answer of all games of a tune study: those of the search and of the confirmation."""
        return self.read([trial for trial in self.trials if trial.values] + self.confirming())

    def read(self, trials: Sequence[Trial]) -> TunerAnswer:
        """Return the model's answer to some trials."""
        default = self.default_point
        apart = default if default and self.inside(default) else None
        games, opponent = self.games_per_block, self.opponent_point
        return read(self.space, trials, games, self.seed, opponent, apart, self.by_block)

    @cached_property
    def _dense(self) -> list[Point]:
        rng = np.random.default_rng([12, self.seed])
        if len(self.axes) == 1:
            axis = self.axes[0]
            return [{axis.name: value} for value in self.values_of(axis, 201)]
        drawn = [self.space.walk(lambda axis: axis.at(float(rng.random()))) for _ in range(500)]
        tried = [trial.point for trial in self.trials]
        mean, _ = self.surrogate.predict(self.space.places(tried))
        return drawn + [tried[i] for i in np.argsort(-mean, kind="stable")[:100]]

    @cached_property
    def best(self) -> Point:
        """The point to play with; of a scan, the one of the highest expected score."""
        if self.kind != "scan":
            return self.answer.point
        mean, _ = self.surrogate.predict(self.space.places(self._dense))
        ends = {n: ends for n, ends in self.best_ranges.items() if isinstance(ends, tuple)}
        return self.space.plain(self._dense[int(np.argmax(mean))], ends)

    @cached_property
    def finalist(self) -> str:
        """The name of the point that a tune study confirmed or tried to; "" without a final."""
        final = self.final() if self.kind != "scan" else None
        return final.finalist if final is not None else ""

    @cached_property
    def reported(self) -> Point:
        """The point that the report shows: the finalist's, as it was played, else the best one."""
        return (self.point_of(self.finalist) if self.finalist else None) or self.best

    @cached_property
    def effects(self) -> list[Effect]:
        """Each parameter's effect at the reported point."""
        return [
            effect_at(effect, self.reported.get(effect.name)) for effect in self.answer.effects()
        ]

    @property
    def detects(self) -> bool:
        """Whether the model of a tune study detects an effect of some parameter."""
        return self.kind != "scan" and any(effect.detected for effect in self.effects)

    @cached_property
    def tops(self) -> list[Point]:
        """Draws of the best point of a tune study, from the belief after all games."""
        return [self.space.point(place) for place in self.space.snapped(self.answer.tops)]

    @cached_property
    def best_ranges(self) -> dict[str, Range]:
        """The likely range of the best point, by axis; axes without effect are left out."""
        if self.kind == "scan":
            drawn = self.surrogate.draw(self.space.places(self._dense), DRAWS, self.seed & 0xFFFF)
            heads = [self._dense[i] for i in np.argmax(drawn, axis=1)]
        else:
            heads = self.tops
        ranges: dict[str, Range] = {}
        for axis in self.axes:
            values = [head[axis.name] for head in heads if axis.name in head]
            if not values:
                continue
            if axis.kind == "choice":
                often = [c for c in axis.choices if values.count(c) >= 0.05 * len(heads)]
                ranges[axis.name] = often
            else:
                low, high = np.percentile([float(v) for v in values], [LOW, HIGH], method="nearest")
                tidied = axis.tidy(float(low)), axis.tidy(float(high))
                ranges[axis.name] = axis.plain(tidied[0], *tidied), axis.plain(tidied[1], *tidied)
        return ranges

    @cached_property
    def importance(self) -> dict[str, tuple[float, float, float]]:
        """Share of the variance of the log-odds over the space that each axis explains alone.

        Mean and 95 % interval over draws of the surrogate; empty when there is no variance.
        """
        shares = {}
        for axis in self.axes:
            values = self.values_of(axis, 12)
            points = [self.with_value(p, axis, v) for v in values for p in self.background]
            drawn = self.surrogate.draw(self.space.places(points), 200, 5)
            cube = drawn.reshape(200, len(values), len(self.background))
            total = np.maximum(cube.reshape(200, -1).var(axis=1), 1e-12)
            share = np.clip(cube.mean(axis=2).var(axis=1) / total, 0, 1)
            low, high = np.percentile(share, [LOW, HIGH])
            shares[axis.name] = (float(share.mean()), float(low), float(high))
        return shares

    @cached_property
    def p_value(self) -> float:
        """Chance of an effect this large if no axis had any (F-test of smooth terms on blocks)."""
        trials = [trial for trial in self.trials for _ in trial.values]
        scores = np.array([v for trial in self.trials for v in trial.values])
        X = terms(self.space, [trial.point for trial in trials])
        fought = np.array([trial.other is not None for trial in trials], bool)
        if fought.any():
            others = [trial.other for trial in trials if trial.other is not None]
            X[fought] -= terms(self.space, others)
            scores[fought] -= 0.5
        return f_test(X, scores, ~fought)

    def point_of(self, candidate: str) -> Point | None:
        """Return the point of a candidate by its name."""
        stored = self.results.meta.candidates or []
        return next((dict(entry["point"]) for entry in stored if entry["name"] == candidate), None)

    @cached_property
    def _apart(self) -> set[int]:
        """The blocks against opponents that the search never met, and those at another limit."""
        seats = self.results.seats
        other = seats["engine"].isin(self.held_out) | (seats["stage"] == CONFIRMATION)
        return set(seats["block"][other])

    @property
    def games_read(self) -> int:
        """Number of games that the answer of a tune study reads."""
        return int((~self.results.games["block"].isin(self._apart)).sum())

    def confirming(self) -> list[Trial]:
        """Return the games of candidates and the default after the search, as trials.

        Games of a default outside the searched ranges are left out, as are those against opponents
        that the search never met, which measure another score.
        """
        seats = self.results.seats
        seats = seats[~seats["block"].isin(self._apart)]
        after = seats[seats["stage"].isin(["screen", "final"])]
        met = after.groupby("block")["engine"].transform("nunique")  # not against itself
        after = after[met > 1]
        trials: list[Trial] = []
        for name, rows in after.groupby("engine", observed=True):
            point = self.default_point if name == self.default else self.point_of(str(name))
            values = rows.groupby("block")["returns"].mean()
            if name == self.default:
                if not self.inside(self.default_point) or self.opponent_point is not None:
                    continue
                values = self._own_values(after, values)
            if point and len(values):
                trials.append(Trial(len(trials), point, [float(v) for v in values], COMPLETE))
        return trials

    def _own_values(self, after: pd.DataFrame, values: pd.Series) -> pd.Series:
        """Return the scores of the default's blocks against the pool, without those of the others against
        it; a default that is in the pool scores 1/2 against itself, unplayed.
        """
        others = {*self.pool} - {self.default}
        if len(others) == len({*self.pool}):
            return values
        pooled = after.groupby("block")["engine"].agg(lambda engines: {*engines} <= {*self.pool})
        own = values[pooled.reindex(values.index)]
        even = [0.5] * (len(own) // len(others) * self.pool.count(self.default))
        both: pd.Series = pd.concat([own, pd.Series(even, dtype=float)])
        return both

    def final(self) -> Final | None:
        """Return the final of a tune study, or None while it has no blocks."""
        return final_of(self.results, self.default, self.pool, self.held_out)


def key_of(point: Point) -> str:
    """Return the same text for equal points."""
    return json.dumps(point, sort_keys=True)


def effect_at(effect: Effect, value: Value | None) -> Effect:
    """Return an effect at a reported value; its interval holds that, which a final may have confirmed
    before the last games moved the interval.
    """
    low, high = effect.low, effect.high
    if value is not None and low is not None and high is not None:
        low, high = min(low, float(value)), max(high, float(value))
    return replace(effect, value=value, low=low, high=high)
