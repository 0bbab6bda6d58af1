"""KernelTexts as plain Python: the compiled kernel's numbers, masks only where a word may leave its bits."""

from __future__ import annotations

import ast
import math
from typing import Any

import numpy as np
import pytest

from joute.engines.engine import parse_engine
from joute.engines.kernels.bits import lowest, mix, nth_bit, popcount
from joute.engines.kernels.compile import U, kernel
from joute.engines.kernels.random import next_word
from joute.engines.position import parse_position
from joute.engines.search import Recipe
from joute.reports.export.cpp.proof import recording, same_result
from joute.reports.export.cpp.recorded import Recorded
from joute.reports.export.python.kernel_texts import KernelTexts
from joute.reports.export.python.ranges import Range, range_of
from joute.reports.export.source import assemble
from joute.reports.export.syntax.source_syntax import Unplain
from joute.reports.export.typed.reading import Unreadable
from joute.reports.export.typed.types import I8, U8, Type
from joute.reports.export.work import games
from tests.support.marks import dear_case

MASK = f"& {(1 << 64) - 1}"
STEPS = np.array([-1, 3, 7, 250], np.int64)
BYTES = np.array([0, 7, 255], np.uint8)


def file_of(one: Any) -> tuple[Any, str]:
    """Return a kernel of an exported file, and the text of the kernels in it."""
    text = assemble({"found": one}, compiled=False)
    made: dict[str, Any] = {}
    exec(compile(text, "file", "exec"), made)
    return made["found"], text[text.index("    thing.__dict__.update") :]


def edges(count: int = 24) -> list[int]:
    """Return words near the ends of what 64 bits hold, and some others."""
    S = np.array([5], np.uint64)
    some = [int(next_word(S)) >> (3 * i % 64) for i in range(count)]
    return [0, 1, 2, 7, 63, 64, (1 << 63) - 1, 1 << 63, (1 << 64) - 2, (1 << 64) - 1, *some]


@kernel("i8(i8, i8)")
def down(a, b):
    """Divisions go down; what is divided by 0 is 0."""
    whole = a // b + 10 * (a % b)
    for by in (-3, 3):
        whole += a // by - a % by
    return whole + (a - 1) // (b + 1) + a // 3


@kernel("i8(u8, i8)")
def turned(a, b):
    """A word and a signed number become each other, and are compared by their values."""
    below = U(b) + a
    c = np.int64(a) >> np.int64(2)
    if U(b) > a:
        c = -c // 3
    least = max(min(b, c), -b)
    return least ^ np.int64(below >> U(3)) ^ (c & 255)


@kernel("i8(i8, i8)")
def folded(a, b):
    """Products of signed numbers wrap, too."""
    a *= b
    for _ in range(3):
        a = a * 6364136223846793005 ^ (a >> 7) ^ (b << 40)
        b *= a
    return a ^ b


@kernel("u8(u8[::1], i8)")
def stored(W, i):
    """What is stored has the 64 bits of a word; a step back is an index."""
    at = U(2)
    W[at] -= U(3)
    W[at - U(1)] = ~W[at] + (W[at] << U(60))
    W[at + U(1)] += W[at - U(1)] * W[U(0)]
    W[U(at + U(STEPS[i]))] |= U(BYTES[i & 1]) << U(1)
    W[U(4)] = i > 1
    return W[at + U(1)] // (W[at] | U(1))


@kernel("f8(f8, f8, i8)")
def fractions(x, y, n):
    """Floats where whole numbers meet them; the smaller of nothing and a number is as compiled."""
    mean = x / n + n * y - 1 / (n * n + 1)
    if n > x:
        mean = min(mean, y)
    share = np.int64(x > y) / 3 + (x < y)
    return max(mean, share) if n else n + 0.0


@kernel("b1(u8, u8)")
def between(a, b):
    if a < b:
        return False
    return a & U(7) or b > U(3)


@kernel("i8(u8, u8)")
def many(a, b):
    """Small kernels in the place of their calls, one in an argument of another."""
    first = lowest(mix(a, mix(b, a) | U(1)) | U(1))
    there = between(lowest(a | U(1)), mix(b, a))
    second = np.int64(nth_bit(a | U(5), np.int64(1)))
    return np.int64(first) + second + np.int64(there) * popcount(a ^ b)


@kernel("u8(u8, u8)")
def share(a, b):
    return ((a & U(7)) + a * a) // (b << (a & U(1))) + (b - a) % (a & b)


@kernel("u8(u8, u8)")
def either(a, b):
    return (b if a == U(3) else b & a) + ~(a >> U(1))


@kernel("u8(u8, u8)")
def shared(a, b):
    """Arguments that are read again have a name before, whatever is left of what reads them first."""
    return share(a + b, b & U(3)) ^ either(a * U(3), U(0)) ^ either(a + U(1), share(b, a))


@kernel("u8(u8[::1], u8)")
def drawn(S, a):
    return next_word(S) ^ a


@kernel("u8(u8[::1])")
def drawn_twice(S):
    """What an argument reads is read before the kernel writes."""
    return drawn(S, S[U(0)]) + drawn(S, U(7))


def test_whole_numbers() -> None:
    found, text = file_of(down)
    for a in (0, 1, -1, 7, -7, 100, -(1 << 40)):
        for b in (0, 1, -1, 3, -3, 1 << 33):
            assert found(a, b) == down(a, b), (a, b)
    assert "a // 3" in text and " if b else 0" in text


@pytest.mark.parametrize("one", [between, many, shared])
def test_words(one: Any) -> None:
    found, _ = file_of(one)
    for a in edges():
        for b in edges(4):
            assert found(a, b) == one(U(a), U(b)), (a, b)
            assert type(found(a, b)) is type(one(U(a), U(b))), (a, b)


def test_words_and_signed_numbers() -> None:
    found, _ = file_of(turned)
    for a in edges():
        for b in (0, 1, -1, 5, -(1 << 62), 1 << 40):
            assert found(a, b) == turned(U(a), b), (a, b)


def test_arguments_are_read_first() -> None:
    found, text = file_of(drawn_twice)
    for word in edges():
        assert found([word]) == drawn_twice(np.array([word], np.uint64))
    assert "drawn(S, S[0])" in text and "next_word(S) ^ 7" in text


def test_signed_numbers_wrap() -> None:
    found, _ = file_of(folded)
    for a in (0, 1, -1, 12345, -(1 << 63), (1 << 63) - 1):
        for b in (0, 3, -7, 1 << 40):
            assert found(a, b) == folded(a, b), (a, b)


def test_elements() -> None:
    found, _ = file_of(stored)
    for i in range(4 - 1):
        for word in edges():
            ours = [word, word ^ 5, word >> 7, 9, 1] + [0] * 10
            theirs = np.array(ours, np.uint64)
            assert found(ours, i) == stored(theirs, i), (i, word)
            assert ours == theirs.tolist()
            assert {*map(type, ours)} == {int}


def test_fractions() -> None:
    found, text = file_of(fractions)
    for x in (0.0, -0.0, 1.5, -7.25, math.inf, math.nan, 1e300):
        for y in (0.0, -1.0, 0.1, math.nan):
            for n in (0, 1, -3, 1000):
                one, other = found(x, y, n), fractions(x, y, n)
                assert type(one) is float
                assert one == other or (one != one and other != other), (x, y, n)
    assert text.count("divided(") == 2 and "min(" not in text


@kernel("u8(u8[::1], u8, i8)")
def small(W, at, k):
    """Nothing here leaves 64 bits: bytes, addresses, and numbers of a loop."""
    total = W[at + U(1)] & U(255)
    for i in range(4):
        total += (W[at + U(i)] >> U(8)) & U(15)
        at += U(1)
    return W[at + total & U(3)] >> (U(8) * (total & U(3)))


@kernel("u8(u8[::1], u8)")
def large(W, at):
    """A sum of words may, and its half is asked for."""
    return (W[at] + W[at + U(1)]) >> U(1)


@kernel("u8(u8[::1], i8)")
def trusted(W, action):
    """An index of a table is no negative number."""
    column = U(action)
    return W[column + U(1)] >> (column & U(7))


@kernel("u8(u8[::1], i8)")
def guarded(W, action):
    """A word that is compared may be any."""
    column = U(action)
    return W[column + U(1)] if column < U(4) else U(0)


def test_masks_stand_where_they_must() -> None:
    masks = {one.__name__: file_of(one)[1].count(MASK) for one in (large, trusted, guarded)}
    assert masks == {"large": 1, "trusted": 0, "guarded": 1}
    found, text = file_of(small)
    assert text.count(MASK) == 1  # the sum that the loop makes larger, as far as is known
    words = edges()
    for at in range(4):
        assert found(words, at, 0) == small(np.array(words, np.uint64), U(at), 0)
    found, _ = file_of(guarded)
    assert [found(words, k) for k in (-1, 3, 4)] == [0, words[4], 0]


def test_ranges() -> None:
    assert range_of(Type("i4")) == Range(-(1 << 31), (1 << 31) - 1)
    ranges = KernelTexts().ranges(small)
    assert ranges.variables["i"] == Range(0, 3)
    assert ranges.variables["at"] == Range(0, 1 << 40)
    assert ranges.variables["total"] == range_of(U8)
    assert KernelTexts().ranges(popcount).result.within(range_of(I8))


ENGINES = [
    "connect4[columns=5,rows=4]/alphabeta:evaluation=static,depth=3,table=1,killers=2",
    *map(
        dear_case,
        [
            "chess/alphabeta:evaluation=tapered,depth=2,quiescence=on",
            "connect4/alphabeta:evaluation=lines,depth=3",
            "dodo/uct:iterations=9,rave=on,bandit=tuned",
            "go[size=5]/uct:generator=policy,iterations=9",
            "tron/uct:evaluation=zones,iterations=9,ending=fill",
            "vampires/expectiminimax:evaluation=langorou,depth=2",
        ],
    ),
]


@pytest.mark.parametrize("spec", ENGINES)
def test_kernels_leave_the_same_arrays(spec: str) -> None:
    """All arrays and results after recorded calls, to the last bit, of Python's own types."""
    engine = parse_engine(spec)
    recipe = engine.recipe()
    assert recipe is not None
    recorded: dict[str, Recorded] = {}
    player = Recipe(recipe.player, recording(recipe.arguments, recorded, 8)).make()
    for line in games(engine, 8, seed=2, asked=4):
        player.new_game(0, 0)
        for text in line:
            player.choose(parse_position(engine.game, text))
    assert sum(len(one.calls) for one in recorded.values()) >= 8
    for one in recorded.values():
        found, _ = file_of(one.kernel)
        for call in one.calls:
            ours = [a.tolist() if isinstance(a, np.ndarray) else a for a in call.before]
            result = found(*ours)
            if result is not None:
                kinds = int | float | bool | tuple
                assert isinstance(result, kinds) and same_result(result, call.result)
            for own, after in zip(ours, call.after, strict=True):
                if isinstance(after, np.ndarray):
                    assert np.array(own, after.dtype).tobytes() == after.tobytes()
                    assert {*map(type, own)} <= {float if after.dtype.kind == "f" else int}


@kernel("i8(i4[::1])")
def short(X):
    return X[U(0)] * 2


@kernel("f8(f8[:, ::1])")
def square(X):
    return X[0, 1]


@kernel("f8(f8)")
def exponential(x):
    return math.exp(x)


@pytest.mark.parametrize(
    ("one", "told"),
    [
        (short, "X, an array of i4"),
        (square, r"the type 'f8\[:, ::1\]'"),
        (exponential, "a call of math.exp"),
    ],
)
def test_what_is_refused_keeps_numpys_numbers(one: Any, told: str) -> None:
    with pytest.raises((Unplain, Unreadable), match=told):
        KernelTexts().text(one, "one", lambda value, hint: hint)
    assert "@kernel(" in file_of(one)[1]


def test_docstrings_are_indented() -> None:
    @kernel("u8(u8)")
    def told(x):
        """Return it.

        It is a word.
        """
        return x

    text, local = KernelTexts().text(told, "told", lambda value, hint: hint)
    (function,) = ast.parse(text).body
    assert isinstance(function, ast.FunctionDef) and local == {"x"}
    assert ast.get_docstring(function) == "Return it.\n\nIt is a word."
    assert text.splitlines()[3] == "    It is a word."
