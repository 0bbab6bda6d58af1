"""How much results vary: the one estimator of search and answer.

Draws make a game vary less than a coin (`spread`). Games that share an opening tell more than as many
free ones where it favours a seat (a lead is paid back with the seats exchanged) and less where it favours
an engine. Of an effect of the opening on the log-odds both games of a pair feel p(1 - p) times as much, so
their correlation is largest at even scores and goes as 4p(1 - p); `excess` is what it is there. It is
measured in the residuals of the members' own fits, by as many blocks as these leave free
(E[r^2] = s^2 (1 - h), with h the share of a record in its own estimate), and is 0 before any block.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from joute.engines.kernels.compile import Floats
from joute.studies.tuner.model.counts import Counts
from joute.studies.tuner.model.gp import Process

PRIOR = 30.0  # blocks at an even score that the variance of free games counts for
LEAST, MOST = (
    0.1,
    1.0,
)  # variance of a block, as a share of that of free games; most: times its games
LEAST_SPREAD = 0.05  # share of a coin's variance, if all games are drawn
SHRUNK = 20.0  # games at the overall score that are added to a place's own to find its level
SURELY = 0.02  # distance of an expected score from 0 and 1 in a variance
KNOWN = 60  # games with known results from which the draws of others are not guessed
STARTS = (0.1, 0.5, 0.9)  # of the draws' estimate: where openings decide, it has two maxima
ROUNDS = 60  # of each


@dataclass(frozen=True)
class Noise:
    """`spread`: variance of a game as a share of a coin's; `excess`: by the games of a block, how much
    the variance of its mean exceeds that of free games at an even score, as a share of it.
    """

    spread: float = 1.0
    excess: Mapping[int, float] = field(default_factory=dict)

    @property
    def pair_variance(self) -> float | None:
        """The variance of a pair at an even score, as a share of that of two free games, if known."""
        return float(np.clip(1 + self.excess[2], LEAST, 2 * MOST)) if 2 in self.excess else None

    def factors(self, counts: Counts, size: int) -> Floats:
        """Return, at each place, the variance of a block of so many games over that of free games."""
        excess = self.excess.get(size, 0.0)
        ends: Floats = np.clip(1 + excess * evenness(counts), LEAST, MOST * size)
        return ends

    def thinned(self, counts: Counts) -> tuple[Floats, Floats]:
        """Return points won and games of independent coins that say as much, at each place."""
        if not counts.blocks:
            return counts.won / self.spread, counts.games / self.spread
        won, games = counts.won.copy(), counts.games.copy()
        for size, (count, total, _) in counts.blocks.items():
            share = 1 / self.factors(counts, size) - 1
            won += size * total * share
            games += size * count * share
        won = np.clip(won, 0.0, games)
        return won / self.spread, games / self.spread

    def a_block(self, scores: Floats, size: int) -> Floats:
        """Return the variance of a block of so many games over that of free games, at such scores."""
        excess = self.excess.get(size, 0.0)
        factors: Floats = np.clip(1 + excess * 4 * scores * (1 - scores), LEAST, MOST * size)
        return factors

    def measured(self, counts: Counts, members: Iterable[tuple[Process, float]]) -> Noise:
        """Return the noise that the residuals of weighted processes show, which have read the counts."""
        if not counts.blocks:
            return self
        asked = [(*member.at_scores(), weight) for member, weight in members]
        even, games = evenness(counts), np.maximum(self.thinned(counts)[1], 1e-9)
        excess = {}
        for size, (count, total, squares) in counts.blocks.items():
            own = size * count / (self.factors(counts, size) * self.spread) / games
            above, free = 0.0, PRIOR
            for p, share, weight in asked:
                p = np.clip(p, SURELY, 1 - SURELY)
                residuals = squares - 2 * p * total + count * p * p
                relative = residuals * size / (p * (1 - p) * self.spread)
                left = np.where(count > 0, np.maximum(count - share * own, 0.0), 0.0)
                above += weight * float((even * (relative - left)).sum())
                free += weight * float((even * even * left).sum())
            excess[size] = above / free
        return Noise(self.spread, excess)


def as_noise(noise: Noise | float) -> Noise:
    """Return a spread as the noise of free games."""
    return noise if isinstance(noise, Noise) else Noise(noise)


def evenness(counts: Counts) -> Floats:
    """Return 4p(1 - p) at the level p of each record: its score, drawn to that of all games; of duels
    to 1/2.
    """
    if counts.Y is None:
        mean: Floats | float = counts.won.sum() / max(float(counts.games.sum()), 1e-9)
    else:
        duels = counts.duels
        level = counts.won[~duels].sum() / max(float(counts.games[~duels].sum()), 1e-9)
        mean = np.where(duels, 0.5, level)
    p = (counts.won + SHRUNK * mean) / (counts.games + SHRUNK)
    even: Floats = 4 * p * (1 - p)
    return even


def spread_of(wins: float, draws: float, losses: float) -> float:
    """Return the variance of a result, as a share of that without draws at the same score."""
    games = wins + draws + losses
    if not draws or not games:
        return 1.0
    p = (wins + draws / 2 + 0.5) / (games + 1)
    return float(max(LEAST_SPREAD, 1 - draws / games / (4 * p * (1 - p))))


def spread_told(known: Floats, pairs: Floats) -> float:
    """Return the variance of a result, as a share of that without draws: by known wins, draws and losses;
    as long as there are hardly any, also by what pairs of such scores (5,) may have been.
    """
    return spread_of(*(known if known.sum() >= KNOWN else known + free_results(pairs)))


def free_results(pairs: Floats) -> Floats:
    """Return the wins, draws and losses that pairs of free games with such scores (5,) would be, by
    maximum likelihood: of the pairs with a point each, some are two draws.
    """
    if not pairs.sum():
        return np.zeros(3)
    found = [_climbed(pairs, start) for start in STARTS]
    return max(found, key=lambda results: _likelihood(pairs, results))


def _climbed(pairs: Floats, drawn: float) -> Floats:
    """Return the results of a local maximum; `drawn`: share of the even pairs that are two draws, at first."""
    none, half, even, more, both = (float(n) for n in pairs)
    w = d = lost = 0.0
    for _ in range(ROUNDS):
        d = half + more + 2 * drawn * even
        w = more + 2 * both + (1 - drawn) * even
        lost = half + 2 * none + (1 - drawn) * even
        drawn = d * d / max(d * d + 2 * w * lost, 1e-12)
    return np.array([w, d, lost])


def _likelihood(pairs: Floats, results: Floats) -> float:
    """Return the logarithm of the chance of pairs, if games are free and won, drawn and lost so often."""
    w, d, lost = (float(n) for n in results / results.sum())
    chances = np.array([lost * lost, 2 * d * lost, d * d + 2 * w * lost, 2 * d * w, w * w])
    return float((pairs * np.log(np.maximum(chances, 1e-300))).sum())
