"""Names of entrants: the settings that differ, of a search its name alone."""

from __future__ import annotations

import pytest

from joute.engines.engine import parse_engine
from joute.studies.adhoc import match_name
from joute.studies.file.entrants import derive_names

C4 = "connect4[columns=4,rows=4]"


@pytest.mark.parametrize(
    ("specs", "names"),
    [
        (["uct:iterations=20", 'process:command="cat"'], ["uct", "cat"]),
        (["uct:iterations=20", 'process:command="env A=b.c ./cat.sh -n"'], ["uct", "cat"]),
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


def test_a_match_is_called_by_the_options_that_differ() -> None:
    both = "chess/process:command=./engine,protocol=uci,depth=4,options="
    first = parse_engine(f'{both}"Threads=1; Mobility (Middle Game)=150"')
    name = match_name(first, parse_engine(f'{both}"Threads=1"'), None)
    assert name.rpartition("-")[0] == "chess-engine-MobilityMiddleGame150-vs-engine"
