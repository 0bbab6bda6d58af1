"""Assembled source: the same results from one file, and a clear refusal of what cannot be in it."""

from __future__ import annotations

import ast
import io
import subprocess
import sys
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numba
import numpy as np
import pytest

from engines.engine import parse_engine
from engines.kernels import U
from engines.random import below, next_word
from engines.registry import find, load_plugin, names
from engines.search import Search
from engines.source import Unwritable, assemble
from reports.bot import Bot
from reports.budget import answers, games

load_plugin(Path(__file__).resolve().parent.parent / "plugins" / "toys.py")
LIMIT = 5


def loaded(roots: dict[str, Any], uses: Iterable[str] = (), compiled: bool = False) -> Any:
    """Return the names that the assembled file defines, and its text under `text`."""
    text = assemble(roots, uses, compiled)
    found: dict[str, Any] = {}
    exec(compile(text, "assembled", "exec"), found)
    return {**found, "text": text}


def test_kernels_come_with_all_they_call() -> None:
    file = loaded({"draw": below})
    ours, theirs = np.array([7], np.uint64), np.array([7], np.uint64)
    with np.errstate(over="ignore"):
        assert [file["draw"](ours, U(12)) for _ in range(50)] == [
            below(theirs, U(12)) for _ in range(50)
        ]
    assert ours == theirs
    assert file["text"].count("def next_word(") == 1


def test_a_compiled_file_gives_the_same_numbers(tmp_path: Path) -> None:
    (tmp_path / "file.py").write_text(assemble({"draw": next_word}), "utf-8")
    code = (
        "import numpy as np, file\nassert file.numba and file.draw.signatures\n"
        "S = np.array([7], np.uint64)\nprint([int(file.draw(S)) for _ in range(9)])"
    )
    for _ in range(2):  # the second time from numba's cache
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        S = np.array([7], np.uint64)
        assert done.stdout == f"{[int(next_word(S)) for _ in range(9)]}\n", done.stderr


def plain(function: Any) -> Any:
    """Mark a function as a kernel, without compiling it."""
    function.signature, function.inline, function.digest = "u8(u8)", True, ""
    return function


def test_what_captured_numbers_decide_is_worked_out() -> None:
    absent, size, step = None, 3, U(4)

    @plain
    def found(x: np.uint64) -> np.uint64:
        if size == 2:
            x = absent(x)
        elif size > 2 and x:
            x += U(2 * size + 1) + step
        return x if size else absent(x)

    file = loaded({"found": found})
    assert file["found"](U(5)) == found(U(5)) == 16
    assert "absent" not in file["text"] and "if x:" in file["text"]
    assert "np.uint64(11)" in file["text"] and "np.uint64(7)" not in file["text"]


def test_a_branch_that_nothing_is_left_of_passes() -> None:
    never = False

    @plain
    def found(x: np.int64) -> np.int64:
        for _ in range(3):
            if never:
                x += 1
        return x

    assert loaded({"found": found})["found"](np.int64(4)) == 4


def test_no_name_is_hidden_by_a_local_variable() -> None:
    def size() -> int:
        return 1

    def other() -> int:
        return size()

    def make(value: int) -> Any:
        def size(step: int) -> int:
            return step * value + other()

        return size

    two = make(2)

    def user(size: int) -> int:
        return two(size) + int(other())  # type: ignore[no-any-return]

    assert loaded({"user": user})["user"](10) == user(10) == 22


def test_an_array_of_every_kind_reads_back() -> None:
    arrays = [
        np.array([[1.5, -0.1], [1e300, 3.0]]),
        np.array([1 << 63, 5], np.uint64),
        np.zeros(0, np.int64),
    ]
    found = loaded({"holder": Holder(arrays)}, ["arrays"])["holder"].arrays
    for one, other in zip(found, arrays, strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape and (one == other).all()


class Holder:
    """Has attributes and no methods."""

    def __init__(self, arrays: Any) -> None:
        self.arrays, self.secret = arrays, io.StringIO()


class Pair(NamedTuple):
    left: int
    right: int = 2

    def total(self) -> int:
        return self.left + self.right


class Base:
    """Docstrings stay."""

    sides: ClassVar[int] = 4
    unused: ClassVar[Any] = io.StringIO

    def __init__(self, size: int) -> None:
        self.size = size

    @property
    def area(self) -> int:
        return self.size * self.sides * LIMIT

    @cached_property
    def known(self) -> list[int]:
        return [len(io.StringIO(str(self.size)).read())]

    @classmethod
    def of(cls, pair: Pair) -> Base:
        return cls(pair.total())

    def never_mentioned(self) -> Any:
        return numba.njit


class Square(Base):
    def grown(self, by: int) -> int:
        return self.area + by + self.known[0]


def test_classes_keep_what_is_mentioned() -> None:
    def called(size: int) -> Any:
        return Square(size).grown(3), Square.of(Pair(4)).size

    file = loaded({"square": Square(12), "called": called}, ["grown"])
    assert file["square"].grown(1) == Square(12).grown(1) == 243
    assert file["called"](3) == called(3)
    assert "never_mentioned" not in file["text"] and "unused" not in file["text"]


def test_objects_that_nobody_makes_need_no_constructor() -> None:
    file = loaded({"square": Square(12)}, ["grown"])
    assert file["square"].grown(1) == 243
    assert "__init__" not in file["text"].partition("class Base")[2]


def test_plain_numbers_keep_their_names_outside_kernels() -> None:
    assert "LIMIT = 5" in loaded({"square": Square(12)}, ["area"])["text"]


STREAM = io.StringIO()


def prints() -> None:
    print("x", file=STREAM)


def compiles() -> Any:
    return numba.njit


def waits(answer: int = LIMIT) -> int:
    return answer


def with_local_default(known: int) -> Any:
    def found(x: int = known) -> int:
        return x

    return found


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        (prints, "test_source.prints uses STREAM, a StringIO"),
        (compiles, "test_source.compiles uses the module numba"),
        (with_local_default(1), "known is not known here (in a default?)"),
    ],
)
def test_what_cannot_be_written_is_named(thing: Any, said: str) -> None:
    with pytest.raises(Unwritable) as error:
        assemble({"thing": thing})
    assert said in str(error.value)


def test_a_default_that_is_known_is_written() -> None:
    assert loaded({"waits": waits})["waits"]() == LIMIT


ENGINES = [
    "connect4[columns=4,rows=4]/alphabeta:evaluation=lines,depth=3,reading=C",
    "connect4[columns=7,rows=6]/alphabeta:evaluation=static,depth=3,ordering=evaluation",
    "connect4[columns=12,rows=6]/alphabeta:evaluation=lines,depth=9,width=0.5,nodes=150",
    "connect4[columns=12,rows=6]/uct:iterations=40",
    "connect4[columns=9,rows=10]/uct:evaluation=lines,iterations=40,reuse=off",
    "connect4[columns=16,rows=10]/alphabeta:evaluation=lines,depth=2,width=0.4",
    "heap[stones=20]/uct:iterations=60",
    "race/uct:iterations=60",
    "switches/uct:iterations=60",
    "switches/alphabeta:evaluation=level,depth=3,generator=first",
    "switches/random",
]


def test_nothing_that_can_be_written_is_left_out() -> None:
    engines = [parse_engine(text) for text in ENGINES]
    able = {n for n in names("search") if find("search", n).recipe is not Search.recipe}
    assert {engine.search.name for engine in engines} == able >= {"alphabeta", "uct", "random"}
    assert {engine.evaluation.name for engine in engines if engine.evaluation} == set(
        names("evaluation")
    )


@pytest.mark.parametrize("text", ENGINES)
def test_an_assembled_player_is_the_engine(text: str) -> None:
    """Every search, evaluation and generator, and games with more players, chance and a memory."""
    engine = parse_engine(text)
    recipe = engine.search.recipe(engine)
    assert recipe is not None
    file = loaded({"bot": Bot(engine.game, *recipe)}, ["choose"])
    lines = games(engine, 24, seed=3, asked=4)
    found = []
    for line in lines:
        file["bot"].start = None
        found += [tuple(file["bot"].choose(case)) for case in line]
    assert found == [tuple(choice) for choice in answers(engine, lines)]
    imported = {
        alias.name.partition(".")[0]
        for node in ast.walk(ast.parse(file["text"]))
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert imported <= {*sys.stdlib_module_names, "numpy"}
