"""Random numbers: one splitmix64 word of state, the same stream compiled and in plain Python.

Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
"""

from __future__ import annotations

import hashlib

import numpy as np

from joute.engines.kernels.compile import U, Words, kernel


@kernel("u8(u8[::1])")
def next_word(S):
    """Advance the state S[0] and return 64 random bits."""
    S[0] = S[0] + U(0x9E3779B97F4A7C15)
    z = S[0]
    z = (z ^ (z >> U(30))) * U(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> U(27))) * U(0x94D049BB133111EB)
    return z ^ (z >> U(31))


@kernel("u8(u8[::1], u8)")
def below(S, n):
    """Return a number in 0..n-1 (n < 2**32; bias below n / 2**32)."""
    return ((next_word(S) >> U(32)) * n) >> U(32)


def seed_of(*parts: object) -> int:
    """Hash any parts (their text) to a 64-bit seed: the only way seeds are derived."""
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def stream(seed: int) -> Words:
    """Return the state array of a fresh stream."""
    return np.array([seed & 0xFFFFFFFFFFFFFFFF], np.uint64)
