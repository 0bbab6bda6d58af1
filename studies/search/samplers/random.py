"""`random`: every trial drawn evenly over the space, whatever the others found."""

from __future__ import annotations

from optuna.samplers import BaseSampler, RandomSampler

from joute.studies.search.sampler import OptunaSampler, trial_seed
from joute.studies.tuner.domain import Domain


class Random(OptunaSampler):
    """Every trial drawn evenly over the space, whatever the others found."""

    name = "random"
    summary = "uniformly at random; takes every space"

    def make(self, space: Domain, seed: int, number: int) -> BaseSampler:
        """Return the sampler."""
        return RandomSampler(seed=trial_seed(seed, number))
