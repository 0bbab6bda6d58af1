"""What a tuner keeps between plans: counts, games that are out, its model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from joute.engines.kernels.compile import Floats
from joute.engines.parameter import Value
from joute.studies.tuner.domain import Domain, Point
from joute.studies.tuner.model.counts import MOST, Blocks, Counts
from joute.studies.tuner.model.noise import Noise, spread_told
from joute.studies.tuner.model.team import Team
from joute.studies.tuner.outstanding import Outstanding, OutstandingDuels

ASKED, TOLD, WITHDRAWN = "asked", "told", "withdrawn"
PAIRS, BLOCKS = "pairs", "blocks"
DUEL, DUEL_PAIRS = "duel", "duel pairs"
DUEL_ASKED, DUEL_WITHDRAWN = "duel asked", "duel withdrawn"
REFIT = 1.3  # growth of the games after which sizes and lengths are fitted again
PLACES, ENOUGH = 4, 40  # places with games, or games in all, from which the model is asked

Plan = list[tuple[Point, int]]  # points, and games at each
DuelPlan = list[tuple[Point, Point, int]]  # two points, and games between them
Told = tuple[Floats, Blocks]
ToldDuel = tuple[Floats, Floats, Blocks]


class TunerState:
    """The state of one search.

    `counts`: as the model reads them, near places merged where there are very many; `raw`: the same
    unmerged; `log`: every change, from which all but the model follows; `fitted`: games at the last
    fit; `excess`: what the blocks of then showed of their noise; `tops`: draws of the top at the last
    plan; `queue`: the rest of that plan; `duels`: likewise of the last one of duels; `anchor`: the
    place that others are seen against if there are duels alone.
    """

    def __init__(self, domain: Domain, kept: Floats | None, queue: Plan) -> None:
        """Start a search; `kept` is a place that is never merged."""
        middle = domain.places([domain.point(np.zeros(domain.shape.columns))])[0]
        self.anchor: Floats = middle if kept is None else kept
        self.duels: DuelPlan = []
        self.duels_out = OutstandingDuels(domain)
        self.domain, self.kept, self.queue = domain, kept, queue
        columns = domain.shape.columns
        self.counts, self.raw = Counts(columns), Counts(columns)
        self.out = Outstanding(domain)
        self.log: list[list[Any]] = []
        self.games, self.tellings = 0.0, 0
        self.team = Team(domain.shape, default=kept)
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

    def asked_duel(self, point: Point, other: Point, games: int) -> None:
        """Note games between two points that go out."""
        self.log.append([DUEL_ASKED, point, other, games])
        self.duels_out.add(point, other, games)

    def withdrawn_duel(self, point: Point, other: Point, games: float) -> None:
        """Note games between two points that will not be played."""
        self.log.append([DUEL_WITHDRAWN, point, other, games])
        self.duels_out.take(point, other, games)

    def told_duel(
        self, point: Point, other: Point, wins: float, draws: float, losses: float
    ) -> ToldDuel:
        """Note results of the first of two points; return their places and what the model is to read."""
        self.log.append([DUEL, point, other, wins, draws, losses])
        self._results += (wins, draws, losses)
        return self._duelled(point, other, Blocks(1, wins + draws + losses, wins + draws / 2))

    def told_duel_pairs(
        self, point: Point, other: Point, pairs: Sequence[float], results: Sequence[float]
    ) -> ToldDuel:
        """Note pairs of the first of two points, likewise; `results` as for pairs."""
        self.log.append([DUEL_PAIRS, point, other, list(pairs), list(results)])
        if results:
            self._results += results
        else:
            self._pairs += pairs
        return self._duelled(point, other, Blocks.of_pairs(pairs))

    def _duelled(self, point: Point, other: Point, games: Blocks) -> ToldDuel:
        """Note that games are no longer out; count them unmerged."""
        if self.raw.Y is None:  # effects are weaker now
            self.team = Team(self.domain.shape, careful=True, default=self.kept)
            self.fitted = 0.0
        self.duels_out.take(point, other, games.games)
        self.games, self.tellings = self.games + games.games, self.tellings + 1
        first, second = self.domain.places([point, other])
        self.raw.add_duels(first, second, games)
        return first, second, games

    def learn_duel(self, place: Floats, other: Floats, games: Blocks) -> None:
        """Let the model read the told games of two places; fit it again likewise."""
        self.counts.add_duels(place, other, games)
        self._learnt()

    def _back(self, point: Point, games: Blocks) -> Told:
        """Note that games are no longer out; count them unmerged."""
        self.out.take(point, games.games)
        self.games, self.tellings = self.games + games.games, self.tellings + 1
        place: Floats = self.domain.places([point])[0]
        self.raw.add_blocks(place, games)
        return place, games

    def learn(self, place: Floats, games: Blocks) -> None:
        """Let the model read the told games; fit it again if they have grown enough."""
        self.counts.add_blocks(place, games)
        self._learnt()

    def _learnt(self) -> None:
        if len(self.counts.places) > MOST:
            self.counts.merge(self.team.metric, self.domain.shape.numbers, self.kept)
        if self.readable and self.games >= REFIT * self.fitted:
            noise = self.team.learn(self.read, self.noise)
            self.excess, self.fitted = dict(noise.excess), self.games

    @property
    def read(self) -> Counts:
        """The counts with a level, as the model reads them."""
        return self.counts.anchored(self.anchor, self.noise.spread)

    @property
    def readable(self) -> bool:
        """Whether there is enough data to ask the model; a small space has few places."""
        return len(self.counts) >= PLACES or self.games >= ENOUGH

    def at(self, point: dict[str, Value]) -> float:
        """Return a point's number of games: told and out."""
        gap = np.abs(self.raw.X - self.domain.places([point])[0]).max(1, initial=0.0)
        own = (gap < 1e-9) & ~self.raw.duels
        return float(self.raw.games[own].sum()) + self.out[point]

    def met(self, place: Floats) -> float:
        """Return the number of games of the point at a place against other points: told and out."""
        if self.raw.Y is None:
            return 0.0
        ends = np.stack([self.raw.X, self.raw.Y])[:, self.raw.duels]
        own = (np.abs(ends - place).max(2, initial=0.0) < 1e-9).any(0)
        told = float(self.raw.games[self.raw.duels][own].sum())
        out = (
            games
            for a, b, games in self.duels_out.places()
            if (a == place).all() or (b == place).all()
        )
        return told + sum(out)

    @property
    def free(self) -> Noise:
        """The noise of games by their wins, draws and losses alone: those of pairs are guessed from
        the scores as long as hardly any others are known.
        """
        return Noise(spread_told(self._results, self._pairs))

    @property
    def noise(self) -> Noise:
        """The noise with what blocks share, as of the last fit."""
        return Noise(self.free.spread, self.excess)
