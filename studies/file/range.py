"""Ranges of numbers as study files say them, { from, to, step }: read once, exact in decimal."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from joute.engines.errors import Refused, suggest
from joute.studies.file.validation import Errors, show

MOST = 10_000  # values of a range
Number = int | float


@dataclass(frozen=True)
class Range:
    """The numbers `low`, `low + step`, ... that are not above `high`; whole ones are integers."""

    low: Number
    high: Number
    step: Number
    whole: bool = False

    @cached_property
    def count(self) -> int:
        """How many there are."""
        low, high, step = self._exact
        return int((high - low) / step) + 1

    def nth(self, i: int) -> Number:
        """Return number i, from 0."""
        low, _, step = self._exact
        return int(low + i * step) if self.whole else float(low + i * step)

    def values(self) -> list[Number]:
        """Return all of them."""
        return [self.nth(i) for i in range(self.count)]

    @property
    def last(self) -> Number:
        """The highest."""
        return self.nth(self.count - 1)

    @cached_property
    def _exact(self) -> tuple[Fraction, Fraction, Fraction]:
        low, high, step = (Fraction(repr(number)) for number in (self.low, self.high, self.step))
        return low, high, step


def read_numbers(
    given: Mapping[str, Any],
    path: str,
    errors: Errors,
    keys: Sequence[str],
    checks: Mapping[str, Callable[[Any], Number]],
    allowed: str,
) -> dict[str, Number] | None:
    """Return the numbers of a range that `checks` names, each checked; note every fault.

    `keys` are all that may stand there; `allowed` says what an absent number may be. None if
    anything is wrong.
    """
    numbers: dict[str, Number] = {}
    for key in given:
        if key not in keys:
            errors.add(f"{path}.{key}", f"unknown key{suggest(key, keys)}")
    for key, check in checks.items():
        try:
            if given.get(key) is None:
                raise Refused(f"is missing; allowed: {allowed}")
            numbers[key] = check(given[key])
        except Refused as error:
            errors.add(f"{path}.{key}", str(error))
    return None if errors.under(path) else numbers


def number(value: Any) -> Number:
    """Return a finite number; raise Refused for anything else."""
    if not is_number(value):
        raise Refused(f"{show(value)} is not a number")
    return value  # type: ignore[no-any-return]


def above_zero(value: Any, whole: bool = False) -> Number:
    """Return a finite number above 0, a whole one if that is wanted; raise Refused for another."""
    good = is_number(value) and value > 0 and not (whole and value != int(value))
    if not good:
        raise Refused(f"{show(value)} is not a {'whole ' * whole}number above 0")
    return value  # type: ignore[no-any-return]


def is_number(value: Any) -> bool:
    """Whether a value is a finite number and no truth value."""
    return isinstance(value, int | float) and type(value) is not bool and math.isfinite(value)
