"""The kernel cache on disk, and kernels uncompiled and bounds-checked."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from threading import Barrier
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numba import njit
from numba.core.bytecode import FunctionIdentity
from numba.core.caching import FunctionCache

from joute.engines.engine import parse_game
from joute.engines.errors import Refused
from joute.engines.kernels.compile import JIT, OPTIONS, digest, kernel
from joute.engines.kernels.compile_errors import KernelError
from joute.engines.kernels.inlined import Quick
from joute.engines.kernels.random import next_word, stream
from joute.engines.kernels.second_process import Helper, Parts
from tests.support.processes import run_script

HELPER = """
from joute.engines.kernels.compile import kernel

FACTOR = 3


@kernel("i8(i8)")
def scaled(x):
    return x * FACTOR
"""
USER = """
import numpy as np
from joute.engines.kernels.compile import kernel
from plugged.helper import scaled


def factory(table):
    @kernel("i8(i8)", inline=INLINE)
    def added(x):
        total = table[0]
        for i in range(x):
            total += scaled(i)
        return total

    return added


small, large = factory(np.array([1, 2])), factory(np.array([100, 2]))
"""
SCRIPT = """
import json
from joute.engines.kernels import compile
before = compile.hits, compile.misses
from plugged import user
results = [user.small(4), user.large(4)]
print(json.dumps([*results, compile.hits - before[0], compile.misses - before[1]]))
"""


FACTORY = """
from joute.engines.kernels.compile import kernel


def more(number):
    @kernel("i8(i8)")
    def added(x):
        return x + number

    return added
"""
BOTH = """
from joute.engines.kernels.compile import kernel
from plugged.helper import more


def both(one, hundred):
    @kernel("i8(i8)", inline=False)
    def called(x):
        return 1000 * one(x) + hundred(x)

    return called


called = both(more(1), more(100))
"""
INLINED = """
import json
from joute.engines.kernels import compile
from joute.engines.kernels.bits import lowest, nth_bit, popcount
print(json.dumps([int(CALLS), compile.hits, compile.misses]))
"""


class Plugged:
    """A package of a helper kernel and its users in two files, with its own cache."""

    def __init__(self, path: Path) -> None:
        self.path = path
        (path / "plugged").mkdir()
        (path / "plugged" / "__init__.py").touch()
        self.write(HELPER)
        self.write_user()

    def write(self, text: str) -> None:
        (self.path / "plugged" / "helper.py").write_text(text, "utf-8")

    def write_user(self, inline: bool = True) -> None:
        text = USER.replace("INLINE", repr(inline))
        (self.path / "plugged" / "user.py").write_text(text, "utf-8")

    def run(self) -> list[int]:
        variables = {"NUMBA_CACHE_DIR": str(self.path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
        return run_script(SCRIPT, self.path, **variables)  # type: ignore[no-any-return]


@pytest.fixture
def plugged(tmp_path: Path) -> Plugged:
    return Plugged(tmp_path)


def test_where_kernels_can_be_kept_nowhere_one_line_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As for a user without a home, of an installation that he may not write to."""

    def nowhere(*_: object) -> None:
        raise RuntimeError("cannot cache function 'f': no locator available for file 'x.py'")

    monkeypatch.setattr(FunctionCache, "__init__", nowhere)
    with pytest.raises(
        Refused, match=r"cannot be stored: .*; set NUMBA_CACHE_DIR to a writable folder"
    ):
        kernel("i8(i8)")(lambda n: n)


def test_a_second_process_compiles_nothing(plugged: Plugged) -> None:
    assert plugged.run() == [19, 118, 0, 3]
    assert plugged.run() == [19, 118, 2, 0]  # the third is inlined in those that are called


def test_an_edited_helper_is_a_miss_and_changes_the_result(plugged: Plugged) -> None:
    plugged.run()
    plugged.write(HELPER.replace("x * FACTOR", "x - FACTOR"))
    assert plugged.run() == [1 + 6 - 12, 100 + 6 - 12, 0, 3]
    assert plugged.run() == [1 + 6 - 12, 100 + 6 - 12, 2, 0]


def test_an_edited_constant_is_a_miss_and_changes_the_result(plugged: Plugged) -> None:
    plugged.run()
    plugged.write(HELPER.replace("FACTOR = 3", "FACTOR = 5"))
    assert plugged.run() == [31, 130, 0, 3]


def test_the_option_inline_is_part_of_the_key(plugged: Plugged) -> None:
    plugged.run()
    plugged.write_user(inline=False)
    values = plugged.run()
    assert values[:2] == [19, 118]
    assert values[3] == 2


def test_kernels_of_one_factory_that_two_processes_stored_are_told_apart(plugged: Plugged) -> None:
    # Numba names a function by its place and a number that counts from 1 in every process.
    variables = {"NUMBA_CACHE_DIR": str(plugged.path / "cache")}
    plugged.write(FACTORY)
    (plugged.path / "plugged" / "user.py").write_text(BOTH)
    for number in (1, 100):
        run_script(
            f"from plugged.helper import more\nprint(more({number})(0))", plugged.path, **variables
        )
    script = "from plugged.user import called\nprint(called(0))"
    assert run_script(script, plugged.path, **variables) == 1100


def test_what_is_only_inlined_is_compiled_and_kept_as_a_body(tmp_path: Path) -> None:
    def run(calls: str) -> list[int]:
        script = INLINED.replace("CALLS", calls)
        return run_script(script, tmp_path, NUMBA_CACHE_DIR=str(tmp_path))  # type: ignore[no-any-return]

    assert run("lowest(8)") == [3, 0, 2]  # it, and the body of `popcount`
    assert run("lowest(8)") == [3, 1, 0]
    assert run("nth_bit(7, 2)") == [2, 1, 1]  # the body from the disk
    assert run("popcount(7)") == [3, 0, 1]  # which Python cannot call
    assert run("popcount(7)") == [3, 1, 0]


HELPED = """
import json, os, signal
from pathlib import Path
from joute.engines.kernels import compile, second_process
from joute.engines.engine import parse_engine
from joute.engines.position import Position
copies, fork = [], os.fork
def forked():
    if pid := fork():
        copies.append(pid)
        AFTER
    return pid
os.fork = forked
second_process.possible = lambda: second_process._active is None
compile.announce = ANNOUNCE
engine = parse_engine("connect4[columns=5,rows=4]/alphabeta:evaluation=static,depth=4")
move = engine.player().choose(Position(engine.game))
ended = all(not Path(f"/proc/{pid}").exists() for pid in copies)
print(json.dumps([move.action, move.value, move.nodes, len(copies), ended, compile.misses]))
"""


def test_a_copy_of_the_process_compiles_a_part_of_the_kernels(tmp_path: Path) -> None:
    def run(name: str, announce: str, after: str = "pass") -> tuple[Any, set[str]]:
        script = HELPED.replace("ANNOUNCE", announce).replace("AFTER", after)
        answer = run_script(script, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / name))
        return answer, {file.name for file in (tmp_path / name).rglob("*.nb?")}

    (*alone, copies, ended, misses), files = run("alone", "None")
    assert (copies, ended) == (0, True)
    (*helped, copies, ended, fewer), more = run("helped", "lambda text: None")
    assert helped == alone and copies == 1 and ended and fewer < misses
    assert files <= more  # the copy may make one that was not needed
    killed, _ = run("killed", "lambda text: None", "os.kill(pid, signal.SIGKILL)")
    assert killed[:-1] == [*alone, 1, True]  # the process does everything itself


def test_parts_of_a_kernel_come_in_the_order_of_its_text() -> None:
    def made(*parts: Any) -> Any:
        first, last = [*parts, None, None][:2]

        def function(x: int) -> Any:
            return last(first(x))

        return SimpleNamespace(py_func=function, inlinable=None)

    one, other = made(), made()
    both = made(other, one)  # `last` is loaded first
    top = made(both, other)
    parts = Parts()
    assert parts.of(both) == [one, other] and parts.of(top) == [other, one, both]
    assert parts.size(top) == 4 * len(top.py_func.__code__.co_code)


def test_who_waits_for_a_kernel_compiles_parts_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for one that is not the biggest: its parts are those of no other."""
    made = []

    def fake(name: str, *parts: Any) -> Any:
        first, last = [*parts, None, None][:2]

        def function(x: int) -> Any:
            return last(first(x))

        one = SimpleNamespace(py_func=function)
        one.inlinable = lambda: (made.append(name), helper.done(one, whole=False))
        return one

    monkeypatch.setattr("os.fork", lambda: 1)
    inside, other = fake("inside"), fake("other")
    big, small = fake("big", inside, other), fake("small", fake("own"))
    helper = Helper([big, small], Parts())
    assert helper._made_a_part(small) and made == ["own"] and not helper._made_a_part(small)
    assert helper._made_a_part(big) and helper._made_a_part(big) and not helper._made_a_part(big)
    assert sorted(made) == ["inside", "other", "own"]


def test_kernels_of_one_factory_have_files_of_their_own(plugged: Plugged) -> None:
    # Numba numbers the data files of a function in one index a function. Two processes that save
    # different kernels of a factory at once both take the next free number: the one whose index
    # stays may find the other's code there.
    script = SCRIPT.replace(
        "print(",
        "paths = [k._cache._cache_file._index_path for k in (user.small, user.large)]\nprint(",
    ).replace("json.dumps([", "json.dumps([paths, ")
    paths = run_script(script, plugged.path, NUMBA_CACHE_DIR=str(plugged.path / "cache"))[0]
    assert paths[0] != paths[1]


def test_the_key_covers_what_a_kernel_is_made_of() -> None:
    def make(constant: int, table: Any) -> Any:
        def function(x: int) -> Any:
            return table[0] + x * constant

        return function

    def other(constant: int, table: Any) -> Any:
        def function(x: int) -> Any:
            return table[0] + x + constant

        return function

    base = digest(make(1, np.array([1, 2])))
    assert digest(make(1, np.array([1, 2]))) == base
    assert digest(make(2, np.array([1, 2]))) != base
    assert digest(make(1, np.array([1, 3]))) != base
    assert digest(make(1, np.array([1, 2], np.int32))) != base
    assert digest(make(1, np.array([[1, 2]]))) != base
    assert digest(make(1.0, np.array([1, 2]))) != base  # type: ignore[arg-type]
    assert digest(other(1, np.array([1, 2]))) != base


def test_signature_and_inline_are_in_the_digest() -> None:
    def function(x: Any) -> Any:
        return x + x

    digests = {
        kernel("i8(i8)")(function).digest,  # type: ignore[attr-defined]
        kernel("u8(u8)")(function).digest,  # type: ignore[attr-defined]
        kernel("i8(i8)", inline=False)(function).digest,  # type: ignore[attr-defined]
    }
    assert len(digests) == 3
    assert kernel("i8(i8)")(function).digest in digests  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["apply", "is_legal"])
def test_the_passes_that_are_left_out_change_no_code(name: str) -> None:
    made: Any = getattr(parse_game("connect4").kernels(), name)
    codes = set()
    for options in ({}, {"pipeline_class": Quick}):
        FunctionIdentity._unique_ids = count(1)  # it is in the names
        fresh: Any = njit(**{**OPTIONS, **options})(made.py_func)
        fresh.compile(made.signature)
        codes |= {*fresh.inspect_llvm().values()}
    assert len(codes) == 1


@pytest.mark.parametrize("value", [[1, 2], {"a": 1}, (1, 2), object(), None])
def test_a_kernel_that_captures_anything_else_is_refused(value: Any) -> None:
    def function(x: int) -> Any:
        return value

    with pytest.raises(TypeError, match=r"captures 'value', a .*not a kernel, table or number"):
        kernel("i8(i8)")(function)


def test_a_compiled_kernel_takes_no_other_signature() -> None:
    """Neither when it is loaded by the call nor later."""
    for _ in range(2):
        with pytest.raises(TypeError):
            next_word(np.zeros(1, np.float64))
    assert next_word(stream(1)) == next_word(stream(1))


def add(x: Any, y: Any) -> Any:
    return x + y


def masked(x: Any, y: Any) -> Any:
    x &= y
    return x


def quotient(x: Any, y: Any) -> Any:
    return np.uint64(y // x)


def literal(x: Any, y: Any) -> Any:
    return (~x + 1) & x


@pytest.mark.parametrize("function", [add, masked, quotient, literal])
def test_a_kernel_that_computes_with_signed_and_unsigned_numbers_is_refused(function: Any) -> None:
    for _ in range(2):  # it is not kept on the disk, whence it would pass
        with pytest.raises(KernelError, match="signed and unsigned numbers meet") as refused:
            kernel("u8(u8, i8)")(function)
        assert f"the kernel {function.__name__} (test_kernels.py, line " in str(refused.value)
        assert "wrap the literal in U" in str(refused.value)


def test_what_is_safe_with_both_kinds_of_numbers_is_allowed() -> None:
    def safe(x: Any, y: Any) -> Any:
        shifted = x >> y  # by a signed number
        return shifted / y if x > y else 0.5 * y

    assert kernel("f8(u8, i8)")(safe)(np.uint64(12), 2) == 1.5


@pytest.mark.skipif(not JIT, reason="nothing is loaded")
def test_threads_may_need_a_kernel_at_once() -> None:
    def added(x):
        total = x
        for i in range(x):
            total += i
        return total

    kernel("i8(i8)")(added)(4)  # on the disk now
    for _ in range(10):
        fresh, together = kernel("i8(i8)")(added), Barrier(4)

        def called(one: Any = fresh, start: Barrier = together) -> int:
            start.wait()
            return int(one(4))

        with ThreadPoolExecutor(4) as pool:
            assert [done.result() for done in [pool.submit(called) for _ in range(4)]] == [10] * 4
