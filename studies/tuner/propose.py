"""Chooses where the next games are played: at places that reveal most about where the top is.

With one number: the places that shrink most the variance of f(top) - f(recommended), over the draws
of the top, near enough to the best to matter; besides, some far from all others, and some whose own
record may be the best, whatever the model says: that finds hills and windows which it does not expect,
and steadies it elsewhere. With more: draws from CLOP's weights, as over a whole box that rule trusts
the model too far; the more the counts look like a sum over the parameters, the more of these draws the
rule chooses, and the fewer are taken as they come. A few picks are global; so are as many as the model
believes that the top is near the default.
Games that are out already count without their outcomes: a covariance needs none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc

from joute.engines.kernels.compile import Floats
from joute.studies.tuner.clop import Weights
from joute.studies.tuner.domain import Domain
from joute.studies.tuner.model.counts import Counts
from joute.studies.tuner.model.gp import chance
from joute.studies.tuner.model.team import Belief, Team

DRAWS = 128  # joint draws of the log-odds at all candidates
WALKERS = 60
SOME, AROUND, OPPOSITE = 30, 40, 41  # candidates: anywhere, near the top, beyond it
ABOUT, DISTANCES = 20, (0.3, 0.1)  # and near the default, at each distance
OLD = 100  # most places with games that may get more
SUM_FROM, SUM_TO = 0.5, 0.9  # weights of an additive model between which CLOP's draws are chosen
GLOBAL = 0.05  # share of picks not drawn from CLOP's weights
THOMPSON_LINE, THOMPSON = 0.2, 0.6  # share of the global picks that are draws of the top
THOMPSON_EARLY, EARLY = 0.5, 150
LOCAL = 8.0  # units of 1 / sqrt(games) that a place may be worse than the best
OPTIMISM = 0.5  # standard deviations granted to a place before it counts as worse
KEEP = 0.9  # share of the best gain at which a place with games is preferred
GROWTH = 0.1  # games of a plan, as a share of the games so far
FEWEST, FEWEST_EARLY, SOON = 20, 12, 200
UNVISITED, BOLD = 0.15, 0.15  # share of picks far from all others, and by own records: one number
PRIOR = 4.0  # games that the model counts for beside a place's own record
HOPE = 0.05  # least chance that such a place is as good as the best
EDGE = 1e-3  # a score's least distance from 0 and 1
SAME = 1e-9  # distance up to which two places are one
FAR, SPARE = 30, 12  # places tried for one that is far; places made of either kind
REPLICATES, PICKS = 2, 24  # games a pick, unless a plan then had more picks than this


@dataclass(frozen=True)
class Picks:
    """The places of a plan, games at each, and draws of the top."""

    places: list[Floats]
    games: int
    tops: Floats


def candidates(
    domain: Domain, counts: Counts, team: Team, tops: Floats | None, rng: np.random.Generator,
    count: int = 210,
) -> Floats:  # fmt: skip
    """Return places to choose from: anywhere, near the best so far, and near the likely top."""
    third = count // 3
    places = [domain.scattered(rng.random((third, len(domain.axes))))]
    if len(counts):
        known = counts.places
        best = known[np.argsort(-team.score(known), kind="stable")[:6]]
        for scale in (0.3, 0.08):
            places.append(domain.moved(best[rng.integers(len(best), size=count // 6)], scale, rng))
    if tops is not None:
        places.append(around(domain, tops, third, (0.1, 0.5, 1.5), rng))
    return np.vstack(places)


def about(domain: Domain, team: Team, rng: np.random.Generator) -> list[Floats]:
    """Return places near the default that the team knows, if there is one."""
    if team.default is None:
        return []
    same = np.repeat(team.default[None], ABOUT, 0)
    return [domain.moved(same, distance, rng) for distance in DISTANCES]


def promising(X: Floats, team: Team) -> Floats:
    """Return the places that may well be the best, in order: at most `OLD` of them."""
    if len(X) <= OLD:
        return X
    mean, sd = team.marginal(X)
    rows = np.argsort(-(mean + 2 * sd), kind="stable")[:OLD]
    return X[np.sort(rows)]


def around(
    domain: Domain, tops: Floats, count: int, scales: Sequence[float], rng: np.random.Generator
) -> Floats:
    """Return places near draws of the top, at multiples of their spread."""
    d = domain.shape.numbers
    spread = tops[:, :d].std(0) + 2e-3
    scale = spread * rng.choice(scales, size=(count, 1))
    return domain.moved(tops[rng.integers(len(tops), size=count)], scale, rng)


def opposite(domain: Domain, tops: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Return places on lines through the mean of the draws of the top, on both sides and beyond."""
    d, rows = domain.shape.numbers, rng.integers(len(tops), size=count)
    middle = tops[:, :d].mean(0)
    reach = rng.choice([-1.0, 1.0], (count, 1)) * rng.choice([1.0, 1.7, 2.5, 3.5], (count, 1))
    places = tops[rows].copy()
    places[:, :d] = middle + reach * (places[:, :d] - middle)
    places[0, :d] = middle
    return domain.snapped(places)


def propose(
    domain: Domain,
    counts: Counts,
    raw: Counts,
    team: Team,
    out: Sequence[tuple[Floats, float]],
    tops: Floats | None,
    block: int,
    rng: np.random.Generator,
) -> Picks:
    """Return a plan for the next games.

    `counts`: as the team has read them, `raw`: the same unmerged; `out`: places asked for and not
    told yet, with their games; `tops`: draws of the top from the last plan.
    """
    played = float(counts.games.sum())
    old = promising(counts.places, team)
    n = len(old)
    C = np.vstack([old, candidates(domain, counts, team, tops, rng), *about(domain, team, rng)])
    tops = C[team.belief(C, DRAWS, rng).draws.argmax(0)]
    some = n + rng.choice(len(C) - n, min(SOME, len(C) - n), replace=False)
    several = domain.shape.numbers > 1 or bool(domain.shape.choices)
    walked = Weights(domain, raw).draw(WALKERS, rng) if several else C[:0]
    waiting = np.array([place for place, _ in out]).reshape(-1, C.shape[1])
    line = domain.shape.numbers == len(domain.axes) == 1
    apart = unvisited(domain, np.vstack([raw.places, waiting]), rng) if line else C[:0]
    bold = by_record(raw, team) if line else C[:0]
    parts = [
        C[:n],
        np.unique(tops, axis=0),
        C[some],
        around(domain, tops, AROUND, (0.05, 0.25, 0.7), rng),
        opposite(domain, tops, OPPOSITE, rng),
        waiting,
        walked,
        apart,
        bold,
    ]
    C = np.vstack(parts)
    first_bold = len(C) - len(bold)
    first_apart = first_bold - len(apart)
    first_walked = first_apart - len(walked)
    first_waiting = first_walked - len(waiting)
    seen = team.belief(C, DRAWS, rng)
    known = played + sum(pending for _, pending in out)
    total = max(FEWEST_EARLY if played < SOON else FEWEST, int(GROWTH * known))
    games = games_a_pick(total, played, block)
    chooser = Chooser(seen, games, played, n)
    for i, (_, pending) in enumerate(out):
        chooser.assume(first_waiting + i, pending)
    left = list(range(first_walked, first_apart))
    apart_left, bold_left = list(range(first_apart, first_bold)), list(range(first_bold, len(C)))
    picks = max(1, total // games)
    near = team.near
    chosen = (team.additive - SUM_FROM) / (SUM_TO - SUM_FROM)
    thompson = THOMPSON_LINE if len(domain.axes) == 1 else THOMPSON
    if played <= EARLY:
        thompson = THOMPSON_EARLY
    for k in range(picks):
        share = rng.random() if line else 1.0
        if apart_left and share < UNVISITED:
            i = apart_left.pop(0)
        elif bold_left and UNVISITED <= share < UNVISITED + BOLD:
            i = bold_left.pop(0)
        elif left and k < (1 - GLOBAL) * picks and not (near and rng.random() < near):
            i = chooser.best_of(left) if rng.random() < chosen else left[0]
            left.remove(i)
        elif rng.random() < thompson:
            i = chooser.of_the_top(rng)
        else:
            i = chooser.best_anywhere()
        chooser.take(i)
    places = [C[i].copy() for i in chooser.taken]
    return Picks(places, games, C[chooser.tops])


def unvisited(domain: Domain, known: Floats, rng: np.random.Generator) -> Floats:
    """Return places far from the known ones and from each other; none where all have been visited."""
    found = np.empty((0, known.shape[1]))
    for _ in range(SPARE):
        tried = domain.scattered(rng.random((FAR, len(domain.axes))))
        away = np.abs(tried[:, None] - np.vstack([known, found])).max(2).min(1)
        if away.max() > SAME:
            found = np.vstack([found, tried[[int(away.argmax())]]])
    return found


def by_record(raw: Counts, team: Team) -> Floats:
    """Return places that won more often than the model can explain, the least likely first, if they may
    be the best: those whose own record, beside a few games at the model's score, may reach the best
    score of all. None where all games are duels.
    """
    own = ~raw.duels
    places, won, games = raw.X[own], raw.won[own], raw.games[own]
    if not len(places):
        return places
    score = np.clip(team.score(places), EDGE, 1 - EDGE)
    lost = games - won
    luck = np.where(won > 0, betainc(np.maximum(won, EDGE), lost + 1, score), 1.0)
    best = 1 - betainc(won + PRIOR * score, lost + PRIOR * (1 - score), score.max())
    rows = np.flatnonzero(best > HOPE)
    rows = rows[np.argsort(luck[rows], kind="stable")[:SPARE]]
    found: Floats = places[rows]
    return found


def games_a_pick(total: int, played: float, block: int) -> int:
    """Return the games at each pick of a plan: whole blocks, more where a plan would be long."""
    games = max(block, REPLICATES)
    while total / games > PICKS or games % block:
        games += 1
    return games


class Chooser:
    """Picks candidates one by one; each pick changes what is still uncertain."""

    def __init__(self, seen: Belief, games: int, played: float, counted: int) -> None:
        self.tops = seen.draws.argmax(0)
        self.taken: list[int] = []
        self._T, self._best = seen.covariance.copy(), int(seen.mean.argmax())
        best = self._best
        self._among, inverse = np.unique(self.tops, return_inverse=True)
        self._share = np.bincount(np.ravel(inverse)) / len(self.tops)
        p = chance(seen.mean)
        self._noise_a_game = 1 / (p * (1 - p) + 1e-9)
        self._noise = self._noise_a_game / games
        self._known = np.arange(len(seen.mean)) < counted
        # places that are surely worse than the data can resolve teach little about the top
        T = self._T
        apart = np.maximum(T.diagonal() + T[best, best] - 2 * T[best], 0.0)
        drop = np.maximum(seen.mean[best] - seen.mean - OPTIMISM * np.sqrt(apart), 0.0)
        self._near = np.exp(-drop * math.sqrt(max(played, 1.0)) / LOCAL)

    def _gain(self) -> Floats:
        """Return how much each candidate would shrink the variance of f(top) - f(best)."""
        gap = self._T[self._among] - self._T[self._best]
        gains: Floats = self._share @ (gap * gap) / (self._T.diagonal() + self._noise)
        return gains

    def best_of(self, among: Sequence[int]) -> int:
        """Return the most informative of some candidates, by its index."""
        gain = self._gain()[list(among)]
        return int(among[int(gain.argmax())])

    def best_anywhere(self) -> int:
        """Return the most informative candidate near the best; if as good, one that has games."""
        gain = self._gain() * self._near
        i, old = int(gain.argmax()), int(np.where(self._known, gain, -1.0).argmax())
        return old if self._known[old] and gain[old] >= KEEP * gain[i] else i

    def of_the_top(self, rng: np.random.Generator) -> int:
        """Return a draw of the top."""
        return int(self.tops[rng.integers(len(self.tops))])

    def take(self, i: int) -> None:
        """Take a candidate: its games will be played."""
        self.taken.append(i)
        self._known[i] = True
        self._shrink(i, float(self._noise[i]))

    def assume(self, i: int, games: float) -> None:
        """Count the games that are out."""
        self._shrink(i, float(self._noise_a_game[i]) / games)

    def _shrink(self, i: int, noise: float) -> None:
        column = self._T[i].copy()
        self._T -= np.outer(column, column / (column[i] + noise))
