"""Kernels as typed trees: their types are numba's, and what no tree can say is refused by its place."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numba import njit, types

from joute.engines.engine import parse_engine
from joute.engines.kernels.compile import OPTIONS, U, _tuple_types, kernel
from joute.reports.export.syntax.source_syntax import captured
from joute.reports.export.typed.reading import Unreadable, function_of, is_kernel, read
from joute.reports.export.typed.types import B1, F8, I8, U8, Type, joined, signature_of, tuple_of
from tests.support.marks import dear_case

ENGINES = [
    "connect4/alphabeta:evaluation=static,depth=3,width=0.5",
    dear_case("connect4/alphabeta:evaluation=lines,depth=3,table=1,killers=2,pvs=on"),
    dear_case("connect4/uct:iterations=9,rave=on,bandit=tuned"),
    dear_case("dodo/uct:iterations=9"),
    dear_case("gopher/uct:iterations=9"),
    dear_case("tron/uct:evaluation=zones,iterations=9,ending=fill"),
    dear_case("tron[players=3]/paranoid:evaluation=zones,depth=2"),
    dear_case("go/uct:tuned"),
    dear_case("vampires/expectiminimax:evaluation=langorou,depth=2"),
]


def kernels_of(spec: str) -> Iterator[Any]:
    """Yield every kernel that an engine's player reaches."""
    waiting, seen = [*parse_engine(spec).recipe().arguments.values()], set[int]()  # type: ignore[union-attr]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += one.values()
        if not is_kernel(one) or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        code = one.py_func.__code__
        reached = {*code.co_names, *code.co_freevars}
        waiting += [value for name, value in captured(one.py_func) if name in reached]


def numba_types(one: Any) -> dict[str, set[str]]:
    """Return the types that numba gives each variable of a kernel, compiled anew."""
    fresh = njit(**OPTIONS)(one.py_func)
    fresh.compile(eval(one.signature, {}, {**vars(types), **_tuple_types(one.signature)}))
    found: dict[str, set[str]] = {}
    (made,) = fresh.overloads.values()
    for name, type_ in made.type_annotation.typemap.items():
        if name[0] != "$" and not name.startswith("arg."):
            found.setdefault(name.partition(".")[0], set()).add(str(types.unliteral(type_)))
    return found


NAMES = {"uint64": U8, "int64": I8, "float64": F8, "bool": B1, "int32": I8, "uint8": U8}


@pytest.mark.parametrize("spec", ENGINES)
def test_types_are_numbas(spec: str) -> None:
    """A variable of ours holds all that numba's variables of its name hold."""
    compared = 0
    for one in kernels_of(spec):
        ours, theirs = function_of(one), numba_types(one)
        for name, type_ in ours.variables.items():
            plain = name if name in theirs else name.rpartition("_")[0]
            scalars = {NAMES[t] for t in theirs.get(plain, ()) if t in NAMES}
            if type_.kind in ("array", "tuple") or not scalars:
                continue
            compared += 1
            assert type_ in scalars, f"{one.__name__}: {name} is {type_}, numba has {scalars}"
            if name == plain and len(scalars) > 1 and {U8, I8} - scalars:
                assert all(joined(type_, own) == type_ for own in scalars)
    assert compared > 20


def test_signatures() -> None:
    @kernel("Tuple((i8, f8))(u8[::1], u8)")
    def pair(W, at):
        return np.int64(W[at]), 0.5

    @kernel("UniTuple(u8, 3)(u8)")
    def three(x):
        return x, x, x

    assert signature_of(pair) == (tuple_of(I8, F8), [Type("array", (U8,)), U8])
    assert signature_of(three) == (tuple_of(U8, U8, U8), [U8])


def fake(function: Any, signature: str) -> Any:
    """Return a function as a kernel that numba has not seen."""
    function.signature, function.digest = signature, function.__name__
    return function


def two_dimensions(x):  # type: ignore[no-untyped-def]
    return SQUARE[x, x]


def exponential(x):  # type: ignore[no-untyped-def]
    return math.exp(x)


def power(x):  # type: ignore[no-untyped-def]
    return x**0.5


def from_the_end(W):  # type: ignore[no-untyped-def]
    return W[-1]


def sliced(W):  # type: ignore[no-untyped-def]
    return W[0:2]


def of_a_list(x):  # type: ignore[no-untyped-def]
    total = 0
    for one in [x, x]:
        total += one
    return total


def mixed(x, y):  # type: ignore[no-untyped-def]
    return x + y


def plain_call(x):  # type: ignore[no-untyped-def]
    return helper(x)


def into_a_table(x):  # type: ignore[no-untyped-def]
    ROW[x] = 1
    return x


def helper(x):  # type: ignore[no-untyped-def]
    return x


SQUARE, ROW = np.zeros((2, 2), np.int64), np.zeros(2, np.int64)


@pytest.mark.parametrize(
    ("function", "signature", "told"),
    [
        (two_dimensions, "i8(i8)", "SQUARE is no flat array of numbers"),
        (exponential, "f8(f8)", r"a call of math.exp \(its last bit differs between machines\)"),
        (power, "f8(f8)", "a power"),
        (from_the_end, "u8(u8[::1])", r"`W\[-1\]` counts from the end"),
        (sliced, "u8(u8[::1])", "arrays are flat"),
        (of_a_list, "i8(i8)", r"a loop over `\[x, x\]`"),
        (mixed, "u8(u8, i8)", "a u8 meets a i8"),
        (plain_call, "i8(i8)", "a call of helper"),
        (into_a_table, "i8(i8)", "is stored into no array of the caller"),
    ],
)
def test_what_no_tree_can_say(function: Any, signature: str, told: str) -> None:
    """The message names the kernel, its file and the line."""
    line = function.__code__.co_firstlineno
    with pytest.raises(
        Unreadable, match=rf"{function.__name__} \(test_typed.py, line \d+\): .*{told}"
    ) as said:
        read(fake(function, signature))
    assert line < int(str(said.value).partition("line ")[2].partition(")")[0]) <= line + 4


def test_a_name_with_numbers_of_two_kinds() -> None:
    """Each gets a variable of its own."""

    @kernel("i8(u8)")
    def both(x):
        for i in range(3):
            x += U(i)
        total = np.int64(x)
        for i in range(U(2), x):
            total += np.int64(i)
        return total

    assert {*read(both).variables.values()} == {I8, U8}
