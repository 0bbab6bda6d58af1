"""The tuner's own space, for any objective: `Float`, `Int`, `Choice`, and conditions between them."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from joute.engines.errors import Refused, cut, nearest, suggest
from joute.engines.parameter import Value
from joute.studies.tuner.axis import Axis
from joute.studies.tuner.domain import Domain, Point

When = Mapping[str, Value | Sequence[Value]]
MOST_AXES, MOST_CHOICES = 20, 30
SHOWN = 60  # characters of a refused value
LARGEST = 2**53  # up to which every whole number is a number of the machine


@dataclass(frozen=True)
class Float:
    """A number from `low` to `high`; `log`: on a logarithmic scale, both above 0.

    `when` says that it has an effect only where other parameters have one of the named values:
    `Float(0, 1, when={"search": "uct"})`.
    """

    low: float
    high: float
    log: bool = False
    when: When | None = None


@dataclass(frozen=True)
class Int:
    """A whole number from `low` to `high`; `log` and `when` as for `Float`."""

    low: int
    high: int
    log: bool = False
    when: When | None = None


class Choice:
    """One of some values, in no order; `when` as for `Float`."""

    def __init__(self, *values: str, when: When | None = None) -> None:
        self.values, self.when = values, when

    def __repr__(self) -> str:
        return f"Choice({', '.join(map(repr, self.values))})"


Parameter = Float | Int | Choice


class Table(Domain):
    """The domain of a table of parameters, in the order in which it is written.

    Raises Refused with one line for whatever cannot be searched.
    """

    def __init__(self, table: Mapping[str, Parameter]) -> None:
        if not isinstance(table, Mapping) or not table:
            raise Refused("the space is empty; allowed: a table of Float, Int and Choice by name")
        if len(table) > MOST_AXES:
            raise Refused(f"the space has {len(table)} parameters; allowed: at most {MOST_AXES}")
        self.axes = tuple(axis_of(name, one) for name, one in table.items())
        self._by_name = {axis.name: axis for axis in self.axes}
        self._when: dict[str, dict[str, frozenset[Value]]] = {}
        for i, (name, one) in enumerate(table.items()):
            if one.when:
                self._when[name] = conditions(name, one.when, self.axes[:i])
                self._refuse_never(name)

    def _refuse_never(self, name: str) -> None:
        """Refuse a condition that no point meets, with those of the parameters that it names."""
        left: dict[str, frozenset[Value]] = {}
        asked = [name]
        while asked:
            for other, values in self._when.get(asked.pop(), {}).items():
                left[other] = left.get(other, values) & values
                asked.append(other)
                if not left[other]:
                    raise Refused(f"{name}: when never holds: no value of {other} meets it")

    @property
    def conditional(self) -> list[str]:
        """Names of the axes that have a condition."""
        return [axis.name for axis in self.axes if axis.name in self._when]

    def active(self, axis: Axis, point: Mapping[str, Value]) -> bool:
        """Whether the axis' condition, if it has one, holds."""
        return all(
            name in point and point[name] in values
            for name, values in self._when.get(axis.name, {}).items()
        )

    def described(self) -> list[dict[str, Any]]:
        """Return the parameters, and their conditions, as a list that JSON can hold."""
        when = {
            name: {other: sorted(values, key=str) for other, values in table.items()}
            for name, table in self._when.items()
        }
        return [{**one, "when": when.get(one["name"])} for one in super().described()]

    def checked(self, point: Mapping[str, Any], what: str = "the point") -> Point:
        """Return a point with every value in its range; raise Refused with one line."""
        if not isinstance(point, Mapping):
            raise Refused(f"{what} is {point!r}; allowed: a table of values by parameter")
        for name in point:
            if name not in self._by_name:
                raise Refused(
                    f"{what}: unknown parameter {name!r}{suggest(str(name), self._by_name)}"
                )
        values: Point = {}
        for axis in self.axes:
            if not self.active(axis, values):
                continue  # a value for it would mean nothing
            if axis.name not in point:
                raise Refused(f"{what} has no value for {axis.name}; allowed: {told(axis)}")
            values[axis.name] = valid(axis, point[axis.name], what)
        return values


def valid(axis: Axis, value: Any, what: str) -> Value:
    """Return a value of an axis; raise Refused if it is none."""
    allowed = f"allowed: {told(axis)}"
    if axis.kind == "choice":
        if not isinstance(value, str) or value not in axis.choices:
            near = nearest(str(value), axis.choices)
            raise Refused(f"{what}: {axis.name} = {shown(value)}; {allowed}{near}")
        return str(value)
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise Refused(f"{what}: {axis.name} = {shown(value)} is no number; {allowed}")
    fine = 1e-9 * (axis.high - axis.low)
    if not axis.low - fine <= value <= axis.high + fine:  # nor is it where the value is no number
        raise Refused(f"{what}: {axis.name} = {shown(value)}; {allowed}")
    number = float(value)
    if axis.kind == "int":
        if number != round(number):
            raise Refused(f"{what}: {axis.name} = {shown(value)} is no whole number; {allowed}")
        return round(number)
    return min(max(number, axis.low), axis.high)


def shown(value: Any) -> str:
    """Return a value as a message shows it: in full, unless it is long."""
    return cut(repr(value), SHOWN)


def told(axis: Axis) -> str:
    """Return what an axis allows, in words."""
    if axis.kind == "choice":
        return "one of " + ", ".join(map(repr, axis.choices))
    return f"{axis.low:g} to {axis.high:g}"


def axis_of(name: str, one: Parameter) -> Axis:
    """Return the axis of one parameter; raise Refused if it cannot be."""
    if not isinstance(name, str) or not name:
        raise Refused(f"a parameter's name is {name!r}; allowed: a text")
    if isinstance(one, Choice):
        return choice_of(name, one)
    if not isinstance(one, Float | Int):
        raise Refused(f"{name} is {one!r}; allowed: Float, Int or Choice")
    for end in (one.low, one.high):
        if isinstance(end, bool) or not isinstance(end, int | float):
            raise Refused(f"{name}: {shown(end)} is no number")
        if not abs(end) <= sys.float_info.max:
            raise Refused(f"{name}: {shown(end)} is no finite number")
    if one.low > one.high:
        raise Refused(f"{name}: low = {one.low!r} is above high = {one.high!r}")
    if one.log and one.low <= 0:
        raise Refused(f"{name}: low = {one.low!r}; allowed on a logarithmic scale: above 0")
    if isinstance(one, Float):
        if not math.isfinite(float(one.high) - float(one.low)) and not one.log:
            raise Refused(
                f"{name}: {one.low!r} to {one.high!r} is too wide; allowed: a narrower range, or "
                "log=True"
            )
        return Axis(name, "float", float(one.low), float(one.high), log=one.log)
    if one.low != int(one.low) or one.high != int(one.high):
        raise Refused(f"{name}: {one.low!r} to {one.high!r}; allowed: whole numbers")
    if max(abs(one.low), abs(one.high)) > LARGEST:
        raise Refused(
            f"{name}: {shown(one.low)} to {shown(one.high)}; allowed: whole numbers from "
            f"-{LARGEST} to {LARGEST}"
        )
    return Axis(name, "int", float(one.low), float(one.high), 1.0, one.log)


def choice_of(name: str, one: Choice) -> Axis:
    """Return the axis of a choice."""
    if not one.values or not all(isinstance(value, str) for value in one.values):
        raise Refused(f"{name}: {one!r}; allowed: one or more texts")
    if len(set(one.values)) < len(one.values):
        raise Refused(f"{name}: {one!r} names a value twice")
    if len(one.values) > MOST_CHOICES:
        raise Refused(f"{name} has {len(one.values)} values; allowed: at most {MOST_CHOICES}")
    return Axis(name, "choice", choices=one.values)


def conditions(name: str, when: When, before: Sequence[Axis]) -> dict[str, frozenset[Value]]:
    """Return what a condition asks of the axes before; raise Refused for what never holds."""
    if not isinstance(when, Mapping):
        raise Refused(f"{name}: when = {shown(when)}; allowed: a table of values by parameter")
    known = {axis.name: axis for axis in before if axis.kind != "float"}
    needed = {}
    for other, values in when.items():
        if other not in known:
            allowed = ", ".join(known) or "none"
            raise Refused(f"{name}: when names {other!r}; allowed: choices and whole numbers that "
                          f"come before it ({allowed})")  # fmt: skip
        several = isinstance(values, Sequence | Set) and not isinstance(values, str)
        wanted = list(values) if several else [values]  # type: ignore[arg-type]
        needed[other] = frozenset(valid(known[other], one, f"{name}: when") for one in wanted)
    return needed
