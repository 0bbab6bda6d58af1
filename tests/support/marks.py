"""Which cases of a test are long: they wait for `make test-all`, the dearest for `make test-long`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

import pytest

ASKED = "JOUTE_LONG" in os.environ
WHY = "takes half a minute or more: make test-long"
dear = pytest.mark.skipif(not ASKED, reason=WHY)


def slow(*values: Any) -> Any:
    """Return a case of a test that is long."""
    return pytest.param(*values, marks=pytest.mark.slow)


def quick(cases: Iterable[Any], chosen: Callable[[Any], object]) -> list[Any]:
    """Return the cases of a test that takes one value, all slow but the chosen ones."""
    return [case if chosen(case) else slow(case) for case in cases]


def quick_rows(cases: Iterable[tuple[Any, ...]], chosen: Callable[[Any], object]) -> list[Any]:
    """Return the same of a test that takes several values."""
    return [case if chosen(case) else slow(*case) for case in cases]
