"""The surrogate: what all trials of a search say about the log-odds anywhere in its space.

All reports come from it: curves with bands, the best point with its interval, importance. It is the
tuner's own model (`joute.studies.tuner.model`), whatever sampler proposed the trials. Games of a
block share their opening: the model measures what that does to their variance (`noise.py`), as it
does while it searches. Scans, and runs that were begun before it could, divide all counts by one
measured dispersion of block scores.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from joute.engines.kernels.compile import Floats
from joute.studies.search.trial import Trial
from joute.studies.tuner.domain import Domain, Point
from joute.studies.tuner.model.counts import Blocks, Counts
from joute.studies.tuner.model.noise import Noise, spread_told
from joute.studies.tuner.model.team import Team, reduced
from joute.studies.tuner.results import scores_of_pairs

SURELY = 400.0  # games that a certain score counts for
FEW = 20  # blocks from which their dispersion is measured


def dispersion(values: list[list[float]], games: float) -> float:
    """Return the variance of block scores as a multiple of that of independent games; 1 if unknown.

    `values`: the block means of each point, of so many games each.
    """
    spread, expected, blocks = 0.0, 0.0, 0
    level = [v for own in values for v in own]
    if not level:
        return 1.0
    p = min(max(float(np.mean(level)), 0.05), 0.95)
    for own in values:
        if len(own) > 1:
            spread += float(np.sum((np.array(own) - np.mean(own)) ** 2))
            blocks += len(own) - 1
    if blocks < FEW:
        centred = np.array(level) - np.mean(level)
        spread, blocks = float(np.sum(centred**2)), max(len(level) - 1, 1)
    expected = blocks * p * (1 - p) / games
    return float(np.clip(spread / expected, 0.2, games)) if len(level) > FEW else 1.0


def observed_blocks(
    space: Domain, trials: Sequence[Trial], games: int, opponent: Point | None = None
) -> tuple[Counts, Noise]:
    """Return the trials as counts of blocks of `games` games, and the noise of games by their draws: those
    of trials without results are guessed from pairs.

    `opponent`: the point of the only opponent, if it is in the space; it scores 1/2 for certain. Where
    points have played each other, games against it are duels too.
    """
    counts, known, pairs = Counts(space.shape.columns), np.zeros(3), np.zeros(5)
    duels = any(trial.other is not None for trial in trials)
    played = [t for t in trials if t.values and (t.other is not None or t.point != opponent)]
    for trial, place in zip(played, space.places([trial.point for trial in played]), strict=True):
        own = scores_of_pairs(trial.values) if games == 2 else None
        if own is not None and any(trial.results):
            known += trial.results
        elif own is not None:
            pairs += own
        other = trial.other or (opponent if duels else None)
        if other is None:
            counts.add_blocks(place, Blocks.of(trial.values, games))
        else:
            counts.add_duels(place, space.places([other])[0], Blocks.of(trial.values, games))
    noise = Noise(spread_told(known, pairs))
    if opponent is not None and not duels:
        surely = SURELY * noise.spread
        counts.add(space.places([opponent])[0], surely / 2, surely)
    return counts, noise


def observed(
    space: Domain, trials: Sequence[Trial], games: int, opponent: Point | None = None
) -> tuple[Counts, float]:
    """Return the trials as counts, and one dispersion of their blocks of `games` games.

    `opponent`: the point of the only opponent, if it is in the space; it scores 1/2 for certain.
    """
    played = [trial for trial in trials if trial.values]
    scale = dispersion([trial.values for trial in played], games)
    counts = Counts(space.shape.columns)
    for trial, place in zip(played, space.places([trial.point for trial in played]), strict=True):
        counts.add(place, sum(trial.values) * games, len(trial.values) * games)
    if opponent is not None:
        counts.add(space.places([opponent])[0], SURELY * scale / 2, SURELY * scale)
    return counts, scale


class Surrogate:
    """A fitted model; `predict` and `draw` work in log-odds."""

    def __init__(self, space: Domain, counts: Counts, noise: Noise | float = 1.0) -> None:
        """Fit to counts of that noise, or of a dispersion by which they are divided."""
        self.team = Team(space.shape, careful=True)
        self.counts = reduced(counts, space.shape, noise)
        self.team.learn_well(self.counts, noise)

    def predict(self, X: Floats) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of the log-odds at places X (m, columns)."""
        return self.team.marginal(X)

    def draw(self, X: Floats, count: int, seed: int) -> Floats:
        """Return joint draws of the log-odds at places X: shape (count, m)."""
        return self.team.belief(X, count, np.random.default_rng(seed)).draws.T
