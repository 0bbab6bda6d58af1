"""Ranges of numbers in study files, { from, to, step }, exact in decimal."""

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
    """The numbers `low`, `low + step`, ... up to `high`; integers if `whole`."""

    low: Number
    high: Number
    step: Number
    whole: bool = False

    @cached_property
    def count(self) -> int:
        """Number of values."""
        low, high, step = self._exact
        return int((high - low) / step) + 1

    def nth(self, i: int) -> Number:
        """Return number i, from 0."""
        low, _, step = self._exact
        return int(low + i * step) if self.whole else float(low + i * step)

    def values(self) -> list[Number]:
        """Return all values."""
        return [self.nth(i) for i in range(self.count)]

    @property
    def last(self) -> Number:
        """The highest value."""
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
    """Return the checked numbers of a range that `checks` names; note every error.

    `keys`: all allowed keys; `allowed`: what to write for a missing number. None if anything is
    wrong.
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
    """Return a finite number above 0, an integer if `whole`; raise Refused otherwise."""
    good = is_number(value) and value > 0 and not (whole and value != int(value))
    if not good:
        raise Refused(f"{show(value)} is not a {'whole ' * whole}number above 0")
    return value  # type: ignore[no-any-return]


def is_number(value: Any) -> bool:
    """Whether a value is a finite number and not a boolean."""
    return isinstance(value, int | float) and type(value) is not bool and math.isfinite(value)
