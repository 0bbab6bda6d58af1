"""Whether the parameters of a search have any effect: an F-test of smooth terms on its blocks."""

from __future__ import annotations

import numpy as np
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


def f_test(X: Floats, y: Floats) -> float:
    """Return the p-value of all columns of X together, over a constant; 1 if there is none."""
    if not len(y):
        return 1.0
    X = X - X.mean(axis=0)
    n, rank = len(y), int(np.linalg.matrix_rank(X))
    spread = float(np.sum((y - y.mean()) ** 2))
    if rank == 0 or n - rank - 1 < 5 or spread < 1e-12:
        return 1.0
    fitted = X @ np.linalg.lstsq(X, y - y.mean(), rcond=None)[0]
    rest = max(float(np.sum((y - y.mean() - fitted) ** 2)), 1e-300)
    F = (spread - rest) / rank / (rest / (n - rank - 1))
    d1, d2 = rank, n - rank - 1
    return float(betainc(d2 / 2, d1 / 2, d2 / (d2 + d1 * F)))
