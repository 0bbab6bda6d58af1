"""An axis: one searched parameter, its range and scale, and its values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from joute.engines.kernels.compile import Floats
from joute.engines.parameter import Value
from joute.studies.file.range import Range

FINE = 3  # decimals of a drawn number, counted from the range's width
WITHIN = 0.05  # of an interval's width: how far fewer digits may move a value
MOST = 12  # decimals


@dataclass(frozen=True)
class Axis:
    """One searched parameter: a number between `low` and `high`, or one of `choices`.

    `marks`: values that plots mark.
    """

    name: str
    kind: str  # "float", "int" or "choice"
    low: float = 0.0
    high: float = 1.0
    step: float | None = None
    log: bool = False
    choices: tuple[str, ...] = ()
    marks: tuple[float, ...] = field(default=(), compare=False)

    @classmethod
    def stored(cls, data: Mapping[str, Any]) -> Axis:
        """Return the axis that a run has stored."""
        lists = {k: tuple(data.get(k, ())) for k in ("choices", "marks")}
        return cls(**{**data, **lists})

    @property
    def discrete(self) -> bool:
        """Whether the axis has finitely many values."""
        return self.kind != "float" or self.step is not None

    def values(self) -> list[Value]:
        """Return all values of a discrete axis."""
        if self.kind == "choice":
            return list(self.choices)
        return [self.nth(i) for i in range(self.count)]

    @property
    def count(self) -> int:
        """Number of values of a discrete axis."""
        if self.kind == "choice":
            return len(self.choices)
        return self.range.count

    def nth(self, i: int) -> Value:
        """Return value number i of a discrete axis."""
        if self.kind == "choice":
            return self.choices[i]
        return self.range.nth(i)

    @property
    def range(self) -> Range:
        """The numbers of a discrete axis."""
        return numbers(self.low, self.high, self.step or 1.0, self.kind == "int")

    def holds(self, value: Value) -> bool:
        """Whether a value lies in the range, or is one of the choices; it may lie between steps."""
        return (
            value in self.choices
            if self.kind == "choice"
            else self.low <= float(value) <= self.high
        )

    def tidy(self, value: Value) -> Value:
        """Return a drawn value without meaningless decimals."""
        if self.kind == "choice":
            return str(value)
        number = min(max(float(value), self.low), self.high)
        if self.low == self.high:
            return round(self.low) if self.kind == "int" else self.low
        if self.step is not None:
            return self.nth(round((number - self.low) / self.step))
        if self.kind == "int":
            return round(number)
        width = number if self.log else self.high - self.low
        number = round(number, max(0, FINE - math.floor(math.log10(abs(width)))))
        return min(max(number, self.low), self.high)

    def plain(self, value: Value, low: Value, high: Value) -> Value:
        """Return the value near this one with the fewest digits that an interval supports: it lies
        within a twentieth of the interval's width.
        """
        if self.kind == "choice":
            return value
        place, near = self.place(value), WITHIN * abs(self.place(high) - self.place(low))
        largest = max(abs(float(value)), 1e-300)
        for digits in range(-math.floor(math.log10(largest)), MOST):
            number = round(float(value), digits)
            allowed = self.low <= number <= self.high and self.tidy(number) == number
            if allowed and abs(self.place(number) - place) <= near:
                return self.tidy(number)
        return value

    def at(self, unit: float) -> Value:
        """Return the value at a place in [0, 1] of the range, on a log scale if `log`."""
        if self.kind == "choice":
            return self.choices[min(int(unit * len(self.choices)), len(self.choices) - 1)]
        if self.discrete and not self.log:
            return self.nth(min(int(unit * self.count), self.count - 1))
        if self.log:
            return self.tidy(self._on_log_scale(unit))
        return self.tidy(self.low + unit * (self.high - self.low))

    def place(self, value: Value) -> float:
        """Return the place of a number in its range, from 0 to 1; 0.5 if there is only one."""
        if self.low == self.high:
            return 0.5
        number = min(max(float(value), self.low), self.high)
        if self.log:
            return (math.log(number) - math.log(self.low)) / self._logs
        return (number - self.low) / (self.high - self.low)

    def value(self, place: float) -> Value:
        """Return the number at a place from 0 to 1 of the range: the inverse of `place`."""
        if self.low == self.high:
            return round(self.low) if self.kind == "int" else self.low
        if self.log:
            return self.tidy(self._on_log_scale(place))
        return self.tidy(self.low + place * (self.high - self.low))

    @property
    def _logs(self) -> float:
        """The range's width in logarithms; the ratio of its ends might overflow."""
        return math.log(self.high) - math.log(self.low)

    def _on_log_scale(self, place: float) -> float:
        return math.exp(math.log(self.low) + place * self._logs)

    def snapped(self, x: Floats) -> Floats:
        """Return coordinates in [-1, 1] moved to the nearest value that the axis has."""
        if self.low == self.high:
            return np.zeros_like(x)
        if not self.discrete:
            return x
        number: Floats = self.low + (x + 1) / 2 * (self.high - self.low)
        if self.log:
            number = np.exp(math.log(self.low) + (x + 1) / 2 * self._logs)
        step = self.step or 1.0
        number = np.clip(
            self.low + np.round((number - self.low) / step) * step, self.low, self.high
        )
        if self.log:
            moved: Floats = 2 * (np.log(number) - math.log(self.low)) / self._logs - 1
            return moved
        moved = 2 * (number - self.low) / (self.high - self.low) - 1
        return moved

    def spread(self, units: Floats) -> Floats:
        """Return coordinates in [-1, 1] for evenly spread units: every value of a step as often."""
        if self.discrete and not self.log and self.count > 1:
            number = np.minimum((units * self.count).astype(int), self.count - 1)
            coordinates: Floats = 2 * number / (self.count - 1) - 1.0
            return coordinates
        return 2 * units - 1

    def as_written(self) -> Any:
        """Return the axis as a study file writes it."""
        if self.kind == "choice":
            return list(self.choices)
        whole = self.kind == "int"
        table: dict[str, Any] = {
            "from": int(self.low) if whole else self.low,
            "to": int(self.high) if whole else self.high,
        }
        if self.step is not None:
            table["step"] = int(self.step) if whole else self.step
        table |= {"marks": list(self.marks)} if self.marks else {}
        return table | ({"log": True} if self.log else {})


@lru_cache(maxsize=256)
def numbers(low: float, high: float, step: float, whole: bool) -> Range:
    """Return a range, cached, as exact decimals are slow."""
    return Range(low, high, step, whole)
