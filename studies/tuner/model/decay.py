"""The parts of covariances that are evaluated for every pair of places, compiled.

Each adds to an array of the caller. Their exponential is a polynomial and squarings, so that the compiler
can work on several pairs at once: five times as fast as numpy's, with a relative error below 1e-12.
"""

from __future__ import annotations

import math

from joute.engines.kernels.compile import Floats, kernel

LEAST = -40.0  # exponents below are taken for this one: 4e-18
ROUNDING = 1e-13  # share of a squared distance below which two places are one


@kernel("f8(f8)")
def decay(x: float) -> float:
    """Return exp(x) of a number that is not above 0: that of its 256th part, squared eight times."""
    y = (x if x > LEAST else LEAST) / 256.0
    p = 1 / 5040 + y * (1 / 40320 + y * (1 / 362880 + y * (1 / 3628800)))
    p = 1 + y * (1 / 2 + y * (1 / 6 + y * (1 / 24 + y * (1 / 120 + y * (1 / 720 + y * p)))))
    p = 1 + y * p
    p *= p
    p *= p
    p *= p
    p *= p
    p *= p
    p *= p
    p *= p
    p *= p
    return p


@kernel("f8(f8, f8, f8)")
def squared_distance(product: float, left: float, right: float) -> float:
    """Return |z - w|^2 from z w, |z|^2 and |w|^2; 0 where only rounding tells them apart."""
    whole = left + right
    q = whole - 2 * product
    return q if q > ROUNDING * whole else 0.0


@kernel("void(f8[:,::1], f8[:,::1], f8[::1], f8, f8[:,::1])", inline=False)
def add_bells(X: Floats, YT: Floats, rates: Floats, share: float, K: Floats) -> None:
    """Add to K (n, m) a bell for each axis: share exp(-rate (x - y)^2 / 2); X (n, d), YT (d, m)."""
    for i in range(K.shape[0]):
        for j in range(len(rates)):
            x, rate = X[i, j], -0.5 * rates[j]
            for k in range(K.shape[1]):
                gap = x - YT[j, k]
                K[i, k] += share * decay(rate * gap * gap)


@kernel("void(f8[:,::1], f8[:,::1], f8[::1], f8, f8[:,::1], f8[:,::1])", inline=False)
def add_bell_slopes(
    X: Floats, XT: Floats, rates: Floats, share: float, G: Floats, sums: Floats
) -> None:
    """Add to `sums` (d, n), column by column, G times the derivatives of the bells by log length."""
    for i in range(len(X)):
        for j in range(len(rates)):
            x, rate = X[i, j], rates[j]
            for k in range(len(X)):
                gap = x - XT[j, k]
                far = rate * gap * gap
                sums[j, k] += G[i, k] * share * far * decay(-0.5 * far)


@kernel("void(f8[:,::1], f8[::1], f8[::1], f8, f8, f8, f8[:,::1])", inline=False)
def add_matern(
    product: Floats, left: Floats, right: Floats, root: float, bend: float, size: float, K: Floats
) -> None:
    """Add size (1 + t + bend t^2) exp(-t) to K (n, m), with t = root times the distance.

    `product` (n, m), `left`, `right`: products of the coordinates and their squares.
    """
    for i in range(K.shape[0]):
        for k in range(K.shape[1]):
            t = root * math.sqrt(squared_distance(product[i, k], left[i], right[k]))
            K[i, k] += size * (1 + t + bend * t * t) * decay(-t)


@kernel("void(f8[:,::1], f8[::1], f8[::1], f8, f8, f8[:,::1])", inline=False)
def add_rough(
    product: Floats, left: Floats, right: Floats, rate: float, size: float, K: Floats
) -> None:
    """Add size exp(-rate distance) to K (n, m); the rest as in `add_matern`."""
    for i in range(K.shape[0]):
        for k in range(K.shape[1]):
            far = math.sqrt(squared_distance(product[i, k], left[i], right[k]))
            K[i, k] += size * decay(-rate * far)


@kernel("void(f8[:,::1], f8[::1], f8, f8, f8, f8[:,::1], f8[:,::1], f8[::1])", inline=False)
def add_matern_slopes(
    product: Floats, square: Floats, root: float, bend: float, size: float, G: Floats, C: Floats,
    sums: Floats,
) -> None:  # fmt: skip
    """Add to C (n, n) G times the derivatives of `add_matern` by q, the squared distance, and to
    `sums` (n,), column by column, G times its values.
    """
    for i in range(len(square)):
        for k in range(len(square)):
            t = root * math.sqrt(squared_distance(product[i, k], square[i], square[k]))
            weight = G[i, k] * size * decay(-t)
            by_q = (2 * bend - 1) - bend * t  # d/dt of the sum is t times this; dt/dq = root^2 / 2t
            C[i, k] += 0.5 * root * root * weight * by_q
            sums[k] += weight * (1 + t + bend * t * t)


@kernel("void(f8[:,::1], f8[::1], f8, f8, f8[:,::1], f8[:,::1], f8[:,::1])", inline=False)
def add_rough_slopes(
    product: Floats, square: Floats, rate: float, size: float, G: Floats, C: Floats, sums: Floats
) -> None:
    """Add to C (n, n) G times the derivatives of `add_rough` by the squared distance, and to `sums`
    (2, n), column by column, G times its values, and those times the exponent.
    """
    for i in range(len(square)):
        for k in range(len(square)):
            q = squared_distance(product[i, k], square[i], square[k])
            s = rate * math.sqrt(q)
            fall = G[i, k] * size * decay(-s)
            C[i, k] -= 0.5 * fall * s / (q if q > 1e-18 else 1e-18)
            sums[0, k] += fall
            sums[1, k] += fall * s
