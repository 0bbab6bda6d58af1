"""Which cases of a test are long: they wait for `make test-all`, the dearest for `make test-long`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

import pytest

ASKED = "JOUTE_LONG" in os.environ
WHY = "takes long: make test-long"
dear = pytest.mark.skipif(not ASKED, reason=WHY)


def none(case: object) -> bool:
    """Choose no case."""
    return False


def slow(*values: Any) -> Any:
    """Return a case of a test that is long."""
    return pytest.param(*values, marks=pytest.mark.slow)


def dear_case(*values: Any) -> Any:
    """Return a case of a test that is long and dear."""
    return pytest.param(*values, marks=[pytest.mark.slow, dear])


Choice = Callable[[Any], object]


def quick(cases: Iterable[Any], chosen: Choice = none, dear: Choice = none) -> list[Any]:
    """Return the cases of a test that takes one value, all slow but the chosen ones."""
    return [weighed((case,), chosen(case), dear(case)) for case in cases]


def quick_rows(
    cases: Iterable[tuple[Any, ...]], chosen: Choice = none, dear: Choice = none
) -> list[Any]:
    """Return the same of a test that takes several values."""
    return [weighed(case, chosen(case), dear(case)) for case in cases]


def weighed(values: tuple[Any, ...], is_quick: object, is_dear: object) -> Any:
    """Return a case of a test, slow unless it is quick, and dear or not."""
    marks = [*([] if is_quick else [pytest.mark.slow]), *([dear] if is_dear else [])]
    return pytest.param(*values, marks=marks)
