"""What is left of a kernel where parameters are fixed: the same results, and nothing unneeded."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from joute.engines.kernels.bits import popcount
from joute.engines.kernels.compile import U, kernel
from joute.engines.searches.mcts.tree import Tree, clear
from joute.reports.export.cpp.compiler import Library
from joute.reports.export.cpp.kernel_file import KernelFile
from joute.reports.export.typed.simplified import Known

needs_compiler = pytest.mark.skipif(
    not (shutil.which("g++") or shutil.which("clang++")), reason="no C++ compiler here"
)


@kernel("i8(i8[::1], u8)")
def counts(A, i):
    A[i] += 1
    return A[i]


@kernel("b1(f8[::1], i8[::1])")
def asks(P, A):
    """It changes A only if it is asked."""
    if P[U(0)] <= 0.0:
        return False
    return counts(A, U(0)) > 2


@kernel("i8(i8[::1], f8[::1], i8, i8)", inline=False)
def work(A, P, n, unused):
    """One loop never runs, one branch is never taken; what has an effect stays."""
    left, total, on = np.int64(P[U(0)]), 0, P[U(1)] > 0.0
    while left > 0:
        left -= 1
        A[U(3)] += 1
    # told of what is gone
    if asks(P, A):
        A[U(1)] = 7
    if on and counts(A, U(2)) > 1:
        total = 5
    if counts(A, U(1)) > 100 and P[U(0)] > 0.0:
        total = 9
    for k in range(n):
        if A[U(k)] > 1:
            left = k
        total += A[U(k)] - left
        least = np.int64(255)
        if total > 3:
            least = min(least, total)
        total += least
    A[U(4)], A[U(5)] = A[U(5)], A[U(4)]
    A[U(6)], A[U(7)] = total, A[U(8)]
    return total


def test_what_is_fixed_leaves_no_trace() -> None:
    file = KernelFile(Known({0: 0.0}))
    file.add(work)
    text = file.text()
    assert "asks" not in text and "P[0]" not in text and "told of" not in text
    assert "while" not in text and "P[1]" in text
    assert text.count("counts(A") == 2
    whole = KernelFile()
    whole.add(work)
    assert "asks(P, A)" in whole.text() and "while" in whole.text() and "told of" in whole.text()


@needs_compiler
@pytest.mark.parametrize("fixed", [{0: 0.0}, {0: 0.0, 1: 0.0}, {0: 0.0, 1: 1.0}, {0: 2.0}, {}])
def test_the_same_bytes_are_left(fixed: dict[int, float], tmp_path: Path) -> None:
    library = Library({"work": work}, tmp_path, known=Known(fixed))
    rng = np.random.default_rng(5)
    for _ in range(20):
        P = np.array([fixed.get(0, 1.0), fixed.get(1, float(rng.integers(2)))])
        ours = rng.integers(-3, 9, 9)
        theirs, n = ours.copy(), int(rng.integers(9))
        assert library.call("work", theirs, P, n, 1) == work(ours, P, n, 1)
        assert theirs.tolist() == ours.tolist()


@kernel("UniTuple(u8, 3)(u8)")
def one(c):
    return U(1) << c, U(0), U(0)


@kernel("UniTuple(u8, 3)(UniTuple(u8, 3), UniTuple(u8, 3))")
def less(a, b):
    return a[0] & ~b[0], a[1] & ~b[1], (a[2] ^ b[2]) << U(1)


@kernel("u8(u8, u8)")
def counted(c, d):
    """Its sets have three words, of which two are 0 here; `always` is one number wherever it is given."""
    left, always = less(one(c), one(d)), U(5)
    total = U(popcount(left[0]) + popcount(left[1]))
    if left[2] != U(0):
        total, always = U(99), U(5)
    while total > U(0) and left[0] > U(1):
        total += always
        left = less(left, left)
    return total


@needs_compiler
def test_parts_of_tuples_that_are_0_are_left_out(tmp_path: Path) -> None:
    library = Library({"counted": counted}, tmp_path)
    assert "part_1" not in library.text and "struct Tuple_u { u64 part_0; };" in library.text
    assert "always =" not in library.text and "total += 5;" in library.text
    for c, d in ((0, 0), (0, 9), (9, 0), (63, 63), (63, 1)):
        assert library.call("counted", c, d) == counted(U(c), U(d))


@needs_compiler
@pytest.mark.parametrize("kept", [{"squares": False, "rave_visits": True}, {}])
def test_a_named_tuple_is_a_struct(kept: dict[str, bool], tmp_path: Path) -> None:
    library = Library({"clear": clear}, tmp_path, known=Known(kept=kept))
    assert "void clear(const Tree& tree, u64 c, i64 code) {" in library.text
    assert ("squares" in library.text) == (not kept)
    assert ("tree.size_of_rave_visits > 0" in library.text) == (not kept)
    trees = [Tree.empty(4, 2, ("rave",)) for _ in range(2)]
    for tree in trees:
        for array in tree:
            array[:] = 7
    clear(trees[0], U(2), 5)
    library.call("clear", *trees[1], 2, 5)
    assert trees[0].rave_visits.tolist() == [7, 7, 0, 7] and trees[0].action[2] == 5
    assert [a.tolist() for a in trees[0]] == [a.tolist() for a in trees[1]]


@kernel("i8(i8, i8, i8)")
def scaled(x, by, way):
    if way == 1:
        return x * by
    return x - by


@kernel("i8(i8)")
def twice(x):
    return scaled(x, 3, 1) + scaled(x + 1, 4, 1)


@needs_compiler
def test_a_parameter_that_always_gets_the_same_number_is_this_number(tmp_path: Path) -> None:
    library = Library({"twice": twice}, tmp_path)
    assert "i64 way" not in library.text and "x - by" not in library.text
    assert "scaled(x, 3) + scaled(x + 1, 4)" in library.text
    assert library.call("twice", 7) == twice(7) == 53
    (tmp_path / "both").mkdir()
    outside = Library({"twice": twice, "scaled": scaled}, tmp_path / "both")
    assert outside.call("scaled", 7, 3, 0) == 4
