"""Chooses which points play each other next: the two whose games reveal most about where the top is.

As in `propose.py`, but as if something mattered: else, with effects of a few Elo, the model would believe
for very long that nothing does, and ask at random. The variance of f(top) - f(recommended) is to shrink, over the draws of the top; here
by the difference of two places, any two of the candidates, draws from CLOP's weights among them; two that
have played each other are preferred where they teach as much. Two places far apart differ by more than their games' chance, until so much that the better one wins anyway, or until
their difference depends on what is not asked; the covariance knows both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from joute.engines.kernels.compile import Floats
from joute.studies.tuner.clop import Weights
from joute.studies.tuner.domain import Domain
from joute.studies.tuner.model.counts import Counts
from joute.studies.tuner.model.gp import chance
from joute.studies.tuner.model.noise import Noise
from joute.studies.tuner.model.records import Rows
from joute.studies.tuner.model.team import Belief, Team
from joute.studies.tuner.propose import (
    AROUND,
    DRAWS,
    FEWEST,
    FEWEST_EARLY,
    GROWTH,
    KEEP,
    LOCAL,
    OLD,
    OPPOSITE,
    OPTIMISM,
    SOME,
    SOON,
    WALKERS,
    about,
    around,
    candidates,
    games_a_pick,
    opposite,
    promising,
)

Out = Sequence[tuple[Floats, Floats, float]]
PAIR = 2


def fought_rows(counts: Counts, team: Team) -> Rows:
    """Return the rows of counts that are duels: of very many those whose places may well be best."""
    rows = np.flatnonzero(counts.duels)
    if len(rows) <= OLD or counts.Y is None:
        return rows
    (first, sd), (second, other) = team.marginal(counts.X[rows]), team.marginal(counts.Y[rows])
    hopes = first + second + 2 * (sd + other)
    return np.sort(rows[np.argsort(-hopes, kind="stable")[:OLD]])


@dataclass(frozen=True)
class DuelPicks:
    """The two places of each pick of a plan, games between them, and draws of the top."""

    places: list[tuple[Floats, Floats]]
    games: int
    tops: Floats


def propose_duels(
    domain: Domain,
    counts: Counts,
    raw: Counts,
    team: Team,
    noise: Noise,
    out: Out,
    tops: Floats | None,
    anchor: Floats,
    block: int,
    rng: np.random.Generator,
) -> DuelPicks:
    """Return a plan for the next games between points; `out`: what was asked for and not told yet.

    `anchor`: the place that all are compared with in the end. The rest as in `propose`.
    """
    team, played = team.mattering(), float(raw.games.sum())
    rows = fought_rows(counts, team)
    ends = np.vstack([counts.X[rows], counts.Y[rows]]) if counts.Y is not None else counts.X[:0]
    old = ends if len(ends) else promising(counts.places, team)
    C = np.vstack([old, candidates(domain, counts, team, tops, rng), *about(domain, team, rng)])
    tops = C[team.belief(C, DRAWS, rng).draws.argmax(0)]
    some = len(old) + rng.choice(len(C) - len(old), min(SOME, len(C) - len(old)), replace=False)
    several = domain.shape.numbers > 1 or bool(domain.shape.choices)
    walked = Weights(domain, raw).draw(WALKERS, rng) if several else C[:0]
    fought = np.array([ends for *ends, _ in out]).reshape(-1, C.shape[1])
    C = np.vstack(
        [
            old,
            np.unique(tops, axis=0),
            C[some],
            around(domain, tops, AROUND, (0.05, 0.25, 0.7), rng),
            opposite(domain, tops, OPPOSITE, rng),
            anchor[None],
            fought,
            walked,
        ]
    )
    first_fought = len(C) - len(walked) - len(fought)
    known = played + sum(games for *_, games in out)
    total = max(FEWEST_EARLY if played < SOON else FEWEST, int(GROWTH * known))
    games = games_a_pick(total, played, block)
    playable = domain.places([domain.point(place) for place in C])  # their numbers are tidied
    chooser = DuelChooser(playable, team.belief(C, DRAWS, rng), games, played, noise)
    for i, (*_, pending) in enumerate(out):
        chooser.assume(first_fought + 2 * i, first_fought + 2 * i + 1, pending)
    for _ in range(max(1, total // games)):
        chooser.take(*chooser.best(len(rows)))
    places = [(C[i].copy(), C[j].copy()) for i, j in chooser.taken]
    return DuelPicks(places, games, C[chooser.tops])


class DuelChooser:
    """Picks duels between candidates C one by one; each pick changes what is still uncertain."""

    def __init__(self, C: Floats, seen: Belief, games: int, played: float, noise: Noise) -> None:
        self.tops = seen.draws.argmax(0)
        self.taken: list[tuple[int, int]] = []
        self._T, self._best = seen.covariance.copy(), int(seen.mean.argmax())
        T, best = self._T, self._best
        self._among, inverse = np.unique(self.tops, return_inverse=True)
        self._share = np.bincount(np.ravel(inverse)) / len(self.tops)
        self._gap = T[self._among] - T[best]  # covariances of f(top) - f(best)
        self._shared = (self._share[:, None] * self._gap).T @ self._gap
        p = chance(seen.mean[:, None] - seen.mean)
        self._noise_a_game = noise.spread * noise.a_block(p, PAIR) / (p * (1 - p) + 1e-9)
        self._noise = self._noise_a_game / games
        self._same = np.abs(C[:, None] - C).max(2) < 1e-9 if len(C) else np.zeros((0, 0), bool)
        self._noise[self._same] = np.inf  # a duel of a place with itself tells nothing
        apart = np.maximum(T.diagonal() + T[best, best] - 2 * T[best], 0.0)
        drop = np.maximum(seen.mean[best] - seen.mean - OPTIMISM * np.sqrt(apart), 0.0)
        near = np.exp(-drop * np.sqrt(max(played, 1.0)) / LOCAL)
        self._near = np.sqrt(near[:, None] * near)

    def gains(self) -> Floats:
        """Return how much games of each candidate against each would shrink the variance of
        f(top) - f(best).
        """
        T, squares = self._T, self._shared.diagonal()
        lost = squares[:, None] + squares - 2 * self._shared
        variance = T.diagonal()[:, None] + T.diagonal() - 2 * T
        gains: Floats = lost * self._near / (np.maximum(variance, 0.0) + self._noise)
        return gains

    def best(self, fought: int = 0) -> tuple[int, int]:
        """Return the most informative duel; if as good, one that has games: of the first so many
        candidates each against the one as many places further on.
        """
        gains = np.where(self._same, -1.0, self.gains())
        i, j = (int(place) for place in np.unravel_index(int(gains.argmax()), gains.shape))
        if fought:
            again = gains[np.arange(fought), fought + np.arange(fought)]
            old = int(again.argmax())
            if again[old] >= KEEP * gains[i, j]:
                return old, fought + old
        return i, j

    def take(self, i: int, j: int) -> None:
        """Take a duel: its games will be played."""
        self.taken.append((i, j))
        self._shrink(i, j, float(self._noise[i, j]))

    def assume(self, i: int, j: int, games: float) -> None:
        """Count the games that are out."""
        self._shrink(i, j, float(self._noise_a_game[i, j]) / games)

    def _shrink(self, i: int, j: int, noise: float) -> None:
        column = self._T[:, i] - self._T[:, j]
        variance = column[i] - column[j] + noise
        moved = (column[self._among] - column[self._best]) / variance
        weighted = self._share * moved
        both = np.outer(column, self._gap.T @ weighted)
        self._shared += float(weighted @ moved) * np.outer(column, column) - both - both.T
        self._gap -= np.outer(moved, column)
        self._T -= np.outer(column, column / variance)
