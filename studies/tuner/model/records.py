"""What the records of a search are about: games at a place, or duels between two places.

A duel's log-odds are the difference of those at its places (Bradley and Terry 1952). So with A, a row a
record (1 at the first place, -1 at the second of a duel), the records' log-odds are A f, their covariance
A K A', and the likelihood's Hessian by f is A'WA. The process is computed over the records, where W is
diagonal.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from joute.engines.kernels.compile import Floats

Rows = NDArray[np.intp]


class Records:
    """Records of games: `places` (m, columns); `first` (n,) and `second` (n,): rows of it, -1 where
    there is no second place. Without them each place has its own record.
    """

    def __init__(
        self, places: Floats, first: Rows | None = None, second: Rows | None = None
    ) -> None:
        self.places, self.first, self.second = places, first, second

    @classmethod
    def of(cls, X: Floats, Y: Floats | None) -> Records:
        """Return records at places X (n, columns); in duels with places Y, whose rows are NaN for none."""
        if Y is None:
            return cls(X.copy())
        duels = np.flatnonzero(~np.isnan(Y[:, 0]))
        both = np.vstack([X, Y[duels]])
        places, where = np.unique(both, axis=0, return_inverse=True)
        where = np.ravel(where)
        second = np.full(len(X), -1)
        second[duels] = where[len(X) :]
        return cls(places, where[: len(X)], second)

    def __len__(self) -> int:
        return len(self.places if self.first is None else self.first)

    @cached_property
    def matrix(self) -> Floats:
        """The matrix A (n, m)."""
        assert self.first is not None and self.second is not None
        A, rows = np.zeros((len(self), len(self.places))), np.arange(len(self))
        A[rows, self.first] = 1.0
        duels = self.second >= 0
        A[rows[duels], self.second[duels]] -= 1.0
        return A

    def values(self, v: Floats) -> Floats:
        """Return of values at places (m,) or (m, k) the records' own: (n,) or (n, k)."""
        if self.first is None or self.second is None:
            return v
        duels = self.second >= 0
        own: Floats = v[self.first]
        own[duels] -= v[self.second[duels]]
        return own

    def covariances(self, K: Floats) -> Floats:
        """Return of covariances between places (m, m) those between records (n, n)."""
        if self.first is None:
            return K
        own: Floats = np.ascontiguousarray(self.values(self.values(K).T))
        return own

    def weights(self, G: Floats) -> Floats:
        """Return weights of covariances between places (m, m), from those between records (n, n)."""
        if self.first is None:
            return G
        weights: Floats = np.ascontiguousarray(self.matrix.T @ G @ self.matrix)
        return weights
