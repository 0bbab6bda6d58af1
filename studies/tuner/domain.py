"""A domain: axes (some active only at some points), its points, and their places as rows.

A place encodes a point for the model: the numbers in [-1, 1] on their scale, then a column of 0 and
1 for each value of each choice. An inactive number lies at 0, an inactive choice at no value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from joute.engines.kernels.compile import Floats
from joute.engines.parameter import Value
from joute.studies.tuner.axis import Axis
from joute.studies.tuner.model.kernel import KernelShape

Point = dict[str, Value]
REDRAWN = 0.25  # chance that a move draws a choice anew


class Domain:
    """The points of some axes; which axes are active may depend on those before them."""

    axes: tuple[Axis, ...]

    def active(self, axis: Axis, point: Mapping[str, Value]) -> bool:
        """Whether an axis has an effect, given the axes before it."""
        return True

    def checked(self, point: Mapping[str, Value], what: str) -> Point:
        """Return a point in its canonical form; raise Refused if it is invalid."""
        return dict(point)

    def described(self) -> list[dict[str, Any]]:
        """Return the axes as a list for JSON, which identifies a space."""
        keys = ("name", "kind", "low", "high", "step", "log", "choices")
        return [{key: getattr(axis, key) for key in keys} for axis in self.axes]

    def walk(self, choose: Callable[[Axis], Value]) -> dict[str, Value]:
        """Return the point whose active axes take the values that `choose` gives, one by one."""
        point: dict[str, Value] = {}
        for axis in self.axes:
            if self.active(axis, point):
                point[axis.name] = axis.tidy(choose(axis))
        return point

    def plain(self, point: Point, ends: Mapping[str, tuple[Value, Value]]) -> Point:
        """Return a point with as few digits as the intervals `ends` of its numbers support."""

        def choose(axis: Axis) -> Value:
            value = point.get(axis.name, axis.at(0.5))
            return axis.plain(value, *ends[axis.name]) if axis.name in ends else value

        rounded = self.walk(choose)
        return rounded if rounded.keys() == point.keys() else point

    @property
    def conditional(self) -> list[str]:
        """Names of the axes that are not active at every point."""
        corners: set[str] = set()
        for point in self.corners():
            corners |= {axis.name for axis in self.axes if axis.name not in point}
        return [axis.name for axis in self.axes if axis.name in corners]

    def corners(self) -> Iterator[dict[str, Value]]:
        """Yield points that take every value of the choices, numbers at the ends of their range."""
        points: list[dict[str, Value]] = [{}]
        for axis in self.axes:
            ends = list(axis.choices) if axis.kind == "choice" else [axis.at(0.0), axis.at(1.0)]
            if len(points) * len(ends) > 4096:
                ends = ends[:1]
            grown = []
            for point in points:
                if self.active(axis, point):
                    grown += [{**point, axis.name: end} for end in ends]
                else:
                    grown.append(point)
            points = grown
        yield from points

    @cached_property
    def numbers(self) -> tuple[Axis, ...]:
        """The axes that are numbers: the first columns of a place."""
        return tuple(axis for axis in self.axes if axis.kind != "choice")

    @cached_property
    def choices(self) -> tuple[Axis, ...]:
        """The axes that are choices: the other columns of a place."""
        return tuple(axis for axis in self.axes if axis.kind == "choice")

    @cached_property
    def shape(self) -> KernelShape:
        """The layout of places."""
        return KernelShape(len(self.numbers), tuple(len(axis.choices) for axis in self.choices))

    @cached_property
    def blocks(self) -> list[tuple[Axis, slice]]:
        """The choices, each with its columns of a place."""
        return list(zip(self.choices, self.shape.blocks, strict=True))

    def places(self, points: Sequence[Mapping[str, Value]]) -> Floats:
        """Return the places (points, columns) of points."""
        places = np.zeros((len(points), self.shape.columns))
        for i, point in enumerate(points):
            for j, axis in enumerate(self.numbers):
                if axis.name in point:
                    places[i, j] = 2 * axis.place(point[axis.name]) - 1
            for axis, block in self.blocks:
                if axis.name in point:
                    places[i, block.start + axis.choices.index(str(point[axis.name]))] = 1.0
        return places

    def point(self, place: Floats) -> Point:
        """Return the point nearest to a place: values tidied, of a choice the largest column."""
        values: dict[str, Value] = {
            axis.name: axis.value((place[j] + 1) / 2) for j, axis in enumerate(self.numbers)
        }
        for axis, block in self.blocks:
            values[axis.name] = axis.choices[int(np.argmax(place[block]))]
        return self.walk(lambda axis: values[axis.name])

    def snapped(self, places: Floats) -> Floats:
        """Return the places of engines that can be played: in the range, on the steps, active."""
        moved = np.clip(places, -1.0, 1.0)
        for j, axis in enumerate(self.numbers):
            moved[:, j] = axis.snapped(moved[:, j])
        for _, block in self.blocks:
            columns = moved[:, block]
            best = columns.argmax(1)
            columns[:] = 0.0
            columns[np.arange(len(moved)), best] = 1.0
        if self.sometimes:
            moved = self.places([self.point(row) for row in moved])
        return moved

    @cached_property
    def sometimes(self) -> bool:
        """Whether some axis is not active at every point."""
        return bool(self.conditional)

    def scattered(self, units: Floats) -> Floats:
        """Return the places for rows (n, axes) of evenly spread numbers in [0, 1]."""
        d = len(self.numbers)
        places = np.zeros((len(units), self.shape.columns))
        for j, axis in enumerate(self.numbers):
            places[:, j] = axis.spread(units[:, j])
        for i, (axis, block) in enumerate(self.blocks):
            count = len(axis.choices)
            picked = np.minimum((units[:, d + i] * count).astype(int), count - 1)
            places[np.arange(len(units)), block.start + picked] = 1.0
        return self.snapped(places)

    def moved(self, places: Floats, scale: Floats | float, rng: np.random.Generator) -> Floats:
        """Return places near others: numbers moved by normal steps of `scale`, choices rarely."""
        d, n = len(self.numbers), len(places)
        near = places.copy()
        near[:, :d] += scale * rng.standard_normal((n, d))
        for axis, block in self.blocks:
            count = len(axis.choices)
            redrawn = np.flatnonzero(rng.random(n) < REDRAWN)
            near[redrawn, block] = np.eye(count)[rng.integers(count, size=len(redrawn))]
        return self.snapped(near)
