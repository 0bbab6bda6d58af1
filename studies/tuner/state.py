"""What a tuner keeps between plans: counts, games that are out, its model."""

from __future__ import annotations

from typing import Any

import numpy as np

from joute.engines.kernels.compile import Floats
from joute.engines.parameter import Value
from joute.studies.tuner.domain import Domain, Point
from joute.studies.tuner.model.counts import MOST, Counts
from joute.studies.tuner.model.team import Team
from joute.studies.tuner.outstanding import Outstanding

ASKED, TOLD, WITHDRAWN = "asked", "told", "withdrawn"
REFIT = 1.3  # growth of the games after which sizes and lengths are fitted again
PLACES, ENOUGH = 4, 40  # places with games, or games in all, from which the model is asked
LEAST_SPREAD = 0.05  # share of a coin's variance, if all games are drawn

Plan = list[tuple[Point, int]]  # points, and games at each


class TunerState:
    """The state of one search.

    `counts`: as the model reads them, near places merged where there are very many; `raw`: the same
    unmerged; `log`: every change, from which all but the model follows; `fitted`: games at the last
    fit; `tops`: draws of the top at the last plan; `queue`: the rest of that plan.
    """

    def __init__(self, domain: Domain, kept: Floats | None, queue: Plan) -> None:
        """Start a search; `kept` is a place that is never merged."""
        self.domain, self.kept, self.queue = domain, kept, queue
        columns = domain.shape.columns
        self.counts, self.raw = Counts(columns), Counts(columns)
        self.out = Outstanding(domain)
        self.log: list[list[Any]] = []
        self.games = 0.0
        self.team = Team(domain.shape)
        self.fitted = 0.0
        self.tops: Floats | None = None
        self.plans = 0
        self._results = np.zeros(3)

    def asked(self, point: Point, games: int) -> None:
        """Note games that go out."""
        self.log.append([ASKED, point, games])
        self.out.add(point, games)

    def withdrawn(self, point: Point, games: float) -> None:
        """Note games that will not be played."""
        self.log.append([WITHDRAWN, point, games])
        self.out.take(point, games)

    def told(self, point: Point, wins: float, draws: float, losses: float) -> Floats:
        """Note results; return their place."""
        self.log.append([TOLD, point, wins, draws, losses])
        games = wins + draws + losses
        self.out.take(point, games)
        self._results += (wins, draws, losses)
        self.games += games
        place: Floats = self.domain.places([point])[0]
        self.raw.add(place, wins + draws / 2, games)
        return place

    def learn(self, place: Floats, won: float, games: float) -> None:
        """Let the model read the told games; fit it again if they have grown enough."""
        self.counts.add(place, won, games)
        if len(self.counts) > MOST:
            self.counts.merge(self.team.metric, self.domain.shape.numbers, self.kept)
        if self.readable and self.games >= REFIT * self.fitted:
            self.team.learn(self.counts, self.spread)
            self.fitted = self.games

    @property
    def readable(self) -> bool:
        """Whether there is enough data to ask the model; a small space has few places."""
        return len(self.counts) >= PLACES or self.games >= ENOUGH

    def at(self, point: dict[str, Value]) -> float:
        """Return a point's number of games: told and out."""
        gap = np.abs(self.raw.X - self.domain.places([point])[0]).max(1, initial=0.0)
        return float(self.raw.games[gap < 1e-9].sum()) + self.out[point]

    @property
    def spread(self) -> float:
        """Variance of a result, as a share of that without draws at the same score."""
        wins, draws, losses = self._results
        games = wins + draws + losses
        if not draws or not games:
            return 1.0
        p = (wins + draws / 2 + 0.5) / (games + 1)
        return float(max(LEAST_SPREAD, 1 - draws / games / (4 * p * (1 - p))))
