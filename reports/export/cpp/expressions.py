"""Expressions of kernels in C++."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from joute.reports.export.typed.reading import Unreadable
from joute.reports.export.typed.tree import (
    Called,
    Choice,
    Comparison,
    Conversion,
    Element,
    Expression,
    Function,
    Length,
    Number,
    Operation,
    Part,
    Parts,
    Several,
    Table,
    Unary,
    Variable,
)
from joute.reports.export.typed.types import B1, F8, I8, U8, Type

NAMES = {
    "u8": "u64", "i8": "i64", "f8": "double", "b1": "bool", "void": "void", "u4": "uint32_t",
    "i4": "int32_t", "u2": "uint16_t", "i2": "int16_t", "u1": "uint8_t", "i1": "int8_t",
    "f4": "float",
}  # fmt: skip
# How tightly C++ binds: the higher, the tighter.
CHOICE, OR, AND, COMPARED, SHIFTED, ADDED, MULTIPLIED, SIGNED, WHOLE = 1, 2, 3, 8, 9, 10, 11, 12, 13
BINDING = {
    "|": 4, "^": 5, "&": 6, "<<": SHIFTED, ">>": SHIFTED, "+": ADDED, "-": ADDED,
    "*": MULTIPLIED, "/": MULTIPLIED, "%": MULTIPLIED,
}  # fmt: skip
WRAPPING = ("+", "-", "*", "&", "|", "^")  # the same for words and signed numbers
SPELLED = ("ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN")
LARGE = 99_999  # from here on a word is written in hexadecimal
# What C++ or its headers take for themselves.
RESERVED = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const
constexpr const_cast continue decltype default delete do double dynamic_cast else enum explicit
export extern false float for friend goto if inline int long mutable namespace new noexcept not
not_eq nullptr operator or or_eq private protected public register reinterpret_cast return short
signed sizeof static static_assert static_cast struct switch template this thread_local throw true
try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq
linux unix i386 near far main std errno assert INFINITY NAN EOF NULL stdin stdout stderr abs div exp
log pow sqrt floor ceil fabs min max y0 y1 yn j0 j1 jn gamma index rindex signal time clock read
write remove rename remainder round trunc link unlink select connect bind listen accept send recv
pause sleep poll sync dup pipe access exit abort system random rand
play rules param u64 i64 INLINE APART MEMBER BMI2 PORTABLE popcount lowest floor_div floor_mod divided rest larger smaller less equal
"""
TAKEN = frozenset(RESERVED.split())


def type_text(type_: Type) -> str:
    """Return a type in C++."""
    if type_.kind == "array":
        return f"{NAMES[type_.element.kind]}*"
    if type_.kind == "tuple":
        kinds = [part.kind[0] for part in type_.parts]
        same = len({*kinds}) == 1 and len(kinds) > 3
        return "Tuple_" + (f"{len(kinds)}{kinds[0]}" if same else "".join(kinds))
    return NAMES[type_.kind]


def number_text(value: Any, type_: Type, thin: bool = False) -> str:
    """Return a number; a `thin` one is beside something of 64 bits, so that C++ widens it."""
    if type_ == B1:
        return "true" if value else "false"
    if type_.kind in ("f8", "f4"):
        if math.isinf(value):
            return "INFINITY" if value > 0 else "-INFINITY"
        if math.isnan(value):
            return "NAN"
        mantissa, exponent = math.frexp(value)
        plain, power = repr(float(value)), f"{'-' * (value < 0)}0x1p{exponent - 1}"
        return power if abs(mantissa) == 0.5 and len(power) < len(plain) - 4 else plain
    if type_ == U8:
        text = hex(value) if value > LARGE else str(value)
        return text if thin and (value < 1 << 31 or value > LARGE) else f"{text}ULL"
    if value == -(1 << 63):
        return "(-0x7fffffffffffffffLL - 1)"
    return str(value) if thin and abs(value) < 1 << 31 else f"{value}LL"


class Expressions:
    """Prints expressions; the arguments return a kernel's function, the names in the file of kernels,
    tables and numbers, and the length of an array.
    """

    def __init__(
        self,
        function: Callable[[Any], Function],
        called: Callable[[Any], str],
        table: Callable[[Table], str],
        constant: Callable[[Number], str],
        length: Callable[[Expression], str],
    ) -> None:
        self.function, self.called = function, called
        self.table, self.constant, self.length = table, constant, length
        self.own: Function | None = None  # whose expressions are printed

    def name(self, variable: str) -> str:
        """Return a variable, or the member of a struct that it is."""
        member = None if self.own is None else self.own.member(variable)
        if member is None:
            return variable_text(variable)
        return f"{variable_text(member[0])}.{variable_text(member[1])}"

    def text(self, node: Expression, binding: int = 0, thin: bool = False) -> str:
        """Return an expression, in parentheses if it binds less tightly than it must."""
        text, own = self.bound(node, thin)
        return f"({text})" if own < binding else text

    def plain(self, node: Expression, binding: int = 0) -> str:
        """Return an expression that C++ itself makes a word or a signed number, as its place needs."""
        return self.text(taken_over(node), binding, True)

    def test(self, node: Expression, binding: int = 0) -> str:
        """Return an expression of which only the truth is asked: a whole number is true by itself."""
        if isinstance(node, Conversion) and node.type == B1 and node.value.type in (U8, I8):
            return self.text(node.value, binding)
        return self.text(node, binding)

    def bound(self, node: Expression, thin: bool) -> tuple[str, int]:
        """Return an expression and how tightly it binds."""
        if isinstance(node, Number) and len(node.name) > 1 and node.name not in SPELLED:
            return self.constant(node), WHOLE
        if isinstance(node, Number):
            text = number_text(node.value, node.type, thin)
            return text, SIGNED if text[0] == "-" else WHOLE
        if isinstance(node, Variable):
            return self.name(node.name), WHOLE
        if isinstance(node, Table):
            return self.table(node), WHOLE
        if isinstance(node, Element):
            return f"{self.text(node.array, WHOLE)}[{self.plain(node.index)}]", WHOLE
        if isinstance(node, Part):
            return f"{self.text(node.tuple, WHOLE)}.part_{node.index}", WHOLE
        if isinstance(node, Parts):
            return f"{type_text(node.type)}{{{self.listed(node.parts)}}}", WHOLE
        if isinstance(node, Operation):
            return self.operation(node)
        if isinstance(node, Unary):
            if node.sign == "not":
                return f"!{self.test(node.operand, WHOLE)}", SIGNED
            return f"{node.sign}{self.text(node.operand, WHOLE)}", SIGNED
        if isinstance(node, Comparison):
            return self.comparison(node)
        if isinstance(node, Several):
            own, sign = (AND, " && ") if node.sign == "and" else (OR, " || ")
            return sign.join(self.test(part, COMPARED) for part in node.parts), own
        if isinstance(node, Choice):
            test = self.test(node.test, AND)
            whole = node.type in (U8, I8)
            yes = self.text(node.yes, OR, thin or (whole and not literal(node.no)))
            no = self.text(node.no, OR, thin or (whole and not literal(node.yes)))
            return f"{test} ? {yes} : {no}", CHOICE
        if isinstance(node, Conversion):
            return self.conversion(node)
        if isinstance(node, Length):
            return self.size(node.array), WHOLE
        assert isinstance(node, Called)
        return self.call(node)

    def size(self, array: str) -> str:
        """Return the length of an array that is a parameter."""
        member = None if self.own is None else self.own.member(array)
        return size_text(array) if member is None else f"{member[0]}.{size_text(member[1])}"

    def listed(self, nodes: list[Expression], thin: bool = True) -> str:
        """Return arguments."""
        return ", ".join(self.text(node, CHOICE, thin) for node in nodes)

    def operation(self, node: Operation) -> tuple[str, int]:
        """Return an operation. Division of integers is not C++'s: it goes down, and 0 divides."""
        sign, left, right = node.sign, node.left, node.right
        if sign in ("//", "%"):
            known = isinstance(right, Number) and right.value > 0
            if node.type == U8 and known:
                sign = "/" if sign == "//" else "%"
            elif node.type == U8:
                return (
                    f"{'divided' if sign == '//' else 'rest'}({self.listed([left, right])})",
                    WHOLE,
                )
            else:
                name = "floor_div" if sign == "//" else "floor_mod"
                return f"{name}({self.listed([left, right])})", WHOLE
        own = BINDING[sign]
        if sign == "<<" and node.type == I8 and not literal(left):  # of -1 C++ 17 leaves it open
            word, signed = NAMES[U8.kind], NAMES[I8.kind]
            shifted = f"({word}){self.text(left, WHOLE)} << {self.plain(right, ADDED)}"
            return f"({signed})({shifted})", SIGNED
        if own == SHIFTED:
            right = taken_over(right)
        elif node.type == F8:
            left = left if widens(right) else widened(left)
            right = widened(right)
        elif node.type == U8 and sign in WRAPPING:
            left = taken_over(left) if firm(right) else left
            right = taken_over(right) if firm(left) else right
        thin = not literal(left)
        wide = not literal(right) and own != SHIFTED
        a = self.text(left, self.beside(sign, left, own), wide)
        b = self.text(right, self.beside(sign, right, own + 1), thin or own == SHIFTED)
        if own == SHIFTED and isinstance(right, Number) and not right.name:
            b = str(right.value)
        return f"{a} {sign} {b}", own

    def beside(self, sign: str, node: Expression, least: int) -> int:
        """Return how tightly an operand must bind: bits and shifts stand apart from sums."""
        mixed = isinstance(node, Operation) and node.sign != sign
        return WHOLE if mixed and BINDING[sign] not in (ADDED, MULTIPLIED) else least

    def comparison(self, node: Comparison) -> tuple[str, int]:
        """Return a comparison; that of a word with a signed number is one of their values."""
        left, right = node.left, node.right
        if (
            left.type == right.type
            or F8 in (left.type, right.type)
            or B1 in (left.type, right.type)
        ):
            a = self.text(left, COMPARED + 1, not literal(right))
            b = self.text(right, COMPARED + 1, not literal(left))
            return f"{a} {node.sign} {b}", COMPARED
        if node.sign in ("==", "!="):
            said = f"equal({self.listed([left, right], False)})"
            return (said, WHOLE) if node.sign == "==" else (f"!{said}", SIGNED)
        pair = [left, right] if node.sign in ("<", ">=") else [right, left]
        said = f"less({self.listed(pair, False)})"
        return (said, WHOLE) if node.sign in ("<", ">") else (f"!{said}", SIGNED)

    def conversion(self, node: Conversion) -> tuple[str, int]:
        """Return a conversion."""
        if node.type == B1:
            return f"{self.text(node.value, COMPARED + 1)} != 0", COMPARED
        return f"({NAMES[node.type.kind]}){self.text(node.value, WHOLE)}", SIGNED

    def call(self, node: Called) -> tuple[str, int]:
        """Return a call."""
        function, given = node.function, node.arguments
        if isinstance(function, str):
            return self.built_in(function, node)
        inner = self.function(function)
        arguments, lengths = {}, []
        for name, argument in zip(inner.parameters, given, strict=True):
            member = inner.member(name)
            if member is not None:
                arguments[member[0]] = self.whole(argument)
                continue
            arguments[name] = self.plain(argument, CHOICE)
            if name in inner.lengths:
                lengths.append(self.length(argument))
        return f"{self.called(function)}({', '.join([*arguments.values(), *lengths])})", WHOLE

    def whole(self, field: Expression) -> str:
        """Return the struct of which a field is handed on with the others."""
        member = None
        if self.own is not None and isinstance(field, Variable):
            member = self.own.member(field.name)
        if member is None:
            raise Unreadable("a kernel that makes a named tuple for another")
        return variable_text(member[0])

    def built_in(self, name: str, node: Called) -> tuple[str, int]:
        """Return a call of what C++ has itself."""
        if name in ("min", "max"):
            numbers = self.listed(node.arguments)
            best = "smaller" if name == "min" else "larger"
            return f"{best}<{NAMES[node.type.kind]}>({numbers})", WHOLE
        given = self.listed(node.arguments)
        if name == "sqrt":
            return f"__builtin_sqrt({given})", WHOLE
        if name == "abs":
            return f"{'__builtin_fabs' if node.type == F8 else '__builtin_llabs'}({given})", WHOLE
        return f"(i64)__builtin_{name}({given})", SIGNED


def taken_over(node: Expression) -> Expression:
    """Return what a number is converted from, where C++ converts it as well."""
    if widens(node):
        return widened(node)
    if isinstance(node, Conversion) and {node.type, node.value.type} == {U8, I8}:
        return node.value
    return node


def widens(node: Expression) -> bool:
    """Whether an expression is a whole number that becomes a fraction, as C++ makes it beside one."""
    return isinstance(node, Conversion) and node.type == F8 and node.value.type in (U8, I8)


def widened(node: Expression) -> Expression:
    """Return the whole number that becomes a fraction here."""
    return node.value if isinstance(node, Conversion) and widens(node) else node


def firm(node: Expression) -> bool:
    """Whether C++ takes an expression for a word, whatever is beside it."""
    if isinstance(node, Element):
        return node.array.type.element == U8
    return node.type == U8 and isinstance(node, Variable | Operation | Called)


def literal(node: Expression) -> bool:
    """Whether a number stands as it is, so that C++ knows no type for it but its own."""
    return isinstance(node, Number)


def size_text(array: str) -> str:
    """Return what the length of an array is called."""
    return f"size_of_{array}"


def variable_text(name: str) -> str:
    """Return the name of a variable in C++."""
    return f"{name}_" if name in TAKEN else name
