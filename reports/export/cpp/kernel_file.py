"""A file of C++ with kernels and all that they need: tables, tuples, the kernels that they call."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

import numpy as np

from joute.engines.kernels.bits import lowest, popcount
from joute.reports.export.cpp.expressions import (
    NAMES,
    TAKEN,
    Expressions,
    number_text,
    size_text,
    type_text,
    variable_text,
)
from joute.reports.export.cpp.function import FunctionText, first_sentence
from joute.reports.export.typed.reading import function_of
from joute.reports.export.typed.simplified import (
    Known,
    same_arguments,
    simplified,
    without_unread,
    without_unread_variables,
)
from joute.reports.export.typed.tree import (
    Called,
    Element,
    Expression,
    Function,
    Length,
    Number,
    Table,
    Variable,
    walk,
)
from joute.reports.export.typed.types import OF_NUMPY, VOID, Type
from joute.reports.export.typed.zeros import zeros_of

HEAD = """\
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#elif defined(PORTABLE)
#pragma GCC optimize("fp-contract=off")
#else
#pragma GCC optimize("O3", "wrapv", "fp-contract=off")
#endif
#if defined(__x86_64__) && !defined(PORTABLE)
#define BMI2
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("popcnt,bmi,bmi2"))), apply_to = function)
#else
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
#define MEMBER inline __attribute__((always_inline))
#define INLINE static MEMBER
#define APART static __attribute__((noinline))
"""
# The end of a file that begins with HEAD.
FOOT = """
#if defined(BMI2) && defined(__clang__)
#pragma clang attribute pop
#endif
"""
# What kernels may call, by name; only what they do call is in a file.
HELPERS = {
    "popcount(": """\
INLINE i64 popcount(u64 x) { return __builtin_popcountll(x); }""",
    "lowest(": """\
INLINE u64 lowest(u64 x) { return x ? __builtin_ctzll(x) : 64; }""",
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
// A table of N numbers. A text says which number stands where: so many signs each, digits of a number
// of base 91. What stands `lag` places before, shifted, is added to it.
template <class T, int N> struct Filled { T of[N]; };
template <class T, int N, int M>
constexpr Filled<T, N> filled(const T (&from)[M], const char* text, int signs, int lag, int shift) {
  Filled<T, N> made{};
  for (int i = 0; i < N; ++i) {
    int k = 0;
    for (int n = 0; n < signs; ++n, ++text) k = 91 * k + *text - 35 - (*text > 92);
    const bool adds = lag && i >= lag;
    made.of[i] = adds ? (T)((u64)from[k] + ((u64)made.of[i - lag] << shift)) : from[k];
  }
  return made;
}""",
}
BUILT_IN = {popcount: "popcount", lowest: "lowest"}  # kernels that are one instruction
WIDTH = 98
LONG = 500  # characters of a table that is filled from its different numbers, if that is shorter
LAGS, SHIFTS = (
    16,
    16,
)  # how far before its own place what a number is made of may stand, and the bits
SIGNS = "".join(
    chr(c) for c in range(35, 127) if c != 92
)  # of a table's text: no quote, no backslash
STEP = 500  # characters from which on a kernel without a result is always called
SHORT = 2500  # characters of a kernel, with all that is written into it, that is written into its callers


class KernelFile:
    """Collects kernels; `text` is the file, `name` the name of a kernel in it."""

    def __init__(self, known: Known | None = None) -> None:
        self.known = known or Known()  # what is decided in the file
        self.functions: dict[str, Function] = {}  # by the kernel's digest, what is called first
        self.kept: dict[str, Any] = {}  # kernels that are called from outside, by their digests
        self._simplified: dict[str, Function] = {}
        self.tables: dict[tuple[str, bytes], tuple[str, Any]] = {}
        self.tuples: dict[str, Type] = {}
        self.structs: dict[type, dict[str, Type]] = {}  # of named tuples: the fields that are used
        self.sizes: dict[type, set[str]] = {}  # and those of which a kernel asks the length
        self.constants: dict[tuple[str, str, str], tuple[str, Number]] = {}
        self._names: dict[str, str] = {}
        self._taken = set(TAKEN)

    def add(self, kernel: Any) -> None:
        """Add a kernel that is called from outside, and all that it calls."""
        self.kept[kernel.digest] = kernel
        self._add(kernel)

    def _add(self, kernel: Any) -> None:
        if kernel.digest in self.functions or kernel in BUILT_IN:
            return
        function = self.simplified(kernel)
        for part in (p for statement in function.body for p in walk(statement)):
            called = getattr(part, "function", None)
            if called is not None and not isinstance(called, str):
                self._add(called)
        self.functions[kernel.digest] = function

    def simplify(self, known: Known) -> None:
        """Simplify all kernels with what is known."""
        if known != self.known:
            self.known, self._simplified, self.functions = known, {}, {}
            for kernel in self.kept.values():
                self._add(kernel)

    def simplified(self, kernel: Any) -> Function:
        """Return the tree of a kernel with what is needed of it in this file."""
        if kernel.digest not in self._simplified:
            function = simplified(function_of(kernel), self.known, self.simplified)
            self._simplified[kernel.digest] = function
        return self._simplified[kernel.digest]

    def note(self, function: Function) -> None:
        """Note the names and the kinds of tuples that a function has."""
        parts = [part for statement in function.body for part in walk(statement)]
        types = [part.type for part in parts if isinstance(part, Expression)]
        for type_ in (function.result, *function.parameters.values(), *types):
            if type_.kind == "tuple":
                self.tuples[type_text(type_)] = type_
        self._taken |= {*function.parameters, *function.variables, *function.tuples}
        for kind, _ in function.tuples.values():
            self._taken.add(kind.__name__)
            self.structs.setdefault(kind, {})
            self.sizes.setdefault(kind, set())
        for part in parts:
            if isinstance(part, Element):
                self.use(function, part.array)
            elif isinstance(part, Length):
                self.use(function, Variable(VOID, part.array), True)
            elif isinstance(part, Called) and not isinstance(part.function, str):
                inner = self.simplified(part.function)
                for name, given in zip(inner.parameters, part.arguments, strict=True):
                    if inner.member(name) is None:
                        self.use(function, given, name in inner.lengths)

    def use(self, function: Function, array: Expression, size: bool = False) -> None:
        """Note the field of a named tuple that an array of a function is, if it is one."""
        member = function.member(array.name) if isinstance(array, Variable) else None
        if member is not None:
            kind, field = function.tuples[member[0]][0], member[1]
            if size:
                self.sizes[kind].add(field)
            if array.type != VOID:
                self.structs[kind][field] = array.type

    def fields(self, kind: type) -> list[str]:
        """Return the fields of a struct in their order, those of a type together."""
        used = self.structs[kind]
        order = [*dict.fromkeys(used[field] for field in kind._fields if field in used)]  # type: ignore[attr-defined]
        return [field for one in order for field in kind._fields if used.get(field) == one]  # type: ignore[attr-defined]

    def call(self, kernel: Any, given: Mapping[str, str], lengths: Mapping[str, str]) -> str:
        """Return the call of a kernel from outside, from the texts of its parameters by their names;
        a named tuple stands under its own name, or under those of its fields' variables.
        """
        function = self.functions[kernel.digest]
        arguments: dict[str, str] = {}
        behind = []
        for name in function.parameters:
            member = function.member(name)
            if member is None:
                arguments[name] = given[name]
                behind += [lengths[name]] if name in function.lengths else []
            elif member[0] not in arguments:
                kind, own = function.tuples[member[0]]
                fields = {field: given.get(variable, "") for field, variable in own.items()}
                sizes = {field: lengths.get(variable, "0") for field, variable in own.items()}
                arguments[member[0]] = given.get(member[0]) or self.struct(kind, fields, sizes)
        return f"{self.name(kernel)}({', '.join([*arguments.values(), *behind])})"

    def struct(self, kind: type, fields: Mapping[str, str], sizes: Mapping[str, str]) -> str:
        """Return a struct made of its fields and their lengths."""
        parts = [fields[field] for field in self.fields(kind)]
        parts += [sizes[field] for field in kind._fields if field in self.sizes[kind]]  # type: ignore[attr-defined]
        return f"{kind.__name__}{{{', '.join(parts)}}}"

    def struct_text(self, kind: type) -> str:
        """Return the declaration of a struct."""
        of: dict[str, list[str]] = {}
        for field in self.fields(kind):
            name = NAMES[self.structs[kind][field].element.kind]
            of.setdefault(name, []).append(f"*{variable_text(field)}")
        sizes = [size_text(field) for field in kind._fields if field in self.sizes[kind]]  # type: ignore[attr-defined]
        lines = [wrapped(f"  {name} ", ", ".join(fields) + ";") for name, fields in of.items()]
        lines += [f"  i64 {', '.join(sizes)};"] if sizes else []
        told = f"// {first_sentence(kind.__doc__ or '')}"
        return "\n".join([told, f"struct {kind.__name__} {{", *lines, "};"])

    def calls(self) -> Counter[str]:
        """Return how often each kernel is called, by its digest."""
        return Counter(
            digest for function in self.functions.values() for digest in called_by(function)
        )

    def name(self, kernel: Any) -> str:
        """Return the name of a kernel in the file; all must have been added."""
        if kernel in BUILT_IN:
            return BUILT_IN[kernel]
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
        return size_text(array.name)

    def text(self) -> str:
        """Return the file."""
        kept = [self.functions[digest] for digest in self.kept]
        self.simplify(self.known._replace(zeros=zeros_of(self.functions.values(), kept)))
        while (given := same_arguments(self.functions, self.kept)) != self.known.given:
            self.simplify(self.known._replace(given=given))
        before = 0
        while before != (before := sum(map(size_of, self.functions.values()))):
            without_unread(self.functions, {*self.kept})
            for function in self.functions.values():
                without_unread_variables(function, lambda kernel: self.functions[kernel.digest])
        for function in self.functions.values():
            self.note(function)
        for kernel in self.kept.values():
            self.name(kernel)  # the first choice of a name is theirs
        expressions = Expressions(
            self.simplified, self.name, self.table, self.constant, self.length
        )
        calls = self.calls()
        written = [
            FunctionText(function, self.name(function.kernel), expressions)
            for function in self.functions.values()
        ]
        sizes: dict[str, int] = {}
        parts = []
        for one in written:  # what a kernel calls stands before it
            digest = one.function.kernel.digest
            size = one.size + sum(sizes.get(inner, 0) for inner in called_by(one.function))
            word = linkage(one, size, calls[digest])
            sizes[digest] = size if word == "INLINE" else 0
            parts.append(one.text(word))
        handed = set().union(*(one.handed for one in written))
        tuples = [tuple_text(name, type_, type_ in handed) for name, type_ in self.tuples.items()]
        tables = [table_text(name, values) for name, values in self.tables.values()]
        made = "\n".join([*tables, "", "\n\n".join(parts), ""])
        helpers = [text for call, text in HELPERS.items() if call in made + "".join(tuples)]
        return "\n".join(
            [
                *(HEAD, *helpers, "", *tuples, *map(self.struct_text, self.structs), ""),
                *(*constant_lines(self.constants.values()), "", made),
            ]
        )


def size_of(function: Function) -> int:
    """Return how many parts the tree of a function has."""
    return sum(1 for statement in function.body for _ in walk(statement))


def called_by(function: Function) -> Iterator[str]:
    """Yield the digests of the kernels that a function calls, each as often as it does."""
    for statement in function.body:
        for part in walk(statement):
            if isinstance(part, Called) and not isinstance(part.function, str):
                yield part.function.digest


def linkage(one: FunctionText, size: int, calls: int) -> str:
    """Return whether a kernel is written into its callers; `size` is its own with all that is written
    into it. A long one is where it is called once, else as the compiler likes: its copies take each
    other's registers (chess: 6 %). One that only changes arrays gains nothing (Tron: 10 %).
    """
    if one.function.result == VOID and one.size > STEP:
        return "APART"
    return "INLINE" if size < SHORT or calls == 1 else "static"


def tuple_text(name: str, type_: Type, handed: bool) -> str:
    """Return the struct of a tuple; `handed`: its parts go to variables that exist."""
    groups = groupby(enumerate(type_.parts), key=lambda pair: pair[1])
    fields = " ".join(
        f"{type_text(part)} {', '.join(f'part_{k}' for k, _ in group)};" for part, group in groups
    )
    if not handed:
        return f"struct {name} {{ {fields} }};"
    letters = "abcdefghijklmnop"[: len(type_.parts)]
    given = ", ".join(f"{type_text(p)}& {a}" for p, a in zip(type_.parts, letters, strict=True))
    taken = ", ".join(f"{a} = part_{k}" for k, a in enumerate(letters))
    return f"struct {name} {{\n  {fields}\n  MEMBER void to({given}) const {{ {taken}; }}\n}};"


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
    """Return a table: all its numbers, or where that is shorter the different ones, and how the
    compiler fills the table with them.
    """
    kind, count = NAMES[OF_NUMPY[values.dtype].kind], max(1, len(values))
    whole = wrapped(f"static const {kind} {name}[{count}] = {{", f"{listed(values)}}};")
    if len(whole) < LONG:
        return whole
    ways = [(0, 0)]
    if values.dtype.kind in "iu":
        ways += [(lag, shift) for lag in range(1, LAGS + 1) for shift in range(SHIFTS + 1)]
    lag, shift = min(ways, key=lambda way: rough_size(added(values, *way)))
    of = added(values, lag, shift)
    numbers, which = different(of)
    base, signs = len(SIGNS), signs_for(len(numbers))
    text = "".join(
        SIGNS[k // base**n % base] for k in which.tolist() for n in reversed(range(signs))
    )
    lines = [text[at : at + WIDTH - 4] for at in range(0, len(text), WIDTH - 4)]
    filled = "\n".join(
        [
            wrapped(
                f"constexpr auto {name}_FILLED = filled<{kind}, {count}>(",
                f"{{{listed(numbers)}}},",
            ),
            *(f'  "{line}"' for line in lines),
        ]
    )
    filled += f", {signs}, {lag}, {shift});\nconstexpr auto& {name} = {name}_FILLED.of;"
    return filled if len(filled) < 0.7 * len(whole) else whole


def added(values: Any, lag: int, shift: int) -> Any:
    """Return what is added to the number `lag` places before, shifted, to get each of a table's."""
    of = values.copy()
    if lag:
        with np.errstate(over="ignore"):
            of[lag:] -= values[:-lag] << values.dtype.type(shift)
    return of


def different(values: Any) -> tuple[Any, Any]:
    """Return the different numbers of a table (zeros by their sign), and which stands where."""
    _, first, which = np.unique(
        values.view(f"u{values.itemsize}"), return_index=True, return_inverse=True
    )
    return values[first], which


def rough_size(values: Any) -> float:
    """Return about how many characters a table takes that is filled from these numbers."""
    numbers = different(values)[0].tolist()
    return sum(len(str(k)) + 4 for k in numbers) + signs_for(len(numbers)) * len(values)


def signs_for(count: int) -> int:
    """Return how many signs of a text name one of so many numbers."""
    return 1 if count <= len(SIGNS) else 2 if count <= len(SIGNS) ** 2 else 3


def listed(values: Any) -> str:
    """Return numbers; 0 where there are none."""
    of = OF_NUMPY[values.dtype]
    numbers = (number_text(value, of, True).removesuffix("ULL") for value in values.tolist())
    return ", ".join(numbers) or "0"
