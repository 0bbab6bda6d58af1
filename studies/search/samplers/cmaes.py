"""`cmaes`: covariance matrix adaptation, for numbers that depend on each other."""

from __future__ import annotations

from optuna.samplers import BaseSampler, CmaEsSampler

from joute.studies.search.sampler import OptunaSampler, numbers_only, trial_seed
from joute.studies.tuner.domain import Domain


class CmaEs(OptunaSampler):
    """Covariance matrix adaptation, for numbers that depend on each other."""

    name = "cmaes"
    summary = "covariance matrix adaptation; numbers only, all of them always active"

    def refuse(self, space: Domain) -> str:
        """Refuse choices and parameters that are not always active."""
        return numbers_only(space)

    def make(self, space: Domain, seed: int, number: int) -> BaseSampler:
        """Return the sampler."""
        return CmaEsSampler(
            seed=trial_seed(seed, number), n_startup_trials=4, warn_independent_sampling=False
        )
