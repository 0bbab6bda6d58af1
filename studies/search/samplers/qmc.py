"""`qmc`: a scrambled Sobol sequence, which fills the space more evenly than chance does."""

from __future__ import annotations

from optuna.samplers import BaseSampler, QMCSampler

from joute.studies.search.sampler import OptunaSampler, numbers_only, trial_seed
from joute.studies.tuner.domain import Domain


class Qmc(OptunaSampler):
    """A scrambled Sobol sequence, which fills the space more evenly than chance does."""

    name = "qmc"
    summary = "scrambled Sobol sequence; numbers only, all of them always active"

    def refuse(self, space: Domain) -> str:
        """Refuse choices and parameters that are not always active."""
        return numbers_only(space)

    def make(self, space: Domain, seed: int, number: int) -> BaseSampler:
        """Return the sampler: one sequence for the whole study."""
        return QMCSampler(
            scramble=True,
            seed=trial_seed(seed, 0),
            warn_asynchronous_seeding=False,
            warn_independent_sampling=False,
        )
