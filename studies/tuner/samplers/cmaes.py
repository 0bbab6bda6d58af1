"""`cmaes`: covariance matrix adaptation, for numbers that depend on each other."""

from __future__ import annotations

from optuna.samplers import BaseSampler, CmaEsSampler

from studies.tuner.samplers import trial_seed
from studies.tuner.samplers.qmc import refuse
from studies.tuner.space import Space

__all__ = ["PROMISE", "SUMMARY", "make", "refuse"]

SUMMARY = "covariance matrix adaptation; numbers only, all of them always active"
PROMISE = True


def make(space: Space, seed: int, number: int) -> BaseSampler:
    """Return the sampler."""
    return CmaEsSampler(
        seed=trial_seed(seed, number), n_startup_trials=4, warn_independent_sampling=False
    )
