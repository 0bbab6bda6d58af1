"""The window of a tabled search's root, and when the root is to be searched again with another one.

Either of the two gives aim(I, F, P), which sets the first window of a depth, and missed(I, F), which is
asked when the root is finished: whether its value is not yet known; then it sets the next window.

* **Aspiration**: a window about the last depth's value; where the value lies outside, that side opens.
* **MTD(f)** (Plaat and others 1996): every window is the least one and only tells whether the value is
  at least so much: first the last depth's value, or a draw, then the bound that the answer was.
"""

from __future__ import annotations

import numpy as np

from joute.engines.kernels.compile import Kernel, kernel
from joute.engines.kernels.contract import Offsets
from joute.engines.record import WIN
from joute.engines.searches._frame import (
    ALPHA,
    BETA,
    CHOSEN,
    DONE,
    FLOATS,
    FLOOR,
    INTS,
    LEAST,
    OWN,
    SPARE,
    STEP,
    TRIED,
    VALUE,
)
from joute.engines.searches._table import DECIDED


def aspiring(windows: np.uint64, at: Offsets) -> tuple[Kernel, Kernel]:
    """Return `aim` and `missed`; the root's window stands at F[windows..]."""
    aspiration = at.aspiration

    @kernel("void(i8[::1], f8[::1], f8[::1])")
    def aim(I, F, P):
        # The root's window: open, or about the value of the depth before.
        low, high, v = -2 * WIN, 2 * WIN, F[0]
        if P[aspiration] > 0.0 and I[DONE] > 0 and abs(v) < DECIDED:
            low, high = v - P[aspiration], v + P[aspiration]
        F[windows + ALPHA], F[windows + BETA] = low, high

    @kernel("b1(i8[::1], f8[::1])")
    def missed(I, F):
        # Whether the root's value lies outside its window, which is then open on that side.
        v, low = F[windows + VALUE], F[windows + FLOOR]
        if v <= low:
            F[windows + ALPHA] = -2 * WIN
        elif v >= F[windows + BETA]:
            F[windows + ALPHA], F[windows + BETA] = low, 2 * WIN
        else:
            return False
        F[windows + VALUE], F[windows + FLOOR] = -2 * WIN, F[windows + ALPHA]
        I[OWN + TRIED] = 0
        return True

    return aim, missed


def asking(windows: np.uint64) -> tuple[Kernel, Kernel]:
    """Return `aim` and `missed` of MTD(f)."""
    bounds, proved = windows + SPARE * FLOATS, OWN + SPARE * INTS + CHOSEN

    @kernel("void(f8[::1], f8)")
    def ask(F, v):
        # Is the value at least v?
        F[windows + ALPHA], F[windows + BETA] = v - max(abs(v) * STEP, LEAST), v

    @kernel("void(i8[::1], f8[::1], f8[::1])")
    def aim(I, F, P):
        # The game may end with the first action, for better or worse.
        F[bounds + ALPHA], F[bounds + BETA], I[proved] = 1.0 - WIN, WIN - 1.0, -1
        ask(F, F[0] if I[DONE] > 0 else 0.0)

    @kernel("b1(i8[::1], f8[::1])")
    def missed(I, F):
        # Whether more is to be asked; if not, the action is the one that proved the value. Where
        # nothing did, all lose as soon as can be.
        v, low, high = F[windows + VALUE], F[bounds + ALPHA], F[bounds + BETA]
        if v > F[windows + FLOOR]:
            low, I[proved] = v, I[OWN + CHOSEN]
        if v < F[windows + BETA]:
            high = v
        if low >= high:
            if I[proved] >= 0:
                I[OWN + CHOSEN] = I[proved]
            return False
        F[bounds + ALPHA], F[bounds + BETA] = low, high
        ask(F, v + max(abs(v) * STEP, LEAST) if v == low else v)
        F[windows + VALUE], F[windows + FLOOR] = -2 * WIN, F[windows + ALPHA]
        I[OWN + TRIED] = 0
        return True

    return aim, missed
