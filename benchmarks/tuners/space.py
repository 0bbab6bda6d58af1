"""What is tuned: axes of a problem, and points of it as rows of [-1, 1]^d, as most tuners see them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Value: TypeAlias = float | int | str
Point: TypeAlias = dict[str, Value]
Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Real:
    """A number between `low` and `high`; with `when` only where an earlier axis has this value."""

    low: float = -1.0
    high: float = 1.0
    when: tuple[str, str] | None = None

    def at(self, place: float) -> float:
        """Return the value at a place in [-1, 1]; places outside are held to it."""
        share = (held(place) + 1) / 2
        return float((1 - share) * self.low + share * self.high)

    def place(self, value: Value) -> float:
        """Return the place in [-1, 1] of a value."""
        return 2 * (float(value) - self.low) / (self.high - self.low) - 1


@dataclass(frozen=True)
class Listed:
    """Values in an order, each of which has an equal part of [-1, 1]: rounding with fair ends."""

    values: tuple[Value, ...]

    def at(self, place: float) -> Value:
        """Return the value whose part of [-1, 1] holds a place."""
        count = len(self.values)
        return self.values[min(int((held(place) + 1) / 2 * count), count - 1)]

    def place(self, value: Value) -> float:
        """Return the middle of a value's part of [-1, 1]."""
        return (2 * self.values.index(value) + 1) / len(self.values) - 1


class Category(Listed):
    """Names without an order (that of the list means nothing)."""


class Whole(Listed):
    """Whole numbers from `low` to `high`."""

    def __init__(self, low: int, high: int) -> None:
        super().__init__(tuple(range(low, high + 1)))


Axis: TypeAlias = Real | Whole | Category
Space: TypeAlias = Mapping[str, Axis]


def floats(count: int) -> dict[str, Real]:
    """Return axes x1, x2, ... from -1 to 1."""
    return {f"x{i + 1}": Real() for i in range(count)}


def held(place: float) -> float:
    """Return a place, or the end of [-1, 1] that is next to it."""
    return min(max(float(place), -1.0), 1.0)


def point_of(space: Space, places: Array) -> Point:
    """Return the point at places in [-1, 1]^d, shape (d,)."""
    return {name: axis.at(float(p)) for (name, axis), p in zip(space.items(), places, strict=True)}


def places_of(space: Space, point: Point) -> Array:
    """Return the places of a point in [-1, 1]^d, shape (d,); 0 for what is not in the point."""
    return np.array([axis.place(point[n]) if n in point else 0.0 for n, axis in space.items()])


def centre(space: Space) -> Point:
    """Return the middle of the box; of names the first."""
    return {
        name: axis.values[0] if isinstance(axis, Category) else axis.at(0.0)
        for name, axis in space.items()
    }
