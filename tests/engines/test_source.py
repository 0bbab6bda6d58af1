"""Assembled source: the same results from one file, and a clear refusal of what cannot be in it."""

from __future__ import annotations

import ast
import io
import subprocess
import sys
from collections.abc import Iterable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numba
import numpy as np
import pytest

from joute.engines.engine import parse_engine
from joute.engines.kernels.bits import popcount
from joute.engines.kernels.compile import U, kernel
from joute.engines.kernels.random import below, next_word
from joute.engines.registry import find, names
from joute.engines.search import Search
from joute.reports.export.bot import Bot
from joute.reports.export.source import Unwritable, assemble, text_of, written
from joute.reports.export.work import answers, games
from tests.support.marks import quick

pytestmark = pytest.mark.usefixtures("toys")
LIMIT = 5


def loaded(roots: dict[str, Any], uses: Iterable[str] = (), compiled: bool = False) -> Any:
    """Return the names that the assembled file defines, and its text under `text`."""
    text = assemble(roots, uses, compiled)
    found: dict[str, Any] = {}
    exec(compile(text, "assembled", "exec"), found)
    return {**found, "text": text}


def numpys(roots: dict[str, Any], uses: Iterable[str] = ()) -> Any:
    """Return the same of a file whose kernels work on numpy's numbers."""
    text = text_of(written(roots, uses), compiled=False)
    found: dict[str, Any] = {}
    exec(compile(text, "assembled", "exec"), found)
    return {**found, "text": text}


def test_kernels_come_with_all_they_call() -> None:
    file = loaded({"draw": below})
    ours, theirs = [7], np.array([7], np.uint64)
    expected = [int(below(theirs, U(12))) for _ in range(50)]
    assert [file["draw"](ours, 12) for _ in range(50)] == expected
    assert ours == [int(theirs[0])]
    assert file["text"].count("def next_word(") == 1
    file, ours_ = numpys({"draw": below}), np.array([7], np.uint64)
    with np.errstate(over="ignore"):
        assert [int(file["draw"](ours_, U(12))) for _ in range(50)] == expected


def words(count: int) -> list[int]:
    """Return words of all sizes, near the ends of what 64 bits hold among them."""
    S = np.array([3], np.uint64)
    some = [int(next_word(S)) >> (i % 64) for i in range(count)]
    return [0, 1, 2, 63, (1 << 63) - 1, 1 << 63, (1 << 64) - 2, (1 << 64) - 1, *some]


@kernel("u8(u8, u8)")
def mixed(a, b):
    """Leave 64 bits in every way."""
    c = a - b
    if c > a:
        c = ~c
    d = (a * b + U(12345)) >> U(7)
    d ^= c << (b & U(31))
    d -= U(1)
    e = min(d, a + b) // (b | U(1))
    return max(e, d % (a | U(5))) ^ -a


@kernel("i8(u8, u8)")
def signed(a, b):
    """Go to signed numbers and back."""
    low = np.int64(a) >> np.int64(3)
    if low < 0:
        return ~low
    total = np.int64(0)
    for i in range(-3, 3):
        total += np.int64(U(i) & U(255)) - np.int64(b & U(7))
    return total + np.int64(popcount(a)) + low % np.int64(1000)


@kernel("f8(u8, f8)")
def floating(a, x):
    """Divide by zero, and by what is not."""
    share = np.float64(a) / x
    return share if a & U(1) else 1.0 / (share + 1.5) + np.int64(x)


@pytest.mark.parametrize("function", [mixed, signed])
def test_words_of_python_are_words(function: Any) -> None:
    """Compiled and in Python's numbers, for every pair of some words."""
    file = loaded({"found": function})
    assert "np." not in file["text"]
    for a in words(40):
        for b in words(12):
            assert file["found"](a, b) == int(function(U(a), U(b))), (a, b)


def test_floats_of_python_are_floats() -> None:
    file = loaded({"found": floating})
    for a in words(40):
        for x in (0.0, -0.0, 1.0, -2.75, 1e15, 0.1):
            one, other = file["found"](a, x), float(floating(U(a), x))
            assert one == other or (one != one and other != other), (a, x)


def test_small_kernels_are_written_where_they_are_called() -> None:
    @kernel("u8(u8)")
    def twice(x):
        return x + x

    @kernel("u8(u8)")
    def user(x):
        return twice(x * U(3)) >> U(1)

    file = loaded({"user": user})
    assert "def twice" not in file["text"]
    assert all(file["user"](x) == int(user(U(x))) for x in words(20))


def test_what_python_cannot_say_keeps_numpys_numbers() -> None:
    @plain
    def found(x: np.uint64) -> np.uint64:
        return x ** U(2)

    file = loaded({"found": found})
    assert file["found"](U(4)) == 16 and "np." in file["text"]


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
    assert "x + 11 &" in file["text"]
    file = numpys({"found": found})
    assert file["found"](U(5)) == 16
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
    flat = loaded({"holder": Holder(arrays[1:])}, ["arrays"])["holder"].arrays
    assert flat == [[1 << 63, 5], []]


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


@lru_cache(maxsize=7)
def remembered(number: int) -> int:
    return number + LIMIT


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


def test_a_function_that_remembers_does_so_in_the_file() -> None:
    file = loaded({"found": remembered})["found"]
    assert file(2) == remembered(2) == 2 + LIMIT
    assert (file.cache_info().maxsize, file.cache_info().currsize) == (7, 1)


ENGINES = [
    "chess/alphabeta:evaluation=material,depth=2",
    "chess/alphabeta:evaluation=tapered,depth=1,table=1,quiescence=on",
    "connect4[columns=4,rows=4]/alphabeta:evaluation=lines,depth=3,reading=C",
    "connect4[columns=7,rows=6]/alphabeta:evaluation=static,depth=3,ordering=evaluation",
    "connect4[columns=4,rows=4]/alphabeta:evaluation=static,depth=5,table=1,pvs=on,killers=2,"
    "ordering=history,deepening=on,aspiration=2",
    "connect4[columns=7,rows=6]/alphabeta:evaluation=static,depth=4,table=1,mtd=on,probing=on,"
    "generator=threats",
    "connect4[columns=12,rows=6]/alphabeta:evaluation=lines,depth=9,width=0.5,nodes=150",
    "connect4[columns=12,rows=6]/uct:iterations=40",
    "go[size=3,komi=1]/alphabeta:evaluation=area,depth=2",
    "go[size=3,komi=1]/uct:generator=policy,rave=on,unvisited=urgency,bandit=tuned,iterations=8",
    "connect4[columns=9,rows=10]/uct:evaluation=lines,iterations=40,reuse=off",
    "connect4[columns=16,rows=10]/alphabeta:evaluation=lines,depth=2,width=0.4",
    "dodo[side=3]/alphabeta:evaluation=steps,depth=3",
    "gopher[side=3]/alphabeta:evaluation=mobility,depth=3",
    "gopher[side=3]/mirror",
    "heap[stones=20]/uct:iterations=60",
    "race/uct:iterations=60",
    "switches/uct:iterations=60",
    "switches/alphabeta:evaluation=level,depth=3,generator=first",
    "switches/random",
    "tron/uct:evaluation=zones,eyes=one,parity=on,iterations=20,ending=fill",
    "tron[players=4]/uct:iterations=15",
    "tron/alphabeta:evaluation=chambers,depth=2",
    "connect4[columns=4,rows=4]/maxn:evaluation=static,depth=3",
    "connect4[columns=4,rows=4]/paranoid:evaluation=static,depth=3",
    "connect4[columns=7,rows=6]/expectiminimax:evaluation=static,depth=2",
    "vampires/expectiminimax:evaluation=langorou,depth=2",
    "vampires[map=random:langorou]/uct:iterations=10",
]


NUMPYS = ("heap", "race", "switches")  # then numpy compares an array with the action


def test_nothing_that_can_be_written_is_left_out() -> None:
    # Engines with a network: tests/reports/test_export_networks.py.
    engines = [parse_engine(text) for text in ENGINES]
    kinds = {n: find("search", n) for n in names("search")}
    able = {n for n, k in kinds.items() if k.recipe is not Search.recipe and not k.guided}
    assert {engine.search.name for engine in engines} == able >= {"alphabeta", "uct", "random"}
    used = {engine.evaluation.name for engine in engines if engine.evaluation}
    assert used == {n for n in names("evaluation") if not find("evaluation", n).guided}


QUICK = ("connect4[columns=7,rows=6]/alphabeta", "race", "switches/random")
DEAR = (
    "chess/",
    "connect4[columns=7,rows=6]/alphabeta:evaluation=static,depth=4",
    "connect4[columns=12,rows=6]/alphabeta",
    "connect4[columns=9",
    "connect4[columns=16",
    "tron/",
    "vampires",
)


@pytest.mark.parametrize(
    "text",
    quick(ENGINES, lambda text: text.startswith(QUICK), dear=lambda text: text.startswith(DEAR)),
)
def test_an_assembled_player_is_the_engine(text: str) -> None:
    """Every search, evaluation and generator, and games with more players, chance and a memory."""
    engine = parse_engine(text)
    recipe = engine.recipe()
    assert recipe is not None
    roots = {"bot": Bot(engine.game, recipe.player, recipe.arguments)}
    file = loaded(roots, ["choose"])
    lines = games(engine, 24, seed=3, asked=4)
    expected = [tuple(choice) for choice in answers(engine, lines)]
    slow = engine.game.name == "tron" and engine.ending is None
    for one in (file,) if slow else (file, numpys(roots, ["choose"])):
        found = []
        for line in lines:
            one["bot"].start = None
            found += [tuple(one["bot"].choose(case)) for case in line]
        assert found == expected
    assert ("np." in file["text"]) == (engine.game.name in NUMPYS)
    imported = {
        alias.name.partition(".")[0]
        for node in ast.walk(ast.parse(file["text"]))
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert imported <= {*sys.stdlib_module_names, "numpy"}
