"""What a tuner keeps between plans: counts, games that are out, its model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from joute.engines.kernels.compile import Floats
from joute.engines.parameter import Value
from joute.studies.tuner.domain import Domain, Point
from joute.studies.tuner.model.counts import MOST, Blocks, Counts
from joute.studies.tuner.model.noise import Noise, free_results, spread_of
from joute.studies.tuner.model.team import Team
from joute.studies.tuner.outstanding import Outstanding

ASKED, TOLD, WITHDRAWN = "asked", "told", "withdrawn"
PAIRS, BLOCKS = "pairs", "blocks"
REFIT = 1.3  # growth of the games after which sizes and lengths are fitted again
KNOWN = 60  # games with known results from which the draws of others are not guessed
PLACES, ENOUGH = 4, 40  # places with games, or games in all, from which the model is asked

Plan = list[tuple[Point, int]]  # points, and games at each
Told = tuple[Floats, Blocks]


class TunerState:
    """The state of one search.

    `counts`: as the model reads them, near places merged where there are very many; `raw`: the same
    unmerged; `log`: every change, from which all but the model follows; `fitted`: games at the last
    fit; `excess`: what the blocks of then showed of their noise; `tops`: draws of the top at the last
    plan; `queue`: the rest of that plan.
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
        self.excess: dict[int, float] = {}
        self.tops: Floats | None = None
        self.plans = 0
        self._results, self._pairs = np.zeros(3), np.zeros(5)

    def asked(self, point: Point, games: int) -> None:
        """Note games that go out."""
        self.log.append([ASKED, point, games])
        self.out.add(point, games)

    def withdrawn(self, point: Point, games: float) -> None:
        """Note games that will not be played."""
        self.log.append([WITHDRAWN, point, games])
        self.out.take(point, games)

    def told(self, point: Point, wins: float, draws: float, losses: float) -> Told:
        """Note results of single games; return their place and what the model is to read."""
        self.log.append([TOLD, point, wins, draws, losses])
        self._results += (wins, draws, losses)
        return self._back(point, Blocks(1, wins + draws + losses, wins + draws / 2))

    def told_pairs(self, point: Point, pairs: Sequence[float], results: Sequence[float]) -> Told:
        """Note pairs by their scores, likewise; `results`: their wins, draws and losses, or none."""
        self.log.append([PAIRS, point, list(pairs), list(results)])
        if results:
            self._results += results
        else:
            self._pairs += pairs
        return self._back(point, Blocks.of_pairs(pairs))

    def told_blocks(
        self, point: Point, means: Sequence[float], size: int, results: Sequence[float]
    ) -> Told:
        """Note the mean scores of blocks of so many games, likewise; `results` as for pairs."""
        self.log.append([BLOCKS, point, list(means), size, list(results)])
        if results:
            self._results += results
        return self._back(point, Blocks.of(means, size))

    def _back(self, point: Point, games: Blocks) -> Told:
        """Note that games are no longer out; count them unmerged."""
        self.out.take(point, games.games)
        self.games += games.games
        place: Floats = self.domain.places([point])[0]
        self.raw.add_blocks(place, games)
        return place, games

    def learn(self, place: Floats, games: Blocks) -> None:
        """Let the model read the told games; fit it again if they have grown enough."""
        self.counts.add_blocks(place, games)
        if len(self.counts) > MOST:
            self.counts.merge(self.team.metric, self.domain.shape.numbers, self.kept)
        if self.readable and self.games >= REFIT * self.fitted:
            noise = self.team.learn(self.counts, self.noise)
            self.excess, self.fitted = dict(noise.excess), self.games

    @property
    def readable(self) -> bool:
        """Whether there is enough data to ask the model; a small space has few places."""
        return len(self.counts) >= PLACES or self.games >= ENOUGH

    def at(self, point: dict[str, Value]) -> float:
        """Return a point's number of games: told and out."""
        gap = np.abs(self.raw.X - self.domain.places([point])[0]).max(1, initial=0.0)
        return float(self.raw.games[gap < 1e-9].sum()) + self.out[point]

    @property
    def free(self) -> Noise:
        """The noise of games by their wins, draws and losses alone: those of pairs are guessed from
        the scores as long as hardly any others are known.
        """
        known = self._results
        return Noise(
            spread_of(*(known if known.sum() >= KNOWN else known + free_results(self._pairs)))
        )

    @property
    def noise(self) -> Noise:
        """The noise with what blocks share, as of the last fit."""
        return Noise(self.free.spread, self.excess)
