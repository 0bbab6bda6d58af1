"""`tpe`: Optuna's tree-structured Parzen estimator, all parameters together."""

from __future__ import annotations

from optuna.samplers import BaseSampler, TPESampler

from studies.tuner.samplers import anything as refuse
from studies.tuner.samplers import trial_seed
from studies.tuner.space import Space

__all__ = ["PROMISE", "SUMMARY", "make", "refuse"]

SUMMARY = "tree-structured Parzen estimator; takes every space"
PROMISE = True


def make(space: Space, seed: int, number: int) -> BaseSampler:
    """Return the sampler; trials in flight count as bad, so that it does not repeat them."""
    return TPESampler(
        n_startup_trials=10,
        multivariate=True,
        group=True,
        constant_liar=True,
        seed=trial_seed(seed, number),
    )
