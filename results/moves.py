"""Encoding of per-move data, lowest byte first: wall times and values as 32-bit floats, nodes as
64-bit and depths as 16-bit integers.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray


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
    known = (math.nan if value is None else value for value in values)
    return _many(len(values), "f").pack(*known)


def unpacked_values(data: bytes) -> tuple[float | None, ...]:
    """Return the values of such bytes."""
    return tuple(value if math.isfinite(value) else None for value in unpacked(data).tolist())


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
