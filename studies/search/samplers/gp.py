"""`gp`: Optuna's Gaussian process with expected improvement; needs torch."""

from __future__ import annotations

import importlib.util

from optuna.samplers import BaseSampler, GPSampler

from joute.studies.search.sampler import OptunaSampler, trial_seed
from joute.studies.tuner.domain import Domain


class Gp(OptunaSampler):
    """Optuna's Gaussian process with expected improvement; needs torch."""

    name = "gp"
    summary = "Gaussian process, expected improvement; needs torch"
    reproducible = False  # torch's arithmetic may differ between machines and numbers of threads

    def missing(self) -> str:
        """Return that torch is missing, or ""."""
        return "" if importlib.util.find_spec("torch") else "needs torch, which is not installed"

    def make(self, space: Domain, seed: int, number: int) -> BaseSampler:
        """Return the sampler."""
        return GPSampler(
            seed=trial_seed(seed, number), n_startup_trials=10, warn_independent_sampling=False
        )
