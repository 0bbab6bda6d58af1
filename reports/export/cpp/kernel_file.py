"""A file of C++ with kernels and all that they need: tables, tuples, the kernels that they call."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from joute.engines.kernels.bits import popcount
from joute.reports.export.cpp.expressions import (
    NAMES,
    TAKEN,
    Expressions,
    number_text,
    type_text,
)
from joute.reports.export.cpp.function import FunctionText
from joute.reports.export.typed.reading import function_of
from joute.reports.export.typed.simplified import simplified, without_unread
from joute.reports.export.typed.tree import (
    Called,
    Expression,
    Function,
    Number,
    Table,
    Variable,
    walk,
)
from joute.reports.export.typed.types import OF_NUMPY, VOID, Type

HEAD = """\
#ifndef PORTABLE
#pragma GCC optimize("O3", "wrapv", "fp-contract=off")
#ifdef __x86_64__
#pragma GCC target("popcnt,bmi,bmi2")
#endif
#endif
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

typedef uint64_t u64;
typedef int64_t i64;
#define INLINE static inline __attribute__((always_inline))
#define APART static __attribute__((noinline))
"""
# What kernels may call, by name; only what they do call is in a file.
HELPERS = {
    "popcount(": """\
INLINE i64 popcount(u64 x) { return __builtin_popcountll(x); }""",
    "floor_div(": """\
// Division goes down, as Python's; what is divided by 0 is 0.
INLINE i64 floor_div(i64 a, i64 b) {
  if (b == 0) return 0;
  if (b == -1) return (i64)(0ULL - (u64)a);
  return a / b - ((a % b != 0) & ((a < 0) != (b < 0)));
}""",
    "floor_mod(": """\
// What is left of a division that goes down; of one by 0 it is 0.
INLINE i64 floor_mod(i64 a, i64 b) {
  if (b == 0 || b == -1) return 0;
  const i64 rest = a % b;
  return rest + ((rest != 0) & ((rest < 0) != (b < 0)) ? b : 0);
}""",
    "divided(": """\
INLINE u64 divided(u64 a, u64 b) { return b ? a / b : 0; }""",
    "rest(": """\
INLINE u64 rest(u64 a, u64 b) { return b ? a % b : 0; }""",
    "less(": """\
// A word and a signed number are compared by their values.
INLINE bool less(i64 a, u64 b) { return a < 0 || (u64)a < b; }
INLINE bool less(u64 a, i64 b) { return b > 0 && a < (u64)b; }""",
    "equal(": """\
// A word and a signed number are compared by their values.
INLINE bool equal(i64 a, u64 b) { return a >= 0 && (u64)a == b; }
INLINE bool equal(u64 a, i64 b) { return equal(b, a); }""",
    "larger<": """\
template <class T> INLINE T larger(T a, T b) { return b > a ? b : a; }""",
    "smaller<": """\
template <class T> INLINE T smaller(T a, T b) { return b < a ? b : a; }""",
    "filled<": """\
// A table of N numbers from the different ones among them, and a text that says which of these stands
// where: so many signs each, digits of a number of base 91.
template <class T, int N> struct Filled { T of[N]; };
template <class T, int N> constexpr Filled<T, N> filled(const T* from, const char* text, int signs) {
  Filled<T, N> made{};
  for (int i = 0; i < N; ++i) {
    int k = 0;
    for (int n = 0; n < signs; ++n, ++text) k = 91 * k + *text - 35 - (*text > 92);
    made.of[i] = from[k];
  }
  return made;
}""",
}
WIDTH = 98
LONG = 1500  # characters of a table that is filled from its different numbers, if that is shorter
SIGNS = "".join(
    chr(c) for c in range(35, 127) if c != 92
)  # of a table's text: no quote, no backslash
STEP = 500  # characters from which on a kernel without a result is always called
SHORT = 1200  # characters of a kernel that is written into its callers; a longer one is called


class KernelFile:
    """Collects kernels; `text` is the file, `name` the name of a kernel in it."""

    def __init__(self, fixed: Mapping[int, float] | None = None) -> None:
        self.fixed = fixed or {}  # parameters by their place in P that are decided in the file
        self.functions: dict[str, Function] = {}  # by the kernel's digest, what is called first
        self.kept: set[str] = set()  # those that are called from outside
        self._simplified: dict[str, Function] = {}
        self.tables: dict[tuple[str, bytes], tuple[str, Any]] = {}
        self.tuples: dict[str, Type] = {}
        self.constants: dict[tuple[str, str, str], tuple[str, Number]] = {}
        self._names: dict[str, str] = {}
        self._taken = set(TAKEN)

    def add(self, kernel: Any) -> None:
        """Add a kernel that is called from outside, and all that it calls."""
        self.kept.add(kernel.digest)
        self._add(kernel)

    def _add(self, kernel: Any) -> None:
        if kernel.digest in self.functions or kernel is popcount:
            return
        function = self.simplified(kernel)
        for part in (p for statement in function.body for p in walk(statement)):
            called = getattr(part, "function", None)
            if called is not None and not isinstance(called, str):
                self._add(called)
        self.functions[kernel.digest] = function

    def simplified(self, kernel: Any) -> Function:
        """Return the tree of a kernel with what is needed of it in this file."""
        if kernel.digest not in self._simplified:
            function = simplified(function_of(kernel), self.fixed, self.simplified)
            self._simplified[kernel.digest] = function
        return self._simplified[kernel.digest]

    def note(self, function: Function) -> None:
        """Note the names and the kinds of tuples that a function has."""
        parts = [part for statement in function.body for part in walk(statement)]
        types = [part.type for part in parts if isinstance(part, Expression)]
        for type_ in (function.result, *function.parameters.values(), *types):
            if type_.kind == "tuple":
                self.tuples[type_text(type_)] = type_
        self._taken |= {*function.parameters, *function.variables}

    def calls(self) -> Counter[str]:
        """Return how often each kernel is called, by its digest."""
        parts = (
            part
            for function in self.functions.values()
            for statement in function.body
            for part in walk(statement)
        )
        called = (part.function for part in parts if isinstance(part, Called))
        return Counter(one.digest for one in called if not isinstance(one, str))

    def name(self, kernel: Any) -> str:
        """Return the name of a kernel in the file; all must have been added."""
        if kernel is popcount:
            return "popcount"
        if kernel.digest not in self._names:
            self._names[kernel.digest] = self.free(self.functions[kernel.digest].name)
        return self._names[kernel.digest]

    def free(self, wish: str) -> str:
        """Return a name like this one that nothing in the file has."""
        name, n = wish, 1
        while name in self._taken:
            n += 1
            name = f"{wish}_{n}"
        self._taken.add(name)
        return name

    def table(self, table: Table) -> str:
        """Return the name of a table."""
        values = table.values
        key = (values.dtype.name, values.tobytes())
        if key not in self.tables:
            self.tables[key] = self.free(table.name.upper()), values
        return self.tables[key][0]

    def constant(self, number: Number) -> str:
        """Return the name of a number that kernels capture by name."""
        key = (number.name, number.type.kind, repr(number.value))
        if key not in self.constants:
            self.constants[key] = self.free(number.name.upper()), number
        return self.constants[key][0]

    def length(self, array: Expression) -> str:
        """Return the length of an array that is handed on."""
        if isinstance(array, Table):
            return str(len(array.values))
        assert isinstance(array, Variable)
        return f"size_of_{array.name}"

    def text(self) -> str:
        """Return the file."""
        without_unread(self.functions, self.kept)
        for function in self.functions.values():
            self.note(function)
        expressions = Expressions(
            self.simplified, self.name, self.table, self.constant, self.length
        )
        calls = self.calls()
        written = [
            FunctionText(function, self.name(function.kernel), expressions)
            for function in self.functions.values()
        ]
        parts = [one.text(linkage(one, calls[one.function.kernel.digest])) for one in written]
        tuples = [tuple_text(name, type_) for name, type_ in self.tuples.items()]
        tables = [table_text(name, values) for name, values in self.tables.values()]
        made = "\n".join([*tables, "", "\n\n".join(parts), ""])
        helpers = [text for call, text in HELPERS.items() if call in made]
        return "\n".join(
            [HEAD, *helpers, "", *tuples, "", *constant_lines(self.constants.values()), "", made]
        )


def linkage(one: FunctionText, calls: int) -> str:
    """Return whether a kernel is written into its callers. A long one is where it is called once; but
    one that only changes arrays gains nothing, and takes registers from what is around it (Tron: 10 %).
    """
    if one.function.result == VOID and one.size > STEP:
        return "APART"
    return "INLINE" if one.size < SHORT or calls == 1 else "static"


def tuple_text(name: str, type_: Type) -> str:
    """Return the struct of a tuple."""
    parts = " ".join(f"{type_text(part)} part_{k};" for k, part in enumerate(type_.parts))
    return f"struct {name} {{ {parts} }};"


def constant_lines(constants: Iterable[tuple[str, Number]]) -> Iterator[str]:
    """Yield numbers under their names, those of a type together."""
    of: dict[str, list[str]] = {}
    for name, number in constants:
        value = number_text(number.value, number.type, True)
        of.setdefault(NAMES[number.type.kind], []).append(f"{name} = {value}")
    for kind, pairs in of.items():
        yield wrapped(f"constexpr {kind} ", ", ".join(pairs) + ";")


def wrapped(head: str, text: str) -> str:
    """Return a text behind its head in lines of the usual width, further ones indented."""
    lines = textwrap.wrap(head + text, WIDTH, subsequent_indent="  ", break_long_words=False)
    return "\n".join(lines)


def table_text(name: str, values: Any) -> str:
    """Return a table: all its numbers, or where that is much shorter the different ones, and how the
    compiler fills the table with them.
    """
    kind, count = NAMES[OF_NUMPY[values.dtype].kind], max(1, len(values))
    whole = wrapped(f"static const {kind} {name}[{count}] = {{", f"{listed(values)}}};")
    if len(whole) < LONG:
        return whole
    _, first, which = np.unique(
        values.view(f"u{values.itemsize}"), return_index=True, return_inverse=True
    )
    signs = 1 if len(first) <= len(SIGNS) else 2 if len(first) <= len(SIGNS) ** 2 else 3
    base = len(SIGNS)
    text = "".join(
        SIGNS[k // base**n % base] for k in which.tolist() for n in reversed(range(signs))
    )
    lines = [text[at : at + WIDTH - 4] for at in range(0, len(text), WIDTH - 4)]
    filled = "\n".join(
        [
            wrapped(f"constexpr {kind} {name}_FROM[] = {{", f"{listed(values[first])}}};"),
            f"constexpr auto {name}_FILLED = filled<{kind}, {count}>({name}_FROM,",
            *(f'  "{line}"' for line in lines),
            f"  , {signs});",
            f"constexpr const {kind} (&{name})[{count}] = {name}_FILLED.of;",
        ]
    )
    return filled if 2 * len(filled) < len(whole) else whole


def listed(values: Any) -> str:
    """Return numbers; 0 where there are none."""
    of = OF_NUMPY[values.dtype]
    numbers = (number_text(value, of, True).removesuffix("ULL") for value in values.tolist())
    return ", ".join(numbers) or "0"
