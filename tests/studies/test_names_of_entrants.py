"""Names of entrants: the settings that differ, of a search its name alone."""

from __future__ import annotations

import pytest

from joute.engines.engine import parse_engine
from joute.studies.adhoc import match_name
from joute.studies.file.entrants import derive_names, program_name

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
        (
            ["uct:iterations=20", 'process:command="cat -n"', 'process:command="./tac"', "random"],
            ["uct", "cat", "tac", "random"],
        ),
        (
            ["uct:iterations=20", 'process:command="cat -n"', 'process:command="cat -s"'],
            ["uct", "cat,command=cat -n", "cat,command=cat -s"],
        ),
    ],
)
def test_engines_are_named_by_what_differs(specs: list[str], names: list[str]) -> None:
    assert derive_names([parse_engine(f"{C4}/{spec}") for spec in specs]) == names


def test_of_many_settings_a_name_has_the_first_ones() -> None:
    def text(number: int) -> str:
        options = ";".join(f"Option {letter}={number}" for letter in "ABCDEFGH")
        return f'chess/process:command=./engine,protocol=uci,depth=4,options="{options}"'

    first, second = parse_engine(text(10)), parse_engine(text(20))
    assert derive_names([first, second]) == [
        "Option A=10,Option B=10,Option C=10 and 5 more",
        "Option A=20,Option B=20,Option C=20 and 5 more",
    ]
    third = parse_engine(text(20).replace("H=20", "H=21"))  # the first ones are alike
    assert derive_names([first, second, third])[1:] == [
        ",".join(f"Option {letter}=20" for letter in "ABCDEFGH"),
        ",".join(f"Option {letter}=20" for letter in "ABCDEFG") + ",Option H=21",
    ]


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("./bot --k 0.5", "bot"),
        ("pachi -D -t =1000 threads=1,resign_threshold=0.25", "pachi"),
        ("python3.11 -S bots/mine.py --k 0.3", "mine"),
        ("java -jar Mine.jar 2.5", "Mine"),
        ("nice -n 5 ./mine 0.1", "mine"),
        ("env A=b.c /opt/mine/engine.bin", "engine"),
        ("python3 -m mine", "python3"),
    ],
)
def test_a_program_is_called_by_its_file_or_its_script(command: str, name: str) -> None:
    assert program_name(command) == name


def test_a_match_is_called_by_the_options_that_differ() -> None:
    both = "chess/process:command=./engine,protocol=uci,depth=4,options="
    first = parse_engine(f'{both}"Threads=1; Mobility (Middle Game)=150"')
    name = match_name(first, parse_engine(f'{both}"Threads=1"'), None)
    assert name.rpartition("-")[0] == "chess-engine-MobilityMiddleGame150-vs-engine"


def test_an_option_that_one_of_two_engines_sets_is_in_its_name() -> None:
    both = "chess/process:command=./engine,protocol=uci,depth=4,options="
    texts = [f'{both}"Mobility=80; Pawns=60"', f'{both}"Mobility=20"']
    assert derive_names([parse_engine(text) for text in texts]) == [
        "Mobility=80,Pawns=60", "Mobility=20",
    ]  # fmt: skip
    other = parse_engine('chess/process:command=./other,protocol=uci,depth=4,options="Hash=1"')
    assert derive_names([parse_engine(texts[1]), other]) == ["./engine", "./other"]
