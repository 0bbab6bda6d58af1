"""Names of entrants: the settings that differ, of a search its name alone."""

from __future__ import annotations

import pytest

from joute.engines.engine import parse_engine
from joute.studies.file.entrants import derive_names

C4 = "connect4[columns=4,rows=4]"


@pytest.mark.parametrize(
    ("specs", "names"),
    [
        (["uct:iterations=20", 'process:command="cat"'], ["uct", "cat"]),
        (
            ['process:command="cat {k} {{}}",k=0.5', 'process:command="cat"'],
            ["cat 0.5 {}", "cat"],
        ),
        (["uct:iterations=20", "uct:iterations=30"], ["iterations=20", "iterations=30"]),
        (
            ["uct:evaluation=lines,iterations=20", "alphabeta:evaluation=static,depth=2"],
            ["uct,evaluation=lines", "alphabeta,evaluation=static"],
        ),
    ],
)
def test_engines_are_named_by_what_differs(specs: list[str], names: list[str]) -> None:
    assert derive_names([parse_engine(f"{C4}/{spec}") for spec in specs]) == names
