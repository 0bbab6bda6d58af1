"""Enhanced transposition cutoffs: a frame is finished before any child is searched, if the table knows
of one that is enough (Plaat, Schaeffer, Pijls and de Bruin 1996).
"""

from __future__ import annotations

import numpy as np

from joute.engines.game import GameKernels
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.searches._frame import ALPHA, BETA, CHOSEN, FLOATS, INTS, MANY, ONE, OWN, VALUE
from joute.engines.searches._table import TableKernels


def probing_kernel(
    game: GameKernels,
    memory: TableKernels,
    listing: Kernel,
    enter: Kernel,
    stride: int,
    slots: int,
    windows: np.uint64,
    table: np.uint64,
) -> Kernel:
    """Return `listing` with a look at all children; the frames' windows stand at F[windows..]."""
    key, find, worth = game.key, memory.find, memory.worth
    words, many = U(stride), U(slots)

    @kernel("i8(u8[::1], u8, i8[::1], i8[::1], f8[::1], f8[::1], u8, u8, u8)")
    def probing(W, src, A, I, F, P, d, depth, last):
        spent = listing(W, src, A, I, F, P, d, depth, last)
        frame, here, base, dst = OWN + d * INTS, windows + d * FLOATS, d * many, src + words
        if P[table] <= 0.0 or d == U(0) or depth <= U(2):  # leaves are in no table
            return spent
        alpha, beta = F[here + ALPHA], F[here + BETA]
        for i in range(I[frame + MANY]):
            action = A[base + U(i)]
            if action >= 0 and enter(W, src, dst, action) == 0:
                entry = find(A, key(W, dst), depth - ONE, last)
                if entry >= 0:
                    known, v = worth(A, F, U(entry), depth - ONE, d + ONE, -beta, -alpha)
                    if known and -v >= beta:
                        F[here + VALUE] = -v
                        I[frame + CHOSEN], I[frame + MANY] = action, 0
                        return spent
        return spent

    return probing
