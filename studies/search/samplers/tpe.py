"""`tpe`: Optuna's tree-structured Parzen estimator, all parameters together."""

from __future__ import annotations

from optuna.samplers import BaseSampler, TPESampler

from joute.studies.search.sampler import OptunaSampler, trial_seed
from joute.studies.tuner.domain import Domain


class Tpe(OptunaSampler):
    """Optuna's tree-structured Parzen estimator, all parameters together."""

    name = "tpe"
    summary = "tree-structured Parzen estimator; takes every space"

    def make(self, space: Domain, seed: int, number: int) -> BaseSampler:
        """Return the sampler; trials in flight count as bad, so that it does not repeat them."""
        return TPESampler(
            n_startup_trials=10,
            multivariate=True,
            group=True,
            constant_liar=True,
            seed=trial_seed(seed, number),
        )
