"""Whether the parameters of a search have any effect: an F-test of smooth terms on its blocks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from joute.engines.kernels.compile import Floats
from joute.studies.search.space import Space
from joute.studies.tuner.domain import Point


def terms(space: Space, points: list[Point]) -> Floats:
    """Return smooth terms of the points: cubic in each number, products of two, choices as they are."""
    X, d = space.places(points), space.shape.numbers
    columns = [X[:, j] ** k for j in range(d) for k in (1, 2, 3)]
    columns += [X[:, i] * X[:, j] for i in range(d) for j in range(i)]
    columns += list(X[:, d:].T)
    return np.column_stack(columns)


def f_test(X: Floats, y: Floats, levelled: NDArray[np.bool_] | None = None) -> float:
    """Return the p-value of all columns of X together, over a constant in the rows `levelled` (None: in
    all); 1 if there is none. In the other rows, duels between two points, X and y are differences.
    """
    if not len(y):
        return 1.0
    X, y = X.copy(), y.copy()
    levelled = np.ones(len(y), bool) if levelled is None else levelled
    if levelled.any():
        X[levelled] -= X[levelled].mean(axis=0)
        y[levelled] -= y[levelled].mean()
    rank = int(np.linalg.matrix_rank(X))
    rows = len(y) - int(levelled.any())
    spread = float(np.sum(y**2))
    if rank == 0 or rows - rank < 5 or spread < 1e-12:
        return 1.0
    fitted = X @ np.linalg.lstsq(X, y, rcond=None)[0]
    rest = max(float(np.sum((y - fitted) ** 2)), 1e-300)
    F = (spread - rest) / rank / (rest / (rows - rank))
    d1, d2 = rank, rows - rank
    return float(betainc(d2 / 2, d1 / 2, d2 / (d2 + d1 * F)))
