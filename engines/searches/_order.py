"""In which order `expectiminimax` tries the children of a node: one before all others, or those first
that cut most. `_tabled.py` has the same steps for itself: its compiled code must stay what it was, for
stored runs are continued only by the code that began them.
"""

from __future__ import annotations

from joute.engines.kernels.compile import Kernel, U, kernel

ONE = U(1)


@kernel("void(i8[::1], u8, u8, u8, u8)")
def to_front(A, base, n, wanted, bits):
    """Put the first of the n children at A[base..] whose action has the wanted bits before all others."""
    i = U(0)
    while i < n and U(max(A[base + i], ~A[base + i])) & bits != wanted:
        i += ONE
    if i < n:
        action = A[base + i]
        while i > U(0):
            A[base + i] = A[base + i - ONE]
            i -= ONE
        A[base] = action


def by_history_kernel(counted: Kernel) -> Kernel:
    """Return by_history(A, base, n, first): of the n children at A[base..] those that cut most go first,
    equals as they were. `counted(action)` is the place of its count behind A[first].
    """

    @kernel("void(i8[::1], u8, u8, u8)")
    def by_history(A, base, n, first):
        i = ONE
        while i < n:
            action, j = A[base + i], i
            own = A[first + counted(action)]
            while j > U(0) and A[first + counted(A[base + j - ONE])] < own:
                A[base + j] = A[base + j - ONE]
                j -= ONE
            A[base + j] = action
            i += ONE

    return by_history
