"""Encoding of per-move data, lowest byte first: wall times and values as 32-bit floats, nodes as
64-bit and depths as 16-bit integers.

32 bits do not tell a win now from one in n plies (WIN - n): such a value is FORCED (1 + n / STEPS), with
the sign of the value. Runs of before have a win in 0 plies there.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from joute.engines.record import FURTHEST, WIN

FORCED, STEPS = 2.0**100, 2**20  # exact for all n to FURTHEST


def packed(milliseconds: Sequence[float]) -> bytes:
    """Return wall times in milliseconds as bytes."""
    return _many(len(milliseconds), "f").pack(*milliseconds)


@cache
def _many(count: int, kind: str) -> struct.Struct:
    return struct.Struct(f"<{count}{kind}")


def unpacked(data: bytes) -> NDArray[np.float32]:
    """Return the milliseconds of such bytes."""
    return np.frombuffer(data, "<f4").astype(np.float32, copy=False)


def packed_values(values: Sequence[float | None]) -> bytes:
    """Return the values of moves as bytes, missing ones as nan."""
    return _many(len(values), "f").pack(*map(_kept, values))


def _kept(value: float | None) -> float:
    if value is None:
        return math.nan
    plies = WIN - abs(value)
    forced = 0 <= plies <= FURTHEST
    return math.copysign(FORCED * (1 + plies / STEPS), value) if forced else value


def _read(kept: float) -> float | None:
    if not math.isfinite(kept):
        return None
    plies = (abs(kept) / FORCED - 1) * STEPS
    return math.copysign(WIN - plies, kept) if plies >= 0 else kept


def unpacked_values(data: bytes) -> tuple[float | None, ...]:
    """Return the values of such bytes."""
    return tuple(map(_read, unpacked(data).tolist()))


def packed_nodes(nodes: Sequence[int]) -> bytes:
    """Return the nodes of moves as bytes."""
    return _many(len(nodes), "q").pack(*nodes)


def unpacked_nodes(data: bytes) -> tuple[int, ...]:
    """Return the nodes of such bytes."""
    return tuple(np.frombuffer(data, "<i8").tolist())


def packed_depths(depths: Sequence[int]) -> bytes:
    """Return the depths of moves as bytes."""
    return _many(len(depths), "h").pack(*depths)


def unpacked_depths(data: bytes) -> tuple[int, ...]:
    """Return the depths of such bytes."""
    return tuple(np.frombuffer(data, "<i2").tolist())
