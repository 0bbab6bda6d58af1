"""Logarithm and logistic from the four operations: the same bits on every machine.

The C library's versions may differ in the last bit between machines, and one bit can turn a search.
"""

from __future__ import annotations

from joute.engines.kernels.compile import kernel

LN2 = 0.6931471805599453


@kernel("f8(f8)")
def log_of(x):
    """Return the natural logarithm of x >= 1, to about 1e-15 relative.

    x is halved into [0.7, 1.42); then ln x = 2 artanh((x - 1) / (x + 1)) as a series.
    """
    k = 0
    while x > 1.4142135623730951:
        x *= 0.5
        k += 1
    z = (x - 1.0) / (x + 1.0)
    square = z * z
    total, power = 0.0, z
    for i in range(11):
        total += power / (2 * i + 1)
        power *= square
    return 2.0 * total + k * LN2


@kernel("f8(f8)")
def logistic(x):
    """Return 1 / (1 + exp(-x)), to about 1e-14."""
    negative = x < 0.0
    y = min(abs(x), 40.0)
    term, total = 1.0, 1.0
    y /= 64.0
    for i in range(1, 16):
        term *= y / i
        total += term
    for _ in range(6):
        total *= total  # exp(y) = exp(y / 64) ** 64
    if negative:
        return 1.0 / (1.0 + total)
    return total / (1.0 + total)
