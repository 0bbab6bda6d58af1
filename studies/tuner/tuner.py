"""The tuner: ask for points and games, tell how they went, read the answer.

It knows no engine and no store. What it asks is a function of its space, its seed and the order of
what was asked and told; what it answers, of the counts and the seed. See docs/tuning.md for how it
was chosen, and for an example.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import qmc

from engines.errors import Refused
from engines.kernels.compile import Floats
from engines.parameter import Value
from studies.tuner.answer import Answer, Effect
from studies.tuner.domain import Domain, Point
from studies.tuner.model.counts import MOST, Counts
from studies.tuner.model.team import Team
from studies.tuner.parameters import Parameter, Table
from studies.tuner.propose import propose

FIRST, FIRST_MANY, MANY = 16, 32, 3  # points of the start, by the number of axes
DEFAULT_SHARE = 0.06  # of the games, at the default
REFIT = 1.3  # growth of the games after which sizes and lengths are fitted again
LEAST_SPREAD = 0.05  # of a game's result, as a share of a coin's: all draws
MOST_GAMES = 10**9


@dataclass(frozen=True)
class Gain:
    """The expected score gained over the default: mean, 95 % interval, chance to be above 0."""

    mean: float
    low: float
    high: float
    sure: float


@dataclass(frozen=True)
class Report:
    """The answer in full: the point, its score, regret expected to be left, each parameter."""

    point: Point
    score: tuple[float, float, float]
    regret: float
    effects: list[Effect]
    gain: Gain | None
    verdict: str | None


class Tuner:
    """Searches a space for the point of the highest expected score, by games won, drawn and lost.

    `default`: the point that the answer is measured against, among the points from the start.
    `budget`: games in all, or None; `block`: games that are played together (2: seats exchanged).
    Raises Refused with one line for what it cannot take.
    """

    def __init__(
        self,
        space: Mapping[str, Parameter] | Domain,
        seed: int = 0,
        default: Mapping[str, Value] | None = None,
        budget: int | None = None,
        block: int = 2,
    ) -> None:
        self.domain = space if isinstance(space, Domain) else Table(space)
        self.seed = whole(seed, "seed", 0)
        self.block = whole(block, "block", 1)
        self.budget = None if budget is None else whole(budget, "budget", 1)
        self.default: Point | None = None
        self._default_place: Floats | None = None
        if default is not None:
            self.default = self._checked(default, "the default")
            self._default_place = self.domain.places([self.default])[0]
        columns = self.domain.shape.columns
        self.counts, self._raw = Counts(columns), Counts(columns)
        self.games = 0.0
        self._results = np.zeros(3)
        self._team = Team(self.domain.shape)
        self._fitted = 0.0
        self._tops: Floats | None = None
        self._plans = 0
        self._queue: list[tuple[Point, int]] = self._start()
        self._out: Counter[tuple[Any, ...]] = Counter()
        self._points: dict[tuple[Any, ...], Point] = {}
        self._answer: Answer | None = None

    # --- ask and tell ---------------------------------------------------------------------------

    def ask_one(self) -> tuple[Point, int]:
        """Return the next point, and as many games as are wanted there."""
        if not self._queue:
            self._plan()
        return self.ask(self._queue[0][1])[0]

    def ask(self, max_games: int) -> list[tuple[Point, int]]:
        """Return points to play and games at each, at most `max_games` in all, in whole blocks.

        Any number may be outstanding; fewer games than a block: nothing is asked.
        """
        left = whole(max_games, "max_games", 0)
        found: list[tuple[Point, int]] = []
        while left >= self.block:
            if not self._queue:
                self._plan()
            point, games = self._queue.pop(0)
            now = min(games, left) // self.block * self.block
            if games > now:
                self._queue.insert(0, (point, games - now))
            left -= now
            found.append((dict(point), now))
            key = key_of(point)
            self._out[key] += now
            self._points[key] = point
        return found

    def tell(
        self, point: Mapping[str, Value], wins: float, draws: float = 0, losses: float = 0
    ) -> None:
        """Take results at a point, asked for or not, in any order."""
        place_of = self._checked(point, "the point")
        counts = [count(value, what) for value, what in
                  ((wins, "wins"), (draws, "draws"), (losses, "losses"))]  # fmt: skip
        games = sum(counts)
        if not games:
            return
        key = key_of(place_of)
        if key in self._out:
            self._out[key] -= int(min(self._out[key], games))
            if not self._out[key]:
                del self._out[key]
        place = self.domain.places([place_of])[0]
        won = counts[0] + counts[1] / 2
        self._results += counts
        self.games += games
        self.counts.add(place, won, games)
        self._raw.add(place, won, games)
        self._answer = None
        if len(self.counts) > MOST:
            self.counts.merge(self._team.metric, self.domain.shape.numbers, self._default_place)
        if self.games >= REFIT * self._fitted and len(self.counts) > 3:
            self._team.learn(self.counts, self.spread)
            self._fitted = self.games

    @property
    def spread(self) -> float:
        """How much a game's result varies, as a share of a game without draws of the same score."""
        wins, draws, losses = self._results
        games = wins + draws + losses
        if not draws or not games:
            return 1.0
        p = (wins + draws / 2 + 0.5) / (games + 1)
        return float(max(LEAST_SPREAD, 1 - draws / games / (4 * p * (1 - p))))

    def _start(self) -> list[tuple[Point, int]]:
        """Return the first points: the default, and points that fill the space evenly."""
        axes = len(self.domain.axes)
        many = FIRST if axes <= MANY else FIRST_MANY
        units = qmc.Sobol(axes, rng=np.random.default_rng([self.seed, 11])).random(many)
        points = [self.domain.point(place) for place in self.domain.scattered(units)]
        games = -(-2 // self.block) * self.block
        return [*([(self.default, games)] if self.default else []), *((p, games) for p in points)]

    def _plan(self) -> None:
        self._plans += 1
        rng = np.random.default_rng([self.seed, 31, self._plans])
        if len(self.counts) < 4:  # nothing has been told: fill the space
            units = rng.random((4, len(self.domain.axes)))
            games = -(-2 // self.block) * self.block
            places = self.domain.scattered(units)
            self._queue = [(self.domain.point(place), games) for place in places]
            return
        self._team.settle(self.counts, self.spread)
        out = [(self.domain.places([self._points[key]])[0], n) for key, n in self._out.items()]
        picks = propose(
            self.domain, self.counts, self._raw, self._team, out, self._tops, self.block, rng
        )
        self._tops = picks.tops
        points = [self.domain.point(place) for place in picks.places]
        self._queue = [(point, picks.games) for point in points]
        self._share_with_default(picks.games)

    def _share_with_default(self, games: int) -> None:
        """Put the default among the picks of a plan as often as its share of the games asks."""
        if self.default is None or self._default_place is None:
            return
        gap = np.abs(self._raw.X - self._default_place).max(1)
        have = float(self._raw.games[gap < 1e-9].sum()) + self._out[key_of(self.default)]
        wanted = DEFAULT_SHARE * (self.games + games * len(self._queue)) - have
        for i in range(min(max(0, math.ceil(wanted / games)), len(self._queue))):
            self._queue.insert(2 * i, (self.default, games))

    # --- answers --------------------------------------------------------------------------------

    def recommend(self) -> Point:
        """Return the point to play with, by everything told; before anything: default or middle."""
        if not len(self.counts):
            return self.default or self.domain.point(np.zeros(self.domain.shape.columns))
        return self.domain.point(self._read().best)

    def estimate(self, point: Mapping[str, Value]) -> tuple[float, float, float]:
        """Return low end, mean and high end of the expected score at a point, 95 %."""
        place = self.domain.places([self._checked(point, "the point")])[0]
        return self._read().estimate(place)

    def verdict(self) -> str:
        """Return "better", "keep" or "unknown": of the recommended point against the default."""
        place = self._against()
        return self._read().verdict(place) if len(self.counts) else "unknown"

    def gain(self) -> Gain:
        """Return what the recommended point gains over the default."""
        return Gain(*self._read().gain(self._against()))

    def report(self) -> Report:
        """Return the whole answer."""
        read = self._read()
        against = self._default_place is not None
        return Report(
            self.recommend(),
            read.estimate(read.best),
            read.regret,
            read.effects(),
            self.gain() if against else None,
            self.verdict() if against else None,
        )

    def _against(self) -> Floats:
        if self._default_place is None:
            raise Refused("no default was given, so nothing can be better than it; allowed: Tuner(..., default={...})")  # fmt: skip
        return self._default_place

    def _read(self) -> Answer:
        if self._answer is None:
            self._answer = Answer(self.domain, self.counts, self.spread, self.seed, self._raw)
        return self._answer

    def _checked(self, point: Mapping[str, Value], what: str) -> Point:
        return self.domain.checked(point, what)


def key_of(point: Mapping[str, Value]) -> tuple[Any, ...]:
    """Return what tells a point from others."""
    return tuple(sorted(point.items()))


def count(value: Any, what: str) -> float:
    """Return a number of games; raise Refused if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise Refused(f"{what} = {value!r} is no number of games")
    if not math.isfinite(value) or not 0 <= value <= MOST_GAMES:
        raise Refused(f"{what} = {value!r}; allowed: 0 to {MOST_GAMES}")
    return float(value)


def whole(value: Any, what: str, least: int) -> int:
    """Return a whole number from `least` up; raise Refused if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise Refused(f"{what} = {value!r}; allowed: whole numbers from {least} up")
    return int(value)
