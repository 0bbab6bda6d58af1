"""Ratings of many entrants from all their games at once, whatever the model that found them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit

PRIOR = 600.0
"""Standard deviation, in Elo, of the prior used where the likelihood has no maximum."""

FEW = 30
"""Openings below which intervals use Student t."""

AWAY = 1e-6
"""Share of a direction from which an entrant counts as running away along it."""

ROUNDED = 6
"""Digits of Elo behind the point, by which entrants are put in order."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Difference(NamedTuple):
    """Rating of one entrant less that of another, in Elo, with its 95 % interval, and the chance
    `los` that it is positive. All None if no chain of games joins the two.
    """

    elo: float | None
    low: float | None
    high: float | None
    los: float | None


class EloInterval(NamedTuple):
    """A rating in Elo with its 95 % interval; None where the results set no limit."""

    elo: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings in Elo, averaging 0 over each part of the graph of games.

    `part[i]` numbers the part of entrant i. `away`, where the results set no limit to some of the
    ratings, is the direction in which those run away (0 for the others); a prior holds them then, and
    the average is that of the others.
    `notes` are sentences for the reader.
    """

    names: list[str]
    elo: Floats
    covariance: Floats
    part: Ints
    loglik: float = 0.0
    clusters: int = 0
    away: Floats | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def best(self) -> int:
        """Entrant of the highest rating; of those that are level but for rounding, which differs from
        one machine to the next, the first.
        """
        return int(np.argmax(np.round(self.elo, ROUNDED)))

    def interval(self, i: int) -> tuple[float, float] | None:
        """95 % interval of the rating of entrant i against the average of its part; None without
        games.
        """
        if np.count_nonzero(self.part == self.part[i]) < 2:
            return None
        half = self.wide() * math.sqrt(max(0.0, float(self.covariance[i, i])))
        return float(self.elo[i]) - half, float(self.elo[i]) + half

    def difference(self, i: int, j: int) -> Difference:
        """Rating of entrant i less that of entrant j, from its own contrast."""
        if i == j:
            return Difference(0.0, 0.0, 0.0, 0.5)
        if self.part[i] != self.part[j]:
            return Difference(None, None, None, None)
        gap, error = float(self.elo[i] - self.elo[j]), self._error(i, j)
        half = self.wide() * error
        return Difference(gap, gap - half, gap + half, self._below(gap / error))

    def elo_interval(self, i: int, j: int | None = None) -> EloInterval:
        """Return the Elo of entrant i, minus that of j if given, with its interval.

        An end is None where the results set no limit, and so then is the Elo.
        """
        interval = EloInterval(None, None, None)
        if j is not None:
            interval = EloInterval(*self.difference(i, j)[:3])
        elif ends := self.interval(i):
            interval = EloInterval(float(self.elo[i]), *ends)
        lead = 0.0 if self.away is None else self.away[i] - (0.0 if j is None else self.away[j])
        if abs(lead) < AWAY:
            return interval
        if lead > 0:
            return EloInterval(None, interval.low, None)
        return EloInterval(None, None, interval.high)

    def _error(self, i: int, j: int) -> float:
        cov = self.covariance
        return math.sqrt(float(cov[i, i] + cov[j, j] - 2 * cov[i, j]))

    def wide(self) -> float:
        """Half width of a 95 % interval, in standard errors."""
        return float(ndtri(0.975) if self.clusters >= FEW else stdtrit(self._freedom(), 0.975))

    def _below(self, z: float) -> float:
        return float(ndtr(z) if self.clusters >= FEW else stdtr(self._freedom(), z))

    def _freedom(self) -> int:
        return max(1, self.clusters - 1)


def ties_with_best(ratings: Ratings) -> list[bool]:
    """Return which entrants cannot be told from the first of the table at 95 % (itself included).

    Two-sided tests of each contrast with the leader, with Bonferroni over all pairs of its part,
    not over these contrasts alone: the leader is picked after the fact, and Holm on its contrasts
    would single out some equal in a quarter of tables of 20. Unconnected entrants count as tied.
    """
    count = len(ratings.names)
    if count < 2:
        return [True] * count
    best = ratings.best
    joined = int(np.count_nonzero(ratings.part == ratings.part[best]))
    level = 0.025 / max(1, joined * (joined - 1) // 2)
    chances = [ratings.difference(best, j).los for j in range(count)]
    return [los is None or 1 - los > level for los in chances]
