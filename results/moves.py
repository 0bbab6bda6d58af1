"""Wall times and values of moves as the store keeps them: 32-bit floats, lowest byte first."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray


def packed(milliseconds: Sequence[float]) -> bytes:
    """Return wall times in milliseconds as bytes."""
    return _floats(len(milliseconds)).pack(*milliseconds)


@cache
def _floats(count: int) -> struct.Struct:
    return struct.Struct(f"<{count}f")


def unpacked(data: bytes) -> NDArray[np.float32]:
    """Return the milliseconds of such bytes."""
    return np.frombuffer(data, "<f4").astype(np.float32, copy=False)


def packed_values(values: Sequence[float | None]) -> bytes:
    """Return the values of moves as bytes, what was not told as nan."""
    known = (math.nan if value is None else value for value in values)
    return _floats(len(values)).pack(*known)


def unpacked_values(data: bytes) -> tuple[float | None, ...]:
    """Return the values of such bytes."""
    return tuple(value if math.isfinite(value) else None for value in unpacked(data).tolist())
