"""[grid]: lists and ranges of values, multiplied out; ranges are exact in decimal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from engines.errors import suggest
from studies.file.errors import Errors, show

MOST = 10_000  # engines in a grid
RANGE = ("from", "to", "step")
ALLOWED = "a list of values, or { from, to, step }"

Number = int | float


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
    """Return the values of one parameter of the grid; none, with the error noted, if unusable."""
    if isinstance(given, dict):
        return range_of(given, path, errors)
    if not isinstance(given, list):
        errors.add(path, f"{show(given)} is not {ALLOWED}")
        return []
    if not given:
        errors.add(path, "an empty list; allowed: at least one value")
    found: list[Any] = []
    for value in given:
        if isinstance(value, list | dict):
            errors.add(path, f"{show(value)} is not a value")
        elif value in found and type(value) is type(found[found.index(value)]):
            errors.add(path, f"{show(value)} is listed twice")
        else:
            found.append(value)
    return found


def range_of(given: Mapping[str, Any], path: str, errors: Errors) -> Sequence[Number]:
    """Return the values of a range, with the last one that is not above `to`."""
    wrong = False
    for key in given:
        if key not in RANGE:
            errors.add(f"{path}.{key}", f"unknown key{suggest(key, RANGE)}")
            wrong = True
    whole = all(type(given.get(key, 1)) is int for key in RANGE)
    filled = {"step": 1, **given} if whole else given
    for key in RANGE:
        value = filled.get(key)
        if value is None:
            errors.add(f"{path}.{key}", "is missing; allowed: a number")
        elif not is_number(value):
            errors.add(f"{path}.{key}", f"{show(value)} is not a number")
        elif key == "step" and value <= 0:
            errors.add(f"{path}.step", f"{show(value)} is not a number above 0")
        else:
            continue
        wrong = True
    if wrong:
        return []
    if filled["from"] > filled["to"]:
        errors.add(path, f"from = {show(filled['from'])} is above to = {show(filled['to'])}")
        return []
    low, high, step = (Fraction(repr(filled[key])) for key in RANGE)
    count = int((high - low) / step) + 1
    if count > MOST:
        errors.add(path, f"{count} values; allowed: at most {MOST}")
        return []
    exact = [low + i * step for i in range(count)]
    return [int(value) if whole else float(value) for value in exact]


def is_number(value: Any) -> bool:
    """Whether a value is a finite number and no truth value."""
    return isinstance(value, int | float) and type(value) is not bool and math.isfinite(value)
