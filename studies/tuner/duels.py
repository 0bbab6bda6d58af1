"""Chooses which points play each other next: the two whose games reveal most about where the top is.

As in `propose.py`, but as if something mattered: else, with effects of a few Elo, the model would believe
for very long that nothing does, and ask at random. The variance of f(top) - f(recommended) is to shrink, over the draws of the top; here
by the difference of two places. Of the first place the draws from CLOP's weights are taken as they come,
or chosen among where the games look like a sum; the second is whichever teaches most beside it. Two places
far apart differ by more than their games' chance, until so much that the better one wins anyway, or until
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
from joute.studies.tuner.model.team import Belief, Team
from joute.studies.tuner.propose import (
    AROUND,
    DRAWS,
    FEWEST,
    FEWEST_EARLY,
    GLOBAL,
    GROWTH,
    LOCAL,
    OPPOSITE,
    OPTIMISM,
    SOME,
    SOON,
    SUM_FROM,
    SUM_TO,
    WALKERS,
    around,
    candidates,
    games_a_pick,
    opposite,
    promising,
)

Out = Sequence[tuple[Floats, Floats, float]]
PAIR = 2


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
    old = promising(counts.places, team)
    C = np.vstack([old, candidates(domain, counts, team, tops, rng)])
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
    first_walked = len(C) - len(walked)
    first_fought = first_walked - len(fought)
    known = played + sum(games for *_, games in out)
    total = max(FEWEST_EARLY if played < SOON else FEWEST, int(GROWTH * known))
    games = games_a_pick(total, played, block)
    chooser = DuelChooser(C, team.belief(C, DRAWS, rng), games, played, noise)
    for i, (*_, pending) in enumerate(out):
        chooser.assume(first_fought + 2 * i, first_fought + 2 * i + 1, pending)
    left = list(range(first_walked, len(C)))
    picks = max(1, total // games)
    chosen = (team.additive - SUM_FROM) / (SUM_TO - SUM_FROM)
    for k in range(picks):
        if left and k < (1 - GLOBAL) * picks:
            i = chooser.best_of(left)[0] if rng.random() < chosen else left[0]
            left.remove(i)
            chooser.take(*chooser.best_of([i]))
        else:
            chooser.take(*chooser.best_of(range(len(C))))
    places = [(C[i].copy(), C[j].copy()) for i, j in chooser.taken]
    return DuelPicks(places, games, C[chooser.tops])


class DuelChooser:
    """Picks duels between candidates one by one; each pick changes what is still uncertain."""

    def __init__(self, C: Floats, seen: Belief, games: int, played: float, noise: Noise) -> None:
        self.tops = seen.draws.argmax(0)
        self.taken: list[tuple[int, int]] = []
        self._T, self._best = seen.covariance.copy(), int(seen.mean.argmax())
        T, best = self._T, self._best
        self._among, inverse = np.unique(self.tops, return_inverse=True)
        self._share = np.bincount(np.ravel(inverse)) / len(self.tops)
        p = chance(seen.mean[:, None] - seen.mean)
        self._noise_a_game = noise.spread * noise.a_block(p, PAIR) / (p * (1 - p) + 1e-9)
        self._noise = self._noise_a_game / games
        same = np.abs(C[:, None] - C).max(2) < 1e-9 if len(C) else np.zeros((0, 0), bool)
        self._noise[same] = np.inf  # a duel of a place with itself tells nothing
        apart = np.maximum(T.diagonal() + T[best, best] - 2 * T[best], 0.0)
        drop = np.maximum(seen.mean[best] - seen.mean - OPTIMISM * np.sqrt(apart), 0.0)
        near = np.exp(-drop * np.sqrt(max(played, 1.0)) / LOCAL)
        self._near = np.sqrt(near[:, None] * near)

    def gains(self, rows: Sequence[int]) -> Floats:
        """Return how much games of some candidates (rows) against each would shrink the variance of
        f(top) - f(best).
        """
        own, T = list(rows), self._T
        gap = T[self._among] - T[self._best]
        weighted = self._share[:, None] * gap
        squares = (weighted * gap).sum(0)
        shared = weighted[:, own].T @ gap
        lost = squares[own, None] + squares - 2 * shared
        variance = T.diagonal()[own, None] + T.diagonal() - 2 * T[own]
        gains: Floats = lost * self._near[own] / (np.maximum(variance, 0.0) + self._noise[own])
        return gains

    def best_of(self, rows: Sequence[int]) -> tuple[int, int]:
        """Return the most informative duel of one of some candidates against any."""
        gains = self.gains(rows)
        i, j = np.unravel_index(int(gains.argmax()), gains.shape)
        return int(rows[int(i)]), int(j)

    def take(self, i: int, j: int) -> None:
        """Take a duel: its games will be played."""
        self.taken.append((i, j))
        self._shrink(i, j, float(self._noise[i, j]))

    def assume(self, i: int, j: int, games: float) -> None:
        """Count the games that are out."""
        self._shrink(i, j, float(self._noise_a_game[i, j]) / games)

    def _shrink(self, i: int, j: int, noise: float) -> None:
        column = self._T[:, i] - self._T[:, j]
        self._T -= np.outer(column, column / (column[i] - column[j] + noise))
