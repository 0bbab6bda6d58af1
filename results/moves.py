"""Wall times of moves as the store keeps them: milliseconds, 32-bit floats, lowest byte first."""

from __future__ import annotations

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
