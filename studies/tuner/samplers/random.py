"""`random`: every trial drawn evenly over the space, whatever the others found."""

from __future__ import annotations

from optuna.samplers import BaseSampler, RandomSampler

from studies.tuner.sampler import Sampler, trial_seed
from studies.tuner.space import Space


class Random(Sampler):
    """Every trial drawn evenly over the space, whatever the others found."""

    name = "random"
    summary = "evenly at random; takes every space"

    def make(self, space: Space, seed: int, number: int) -> BaseSampler:
        """Return the sampler."""
        return RandomSampler(seed=trial_seed(seed, number))
