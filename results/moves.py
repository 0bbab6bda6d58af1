"""Wall times of moves as the store keeps them: whole microseconds, 32 bits each."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MOST = 2**32 - 1


def packed(milliseconds: Sequence[float]) -> bytes:
    """Return wall times in milliseconds as bytes; those over an hour and more count as 71 minutes."""
    whole = [min(MOST, round(1000 * ms)) for ms in milliseconds]
    return struct.pack(f"<{len(whole)}I", *whole)


def unpacked(data: bytes) -> NDArray[np.float64]:
    """Return the milliseconds of such bytes."""
    return np.frombuffer(data, "<u4") / 1000
