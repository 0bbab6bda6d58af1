"""A file of C++ with kernels and all that they need: tables, tuples, the kernels that they call."""

from __future__ import annotations

import textwrap
from collections import Counter
from typing import Any

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
from joute.reports.export.typed.tree import (
    Called,
    Expression,
    Function,
    Number,
    Table,
    Variable,
    walk,
)
from joute.reports.export.typed.types import OF_NUMPY, Type

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

INLINE i64 popcount(u64 x) { return __builtin_popcountll(x); }
// Division goes down, as Python's; what is divided by 0 is 0.
INLINE i64 floor_div(i64 a, i64 b) {
    if (b == 0) return 0;
    if (b == -1) return (i64)(0ULL - (u64)a);
    return a / b - ((a % b != 0) & ((a < 0) != (b < 0)));
}
INLINE i64 floor_mod(i64 a, i64 b) {
    if (b == 0 || b == -1) return 0;
    const i64 rest = a % b;
    return rest + ((rest != 0) & ((rest < 0) != (b < 0)) ? b : 0);
}
INLINE u64 divided(u64 a, u64 b) { return b ? a / b : 0; }
INLINE u64 rest(u64 a, u64 b) { return b ? a % b : 0; }
// A word and a signed number are compared by their values.
INLINE bool less(i64 a, u64 b) { return a < 0 || (u64)a < b; }
INLINE bool less(u64 a, i64 b) { return b > 0 && a < (u64)b; }
INLINE bool equal(i64 a, u64 b) { return a >= 0 && (u64)a == b; }
INLINE bool equal(u64 a, i64 b) { return equal(b, a); }
template <class T> INLINE T larger(T a, T b) { return b > a ? b : a; }
template <class T> INLINE T smaller(T a, T b) { return b < a ? b : a; }
"""
WIDTH = 98
SHORT = 1200  # characters of a kernel that is written into its callers; a longer one is called


class KernelFile:
    """Collects kernels; `text` is the file, `name` the name of a kernel in it."""

    def __init__(self) -> None:
        self.functions: dict[str, Function] = {}  # by the kernel's digest, what is called first
        self.tables: dict[tuple[str, bytes], tuple[str, Any]] = {}
        self.tuples: dict[str, Type] = {}
        self.constants: dict[tuple[str, str, str], tuple[str, Number]] = {}
        self._names: dict[str, str] = {}
        self._taken = set(TAKEN)

    def add(self, kernel: Any) -> None:
        """Add a kernel and all that it calls."""
        if kernel.digest in self.functions or kernel is popcount:
            return
        function = function_of(kernel)
        for part in (p for statement in function.body for p in walk(statement)):
            called = getattr(part, "function", None)
            if called is not None and not isinstance(called, str):
                self.add(called)
            type_ = getattr(part, "type", None)
            if type_ is not None and type_.kind == "tuple":
                self.tuples[type_text(type_)] = type_
        for type_ in (function.result, *function.parameters.values()):
            if type_.kind == "tuple":
                self.tuples[type_text(type_)] = type_
        self._taken |= {*function.parameters, *function.variables}
        self.functions[kernel.digest] = function

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
        expressions = Expressions(self.name, self.table, self.constant, self.length)
        calls = self.calls()
        written = [
            FunctionText(function, self.name(function.kernel), expressions)
            for function in self.functions.values()
        ]
        parts = [
            one.text(one.size < SHORT or calls[one.function.kernel.digest] == 1) for one in written
        ]
        tuples = [tuple_text(name, type_) for name, type_ in self.tuples.items()]
        numbers = [constant_text(name, number) for name, number in self.constants.values()]
        tables = [table_text(name, values) for name, values in self.tables.values()]
        return "\n".join([HEAD, *tuples, "", *numbers, "", *tables, "", "\n\n".join(parts), ""])


def tuple_text(name: str, type_: Type) -> str:
    """Return the struct of a tuple."""
    parts = " ".join(f"{type_text(part)} part_{k};" for k, part in enumerate(type_.parts))
    return f"struct {name} {{ {parts} }};"


def constant_text(name: str, number: Number) -> str:
    """Return a number under its name."""
    value = number_text(number.value, number.type, True)
    return f"static constexpr {NAMES[number.type.kind]} {name} = {value};"


def table_text(name: str, values: Any) -> str:
    """Return a table."""
    of = OF_NUMPY[values.dtype]
    flat = ", ".join(number_text(value, of, True).removesuffix("ULL") for value in values.tolist())
    flat = flat or "0"
    lines = textwrap.wrap(flat, WIDTH - 4)
    head = f"static const {NAMES[of.kind]} {name}[{max(1, len(values))}] = {{"
    if len(head) + len(flat) + 2 <= WIDTH:
        return f"{head}{flat}}};"
    return head + "\n" + "\n".join(f"    {line}" for line in lines) + "\n};"
