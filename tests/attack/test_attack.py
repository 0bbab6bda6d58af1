"""The attack in its shortest form; the whole one is `python -m tests.attack`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.attack import bots, inputs, kills
from tests.attack.findings import Findings
from tests.support.marks import dear_case


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "number"), [(inputs.attack, 40), dear_case(bots.attack, 2), dear_case(kills.attack, 1)]
)
def test_nothing_is_found(part: Callable[[int, int], Findings], number: int) -> None:
    found = part(2, number)
    assert found.done and not found.faults, found.table()
