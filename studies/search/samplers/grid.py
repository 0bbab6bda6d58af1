"""`grid`: every combination of the values once, in an order drawn at random."""

from __future__ import annotations

from math import prod

from optuna.samplers import BaseSampler, GridSampler

from joute.studies.search.sampler import OptunaSampler, trial_seed
from joute.studies.tuner.domain import Domain

MOST = 10_000


class Grid(OptunaSampler):
    """Every combination of the values once, in an order drawn at random."""

    name = "grid"
    summary = "every combination once; whole numbers, choices and numbers with a step"

    def refuse(self, space: Domain) -> str:
        """Refuse numbers without a step, and grids that are too large."""
        endless = [axis.name for axis in space.axes if not axis.discrete]
        if endless:
            return f"needs a step for {', '.join(endless)}"
        cells = self.most(space)
        sometimes = space.conditional
        if sometimes:
            return f"would try points twice: {', '.join(sometimes)} not always active"
        return f"would have {cells} combinations; allowed: at most {MOST}" if cells > MOST else ""

    def most(self, space: Domain) -> int:
        """Return the number of combinations, after which the search ends."""
        return prod(len(axis.values()) for axis in space.axes)

    def make(self, space: Domain, seed: int, number: int) -> BaseSampler:
        """Return the sampler: one order for the whole study."""
        values = {axis.name: axis.values() for axis in space.axes}
        return GridSampler(values, seed=trial_seed(seed, 0))
