"""Which cases of a test are long: they wait for `make test-all`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def slow(*values: Any) -> Any:
    """Return a case of a test that is long."""
    return pytest.param(*values, marks=pytest.mark.slow)


def quick(cases: Iterable[Any], chosen: Callable[[Any], object]) -> list[Any]:
    """Return the cases of a test that takes one value, all slow but the chosen ones."""
    return [case if chosen(case) else slow(case) for case in cases]


def quick_rows(cases: Iterable[tuple[Any, ...]], chosen: Callable[[Any], object]) -> list[Any]:
    """Return the same of a test that takes several values."""
    return [case if chosen(case) else slow(*case) for case in cases]
