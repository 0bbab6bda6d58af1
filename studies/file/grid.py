"""[grid]: lists and ranges of values, multiplied out; ranges are exact in decimal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from joute.studies.file.range import MOST, Number, Range, above_zero, number, read_numbers
from joute.studies.file.validation import Errors, show

RANGE = ("from", "to", "step")
ALLOWED = "a list of values, or { from, to, step }"


def combinations(grid: Mapping[str, Any], errors: Errors) -> Iterator[dict[str, Any]]:
    """Yield the settings of each engine of the grid, the last parameter varying fastest.

    Parameters without a usable value are left out, so that the others can still be checked.
    """
    lists = {name: values_of(given, f"grid.{name}", errors) for name, given in grid.items()}
    lists = {name: values for name, values in lists.items() if values}
    number = math.prod(len(values) for values in lists.values())
    if number > MOST:
        errors.add("grid", f"{number} engines; allowed: at most {MOST}")
        return
    for combination in product(*lists.values()):
        yield dict(zip(lists, combination, strict=True))


def values_of(given: Any, path: str, errors: Errors) -> Sequence[Any]:
    """Return the values of one parameter of the grid; empty, with the error noted, if unusable."""
    if isinstance(given, dict):
        return range_of(given, path, errors)
    if not isinstance(given, list):
        errors.add(path, f"{show(given)} is not {ALLOWED}")
        return []
    if not given:
        errors.add(path, "an empty list; allowed: at least one value")
    values = dict[tuple[type, Any], None]()
    for value in given:
        if isinstance(value, list | dict):
            errors.add(path, f"{show(value)} is not a value")
        elif (type(value), value) in values:
            errors.add(path, f"{show(value)} is listed twice")
        else:
            values[type(value), value] = None
    return [value for _, value in values]


def range_of(given: Mapping[str, Any], path: str, errors: Errors) -> Sequence[Number]:
    """Return the values of a range; the last is at most `to`."""
    whole = all(type(given.get(key, 1)) is int for key in RANGE)
    filled = {"step": 1, **given} if whole else given
    checks = {"from": number, "to": number, "step": step_of}
    ends = read_numbers(filled, path, errors, RANGE, checks, "a number")
    if ends is None:
        return []
    if ends["from"] > ends["to"]:
        errors.add(path, f"from = {show(filled['from'])} is above to = {show(filled['to'])}")
        return []
    values = Range(ends["from"], ends["to"], ends["step"], whole)
    if values.count > MOST:
        errors.add(path, f"{values.count} values; allowed: at most {MOST}")
        return []
    return values.values()


def step_of(value: Any) -> Number:
    """Return a step: a number above 0."""
    return above_zero(number(value))
