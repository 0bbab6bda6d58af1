"""Round numbers for the axes of plots and charts."""

from __future__ import annotations

import math

STEPS = (1, 2, 5)  # times a power of ten
SETS = ((1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 2, 5), (1, 3), (1,))  # first digits on a log scale


def round_ticks(low: float, high: float, log: bool = False, most: int = 6) -> list[float]:
    """Return up to `most` round numbers from low to high; at least two, unless there is one place."""
    if log and low > 0:
        decades = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
        for digits in SETS:
            ticks = [float(f"{n}e{decade}") for decade in decades for n in digits]
            ticks = [tick for tick in ticks if low <= tick <= high]
            if len(ticks) <= most:
                break
        else:
            ticks = ticks[:: -(-len(ticks) // most)]
        if len(ticks) > 1:
            return ticks
    if not high > low:
        return [low]
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    for factor in (*STEPS, 10, 20):
        step = factor * power
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first < most:
            break
    return [float(f"{n * step:.12g}") for n in range(first, last + 1)]
