"""`random`: every trial drawn evenly over the space, whatever the others found."""

from __future__ import annotations

from optuna.samplers import BaseSampler, RandomSampler

from studies.tuner.samplers import anything as refuse
from studies.tuner.samplers import trial_seed
from studies.tuner.space import Space

__all__ = ["PROMISE", "SUMMARY", "make", "refuse"]

SUMMARY = "evenly at random; takes every space"
PROMISE = True


def make(space: Space, seed: int, number: int) -> BaseSampler:
    """Return the sampler."""
    return RandomSampler(seed=trial_seed(seed, number))
