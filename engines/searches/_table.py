"""A transposition table in flat arrays: what a search has learnt of a position, found again by its key.

Two entries stand together. The first keeps the deepest search of this move, the second takes what the
first does not: "two-tier" replacement (Breuker, Uiterwijk and van den Herik 1994, there TWODEEP). What
was stored at an earlier move gives way to anything. An entry is a word in an array of integers,

    key >> 20 | depth (6 bits) | bound (2) | age (2) | the low 10 bits of the best action

and a value in an array of floats. The key's low bits choose the pair, so that in a table of 16 MB or
more all 64 bits of a key are compared, in one of 1 MB all but five.

A value is kept as the position itself has it: wins are counted from there and not from the root. Such
a one, a win or loss within n plies, holds at every depth from n on; any other at its own depth alone.
The best action may be that of a mirrored position, for keys are the same there: it is a hint.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.record import WIN
from joute.engines.search import BY_LINE
from joute.engines.searches._stack import MAX_DEPTH

BYTES = 16  # of an entry
ONE, TWO = U(1), U(2)
LOWER, UPPER, EXACT = U(1), U(2), U(3)  # the value is at least, at most, exactly that; 0: no entry
CHECK, DEPTH, BOUND, AGE = U(20), U(14), U(12), U(10)  # where the parts of a word begin
HINT = U((1 << 10) - 1)
DECIDED = WIN - MAX_DEPTH - 1  # values beyond it are wins and losses


@dataclass(frozen=True)
class TableKernels:
    """The kernels of this file; see `table_kernels`."""

    find: Kernel
    hint: Kernel
    reached: Kernel
    worth: Kernel
    store: Kernel


@kernel("u8(f8)")
def pairs_of(megabytes):
    """Return how many pairs of entries a table of that size has: the greatest power of two that fits."""
    pairs, room = ONE, megabytes * np.float64((1 << 20) // (2 * BYTES))
    while np.float64(pairs) * 2.0 <= room:
        pairs *= TWO
    return pairs


@kernel("f8(f8, f8)")
def nearer(value, plies):
    """Return the value of a win or loss that is so many plies nearer."""
    if value > 0.0:
        return value + plies
    return value - plies


def table_kernels(words: int, values: int, by_line: bool = False) -> TableKernels:
    """Return the kernels of a table whose words begin at A[words] and whose values at F[values];
    `by_line`: values of draws by the line of play are not stored.

    find(A, key, depth, last) -> the number of the entry of a position, one of that depth if there is;
    -1 if there is none. `last` is the number of pairs less one.
    reached(A, entry) -> the depth of an entry.
    hint(A, entry) -> the low bits of the best action (HINT), maybe that of a mirrored position.
    worth(A, F, entry, depth, d, alpha, beta) -> whether the entry decides a search of that depth in
    that window, and its value for a root d plies above.
    store(A, F, key, depth, last, age, d, value, bound, action): remember what a search found.
    """
    first, first_value = U(words), U(values)

    @kernel("i8(i8[::1], u8, u8, u8)")
    def find(A, key, depth, last):
        entry, place = TWO * ((key ^ (key >> U(32))) & last), np.int64(-1)
        for slot in range(2):
            word = U(A[first + entry + U(slot)])
            if word >> CHECK == key >> CHECK and (word >> BOUND) & U(3) != U(0):
                if (word >> DEPTH) & U(63) == depth:
                    return np.int64(entry + U(slot))
                place = np.int64(entry + U(slot))
        return place

    @kernel("u8(i8[::1], u8)")
    def hint(A, entry):
        return U(A[first + entry]) & HINT

    @kernel("u8(i8[::1], u8)")
    def reached(A, entry):
        return (U(A[first + entry]) >> DEPTH) & U(63)

    @kernel("Tuple((b1, f8))(i8[::1], f8[::1], u8, u8, u8, f8, f8)")
    def worth(A, F, entry, depth, d, alpha, beta):
        word, v = U(A[first + entry]), F[first_value + entry]
        fits = (word >> DEPTH) & U(63) == depth
        if abs(v) > DECIDED:
            fits = WIN - abs(v) <= np.float64(depth)
            v = nearer(v, -np.float64(d))
        if not fits:
            return False, v
        bound = (word >> BOUND) & U(3)
        if bound == LOWER:
            return v >= beta, v
        if bound == UPPER:
            return v <= alpha, v
        return True, v

    @kernel("void(i8[::1], f8[::1], u8, u8, u8, u8, u8, f8, u8, i8)")
    def store(A, F, key, depth, last, age, d, value, bound, action):
        if abs(value) > DECIDED:
            value = nearer(value, np.float64(d))
        word = (key >> CHECK) << CHECK | depth << DEPTH | bound << BOUND | (age & U(3)) << AGE
        word |= U(action) & HINT
        entry = TWO * ((key ^ (key >> U(32))) & last)
        there = U(A[first + entry])
        same = there >> CHECK == key >> CHECK
        stale = (there >> AGE) & U(3) != age & U(3)
        if stale or (there >> DEPTH) & U(63) <= depth:
            if not same:
                A[first + entry + ONE] = A[first + entry]
                F[first_value + entry + ONE] = F[first_value + entry]
        else:
            entry += ONE
        A[first + entry], F[first_value + entry] = np.int64(word), value

    return TableKernels(find, hint, reached, worth, store_for_good(store) if by_line else store)


def store_for_good(store: Kernel) -> Kernel:
    """Return `store` that leaves out what comes from a draw by the line of play: another line to the
    same position need not have it.
    """

    @kernel("void(i8[::1], f8[::1], u8, u8, u8, u8, u8, f8, u8, i8)")
    def store_but_line(A, F, key, depth, last, age, d, value, bound, action):
        if abs(value) != BY_LINE:
            store(A, F, key, depth, last, age, d, value, bound, action)

    return store_but_line
