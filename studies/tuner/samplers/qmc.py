"""`qmc`: a scrambled Sobol sequence, which fills the space more evenly than chance does."""

from __future__ import annotations

from optuna.samplers import BaseSampler, QMCSampler

from studies.tuner.samplers import trial_seed
from studies.tuner.space import Space

SUMMARY = "scrambled Sobol sequence; numbers only, all of them always active"
PROMISE = True


def refuse(space: Space) -> str:
    """Refuse choices and parameters that are not always active."""
    choices = [axis.name for axis in space.axes if axis.kind == "choice"]
    if choices:
        return f"takes no choices ({', '.join(choices)})"
    sometimes = space.conditional
    return f"takes no parameter that is not always active ({', '.join(sometimes)})" * bool(
        sometimes
    )


def make(space: Space, seed: int, number: int) -> BaseSampler:
    """Return the sampler: one sequence for the whole study."""
    return QMCSampler(
        scramble=True,
        seed=trial_seed(seed, 0),
        warn_asynchronous_seeding=False,
        warn_independent_sampling=False,
    )
