"""A landscape whose top is near the default: what people have tuned is often good already.

Each number loses by a round roof about its own best value, which is expected near the default's: steep
for some numbers, flat for others; how near, all of them share. To the first order in how far the best
values are from the default, the roofs are a mean about it and a slope of each number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from joute.engines.kernels.compile import Floats
from joute.studies.tuner.model.gp import Process
from joute.studies.tuner.model.jumps import AT_ENDS, Jumps
from joute.studies.tuner.model.kernel import (
    ADDITIVE,
    JUMP,
    OFF,
    SIZES,
    Covariance,
    KernelShape,
)

AT_LEAST = 2  # numbers from which a default is used so: the range of a single one is soon known
ROUND = 0.5  # how far from its best value (half a range is 1) a number's roof is round
# the median of each size, and the spread of its logarithm
STEEP = (1.0, 1.0)  # of all roofs together, divided by the root of their number: log-odds
STEEPER = (1.0, 1.2)  # of each roof, beside the others
AWAY = (0.25, 0.7)  # how far the best values are from the default's
CHOICES, SWITCH = (0.3, 1.0), (0.5, 0.8)  # of what choices change, and a jump: log-odds
BOWL, LINEAR, CHOICE = SIZES.index("bowl"), SIZES.index("linear"), SIZES.index("choice")


class NearCovariance(Covariance):
    """The roofs about a place as the prior mean, and the covariance of what best values elsewhere change.

    In theta "bowl" is how steep all roofs are, "linear" how far away their tops, and the lengths are how
    steep each is.
    """

    def __init__(self, shape: KernelShape, place: Floats, parts: Sequence[str]) -> None:
        super().__init__(shape, ADDITIVE, parts)
        if self.jumps:
            self.jumps = Jumps(shape.numbers, AT_ENDS)
        self._place = place[: shape.numbers]

    def falls(self, X: Floats) -> Floats:
        """Return the roofs of all numbers, of steepness 1, at places X: (n, numbers)."""
        u = self._away(X)
        roofs: Floats = ROUND * (np.sqrt(1 + u * u) - 1)
        return roofs

    def _away(self, X: Floats) -> Floats:
        away: Floats = (X[:, : self.shape.numbers] - self._place) / ROUND
        return away

    def steepness(self, theta: Floats) -> Floats:
        """Return what the roofs are multiplied by."""
        first = len(SIZES)
        steep: Floats = np.exp(theta[BOWL] + theta[first : first + self.shape.numbers])
        return steep

    def add_fall_slopes(self, own: Floats, slope: Floats) -> None:
        """Add derivatives by the logarithms of the steepness to those by theta."""
        first = len(SIZES)
        slope[BOWL] += own.sum()
        slope[first : first + self.shape.numbers] += own

    def columns(self, X: Floats) -> Floats:
        """Return level, choices, and how much each roof gains where its top moves towards a place."""
        u = self._away(X)
        return np.hstack([super().columns(X), u / np.sqrt(1 + u * u)])

    def sizes(self, theta: Floats) -> Floats:
        """Return the variance that belongs to each column."""
        gains = (self.steepness(theta) * math.exp(theta[LINEAR])) ** 2
        return np.concatenate([super().sizes(theta), gains])

    def _add_size_slopes(self, own: Floats, slope: Floats) -> None:
        d = self.shape.numbers
        super()._add_size_slopes(own[: len(own) - d], slope)
        slope[LINEAR] += own[len(own) - d :].sum()
        self.add_fall_slopes(own[len(own) - d :], slope)


def near_process(shape: KernelShape, place: Floats, jump: bool = False) -> Process:
    """Return the member of a team that expects the top near a place (columns,); `jump`: and a jump,
    most likely at an end of a range, where something is turned off.
    """
    centre, spread = np.full(len(shape.names), OFF), np.zeros(len(shape.names))
    first = len(SIZES)
    centre[first:] = 0.0
    each = 1 / math.sqrt(max(shape.numbers, 1))
    sizes = {BOWL: (STEEP[0] * each, STEEP[1]), LINEAR: AWAY}
    if jump:
        sizes[JUMP] = SWITCH
    if shape.choices:
        sizes[CHOICE] = CHOICES
    for i, (median, width) in sizes.items():
        centre[i], spread[i] = math.log(median), width
    numbers = slice(first, first + shape.numbers)
    centre[numbers], spread[numbers] = math.log(STEEPER[0]), STEEPER[1]
    parts = [name for name in ("jump", "choice") if SIZES.index(name) in sizes]
    return Process(NearCovariance(shape, place, parts), centre, spread)
