"""Wall times of moves as the store keeps them: milliseconds, 32-bit floats, lowest byte first."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def packed(milliseconds: Sequence[float]) -> bytes:
    """Return wall times in milliseconds as bytes."""
    return struct.pack(f"<{len(milliseconds)}f", *milliseconds)


def unpacked(data: bytes) -> NDArray[np.float32]:
    """Return the milliseconds of such bytes."""
    return np.frombuffer(data, "<f4").astype(np.float32, copy=False)
