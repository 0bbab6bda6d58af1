"""Bit tricks shared by bitboard games."""

from __future__ import annotations

import numpy as np

from joute.engines.kernels.compile import U, kernel


@kernel("i8(u8)")
def popcount(x):
    """Return how many bits of a word are set (the compiler turns this into one instruction)."""
    x = x - ((x >> U(1)) & U(0x5555555555555555))
    x = (x & U(0x3333333333333333)) + ((x >> U(2)) & U(0x3333333333333333))
    x = (x + (x >> U(4))) & U(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * U(0x0101010101010101)) >> U(56))


@kernel("u8(u8)")
def lowest(x):
    """Return the number of the lowest bit that is set; x is not 0."""
    return U(popcount((x & (~x + U(1))) - U(1)))


@kernel("u8(u8, i8)")
def nth_bit(word, k):
    """Return the number of the k-th bit that is set, from 0; there are more than k.

    It looks in which half it is, in which half of that, and so on, without a branch.
    """
    begin = U(0)
    for width in (U(32), U(16), U(8), U(4), U(2), U(1)):
        here = popcount((word >> begin) & ((U(1) << width) - U(1)))
        beyond = k >= here
        begin += width if beyond else U(0)
        k -= here if beyond else np.int64(0)
    return begin


@kernel("u8(u8, u8)")
def mix(h, word):
    """Fold a word into a running 64-bit hash."""
    h = (h ^ word) * U(0x9E3779B97F4A7C15)
    return h ^ (h >> U(29))
