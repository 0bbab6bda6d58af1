"""The tuner's own space, for any objective: `Float`, `Int`, `Choice`, and conditions between them."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from joute.engines.errors import Refused, nearest, shown, suggest, unboxed
from joute.engines.parameter import Value
from joute.studies.tuner.axis import Axis
from joute.studies.tuner.domain import Domain, Point

When = Mapping[str, Value | Sequence[Value]]
MOST_AXES, MOST_CHOICES = 20, 30
LARGEST = 2**53  # up to here floats hold every whole number


@dataclass(frozen=True)
class Float:
    """A number from `low` to `high`; `log`: on a logarithmic scale, both above 0.

    `when`: it has an effect only where other parameters have one of these values: `Float(0, 1,
    when={"search": "uct"})`.
    """

    low: float
    high: float
    log: bool = False
    when: When | None = None

    def __post_init__(self) -> None:
        """Take numpy's numbers, too; raise Refused with one line for a range that cannot be searched."""
        take_numbers(self)
        axis_of("Float", self)


@dataclass(frozen=True)
class Int:
    """A whole number from `low` to `high`; `log` and `when` as for `Float`."""

    low: int
    high: int
    log: bool = False
    when: When | None = None

    def __post_init__(self) -> None:
        """Take numpy's numbers, too; raise Refused with one line for a range that cannot be searched."""
        take_numbers(self)
        axis_of("Int", self)


class Choice:
    """One of some values, in no order, which may come as one list; `when` as for `Float`."""

    def __init__(self, *values: str | Sequence[str], when: When | None = None) -> None:
        own = [unboxed(value) for value in values]
        alone = len(own) == 1 and isinstance(own[0], list | tuple)
        self.values: tuple[Any, ...] = tuple(own[0] if alone else own)
        self.when = when
        axis_of("Choice", self)

    def __repr__(self) -> str:
        return f"Choice({', '.join(map(repr, self.values))})"


Parameter = Float | Int | Choice


def take_numbers(given: Float | Int) -> None:
    """Let a parameter hold Python's own numbers in place of numpy's."""
    for name in ("low", "high", "log"):
        object.__setattr__(given, name, unboxed(getattr(given, name)))


class ParameterTable(Domain):
    """The domain of a table of parameters, in the order of the table.

    Raises Refused with one line for anything that cannot be searched.
    """

    def __init__(self, table: Mapping[str, Parameter]) -> None:
        if not isinstance(table, Mapping):
            raise Refused(
                f"space = {shown(table)}; allowed: a table of Float, Int and Choice by name"
            )
        if not table:
            raise Refused("the space is empty; allowed: a table of Float, Int and Choice by name")
        if len(table) > MOST_AXES:
            raise Refused(f"the space has {len(table)} parameters; allowed: at most {MOST_AXES}")
        self.axes = tuple(axis_of(name, parameter) for name, parameter in table.items())
        self._by_name = {axis.name: axis for axis in self.axes}
        self._when: dict[str, dict[str, frozenset[Value]]] = {}
        for i, (name, parameter) in enumerate(table.items()):
            if parameter.when:
                self._when[name] = conditions(name, parameter.when, self.axes[:i])
                self._refuse_never(name)

    def _refuse_never(self, name: str) -> None:
        """Refuse a condition that no point meets, with those of the parameters it names."""
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
        """Whether the axis' condition, if any, holds."""
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
        return [{**row, "when": when.get(row["name"])} for row in super().described()]

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


def told(axis: Axis) -> str:
    """Return the allowed values of an axis in words."""
    if axis.kind == "choice":
        return "one of " + ", ".join(map(repr, axis.choices))
    return f"{axis.low:g} to {axis.high:g}"


def axis_of(name: str, given: Parameter) -> Axis:
    """Return the axis of one parameter; raise Refused if it is invalid."""
    if not isinstance(name, str) or not name:
        raise Refused(f"a parameter's name is {name!r}; allowed: a text")
    if isinstance(given, Choice):
        return choice_of(name, given)
    if not isinstance(given, Float | Int):
        raise Refused(f"{name} is {given!r}; allowed: Float, Int or Choice, as Float(0, 1)")
    for end in (given.low, given.high):
        if isinstance(end, bool) or not isinstance(end, int | float):
            raise Refused(f"{name}: {shown(end)} is no number")
        if not abs(end) <= sys.float_info.max:
            raise Refused(f"{name}: {shown(end)} is no finite number")
    if given.low > given.high:
        raise Refused(f"{name}: low = {given.low!r} is above high = {given.high!r}")
    if given.log and given.low <= 0:
        raise Refused(f"{name}: low = {given.low!r}; allowed on a logarithmic scale: above 0")
    if isinstance(given, Float):
        if not math.isfinite(float(given.high) - float(given.low)) and not given.log:
            raise Refused(
                f"{name}: {given.low!r} to {given.high!r} is too wide; allowed: a narrower range, "
                "or log=True"
            )
        return Axis(name, "float", float(given.low), float(given.high), log=given.log)
    if given.low != int(given.low) or given.high != int(given.high):
        raise Refused(f"{name}: {given.low!r} to {given.high!r}; allowed: whole numbers")
    if max(abs(given.low), abs(given.high)) > LARGEST:
        raise Refused(
            f"{name}: {shown(given.low)} to {shown(given.high)}; allowed: whole numbers from "
            f"-{LARGEST} to {LARGEST}"
        )
    return Axis(name, "int", float(given.low), float(given.high), 1.0, given.log)


def choice_of(name: str, given: Choice) -> Axis:
    """Return the axis of a choice."""
    if not given.values or not all(isinstance(value, str) for value in given.values):
        raise Refused(f"{name}: {given!r}; allowed: one or more texts, as in Choice('a', 'b')")
    if len(set(given.values)) < len(given.values):
        raise Refused(f"{name}: {given!r} lists a value twice")
    if len(given.values) > MOST_CHOICES:
        raise Refused(f"{name} has {len(given.values)} values; allowed: at most {MOST_CHOICES}")
    return Axis(name, "choice", choices=given.values)


def conditions(name: str, when: When, before: Sequence[Axis]) -> dict[str, frozenset[Value]]:
    """Return the values that a condition allows earlier axes; raise Refused if it never holds."""
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
        needed[other] = frozenset(valid(known[other], value, f"{name}: when") for value in wanted)
    return needed
