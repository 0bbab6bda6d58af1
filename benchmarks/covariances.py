"""`python -m benchmarks.covariances`: the tuner's compiled covariances beside the same in numpy.

Both fill the matrix of all pairs of places; the median of alternating calls. They must agree to 1e-11.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable

import numpy as np

from joute.engines.kernels.compile import Floats
from joute.studies.tuner.model import decay

CALLS = 40
SIZES = ((2, 220), (5, 220), (5, 450), (12, 450))


def bells_in_numpy(X: Floats, rates: Floats, share: float) -> Floats:
    """Return what `add_bells` adds."""
    K = np.zeros((len(X), len(X)))
    for x, rate in zip(X.T, rates, strict=True):
        gap = np.subtract.outer(x, x)
        gap *= gap
        gap *= -0.5 * rate
        K += share * np.exp(gap)
    return K


def matern_in_numpy(Z: Floats, size: float) -> Floats:
    """Return what `add_matern` adds for Matern 5/2."""
    square = (Z * Z).sum(1)
    q = np.maximum(square[:, None] + square - 2 * (Z @ Z.T), 0.0)
    t = math.sqrt(5) * np.sqrt(q)
    K: Floats = size * (1 + t + t * t / 3) * np.exp(-t)
    return K


def bells_compiled(X: Floats, rates: Floats, share: float) -> Floats:
    """Return the same, compiled."""
    K = np.zeros((len(X), len(X)))
    decay.add_bells(X, np.ascontiguousarray(X.T), rates, share, K)
    return K


def matern_compiled(Z: Floats, size: float) -> Floats:
    """Return the same, compiled."""
    square, K = (Z * Z).sum(1), np.zeros((len(Z), len(Z)))
    decay.add_matern(Z @ Z.T, square, square, math.sqrt(5), 1 / 3, size, K)
    return K


def seconds(first: Callable[[], Floats], second: Callable[[], Floats]) -> tuple[float, float]:
    """Return the median seconds of two calls that take turns; refuse if their results differ."""
    gap = np.abs(first() - second())
    gap[np.diag_indices(len(gap))] = 0.0  # of a place and itself, rounding makes a distance
    if gap.max() > 1e-6 or np.median(gap) > 1e-11:
        raise AssertionError(f"the two differ by {gap.max()}")
    taken: tuple[list[float], list[float]] = [], []
    for _ in range(CALLS):
        for own, work in zip(taken, (first, second), strict=True):
            begun = time.perf_counter()
            work()
            own.append(time.perf_counter() - begun)
    return statistics.median(taken[0]), statistics.median(taken[1])


def main() -> None:
    """Print milliseconds and how many times as long numpy takes."""
    rng = np.random.default_rng(1)
    print(f"{'what':32s}{'numpy ms':>10s}{'compiled ms':>13s}{'times':>7s}")
    for d, n in SIZES:
        X, rates = rng.uniform(-1, 1, (n, d)), rng.uniform(0.5, 4, d)
        cases = (
            ("bells", lambda X=X, r=rates: bells_in_numpy(X, r, 0.1),
             lambda X=X, r=rates: bells_compiled(X, r, 0.1)),
            ("Matern 5/2", lambda X=X: matern_in_numpy(X, 0.3), lambda X=X: matern_compiled(X, 0.3)),
        )  # fmt: skip
        for name, slow, fast in cases:
            before, now = seconds(slow, fast)
            label = f"{name}, {d} numbers, {n} places"
            print(f"{label:32s}{1e3 * before:10.2f}{1e3 * now:13.2f}{before / now:7.1f}")


if __name__ == "__main__":
    main()
