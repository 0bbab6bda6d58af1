"""Where the log-odds of a space may jump: a cliff or a step across one number's axis.

A stationary covariance rounds off what is sharp, and is unsure near it for ever. Here one jump is
expected somewhere, at one of many places of all axes; where, is read from the counts, and belief is
shared out among the places. Until one of them stands out, that is a covariance like a random walk.
Two places of each axis are just inside its ends: at the very end something may be turned off.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular

from joute.engines.kernels.compile import Floats

PLACES, FEWEST = 160, 8  # of all axes together; of each at least
AT_ENDS = 3
END = 0.002  # how near to an end the first and the last place of an axis are


class Jumps:
    """Places on axes, each with its share of the belief that the log-odds jump there or nearer to
    it than to any other place.
    """

    def __init__(self, numbers: int, each: int | None = None) -> None:
        """Lay out places on so many axes from -1 to 1, `each` on every one: with `AT_ENDS`, one inside each
        end and one for all that lies between them.
        """
        if each is None:
            each = max(FEWEST, PLACES // max(numbers, 1))
        self._each = each
        self.axis = np.repeat(np.arange(numbers), each)
        self._cells = np.concatenate([[-1], np.linspace(-1 + END, 1 - END, each - 1), [1]])
        self.place = np.tile((self._cells[1:] + self._cells[:-1]) / 2, numbers)
        self.forget()

    def forget(self) -> None:
        """Share the belief evenly."""
        self.shares: Floats = np.full(len(self.place), 1 / len(self.place))

    @property
    def surprise(self) -> float:
        """How far the belief is from even shares (Kullback-Leibler divergence, in nats): by so much
        the evidence at these shares is flattered.
        """
        shares = self.shares[self.shares > 0]
        return float((shares * np.log(shares * len(self.shares))).sum())

    def beyond(self, X: Floats) -> Floats:
        """Return 1 where a place of X (n, columns) is beyond a jump, else 0: (n, places)."""
        beyond: Floats = (X[:, self.axis] > self.place).astype(float)
        return beyond

    def between(self, X: Floats, Y: Floats) -> Floats:
        """Return the covariances (rows of X, rows of Y) of a jump of size 1: the chance that it is
        before both.
        """
        before = self._before(X)
        after = before if Y is X else self._before(Y)
        chances = np.zeros((len(X), len(Y)))
        for own, other in zip(before, after, strict=True):
            chances += np.minimum.outer(own, other)
        return chances

    def diagonal(self, X: Floats) -> Floats:
        """Return the variances at places X of a jump of size 1: the chance that it is before them."""
        chances: Floats = self._before(X).sum(0)
        return chances

    def _before(self, X: Floats) -> Floats:
        """Return the chance, (axes, rows of X), that the jump is on an axis and before a place."""
        shares = self.shares.reshape(-1, self._each)
        return np.array(
            [
                np.interp(x, self._cells, np.append(0.0, own.cumsum()))
                for x, own in zip(X.T, shares, strict=False)
            ]
        )

    def locate(
        self, beyond: Floats, root: Floats, factor: Floats, left: Floats, size: float
    ) -> None:
        """Share the belief by how well a jump at each place explains what is `left` unexplained.

        `beyond` (n, places): `beyond` at the places of the values, of differences its difference;
        `root` (n,): of their precisions; `factor`: of 1 plus the covariance without jumps, scaled by
        it; `left` (n,): values less their mean, scaled by it; `size`: variance of the jump.
        """
        V = solve_triangular(factor, root[:, None] * beyond, lower=True, check_finite=False)
        explained = V.T @ solve_triangular(factor, left, lower=True, check_finite=False)
        whole = (V * V).sum(0)
        gain = 0.5 * explained**2 / (1 / size + whole) - 0.5 * np.log1p(size * whole)
        shares = np.exp(gain - gain.max())
        self.shares = shares / shares.sum()
