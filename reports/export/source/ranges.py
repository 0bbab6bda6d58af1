"""Types of a kernel's expressions with the range of their values: where a word may leave its 64 bits.

A Python int stands for a word as long as both are the same modulo 2**64; `Type` tells whether it is
within 0 .. 2**64 - 1 for sure. Sums, products, shifts to the left and bit operations may be applied
before the rest is taken; comparisons, shifts to the right and conversions may not.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import NamedTuple

WORD, SIGNED = (1 << 64) - 1, 1 << 63
FAR = 1 << 80  # stands for "as far as you like"
ADDRESS = 1 << 40  # what is added up to an index is below this, or the index would be outside


class Unplain(TypeError):
    """A kernel that cannot be written for Python's own numbers."""


class Type(NamedTuple):
    """u: word, i: signed, w: a literal that is either, f: float, b: bool, x: array of `of`, t: tuple."""

    kind: str
    low: int = -FAR
    high: int = FAR
    of: tuple[Type, ...] = ()

    @property
    def clean(self) -> bool:
        """Whether the value is a word's for sure."""
        return self.low >= 0 and self.high <= WORD


U8, I8 = Type("u", 0, WORD), Type("i", -SIGNED, SIGNED - 1)
F8, B1, VOID = Type("f"), Type("b", 0, 1), Type("void")
NAMED = {"u8": U8, "i8": I8, "f8": F8, "b1": B1, "void": VOID}


def type_of(text: str) -> Type:
    """Return a type in numba's notation."""
    text = text.strip()
    if text.startswith("Tuple(("):
        return Type("t", of=tuple(type_of(part) for part in text[7:-2].split(",")))
    if text.endswith("[::1]"):
        return Type("x", of=(type_of(text[:-5]),))
    if text not in NAMED:
        raise Unplain(f"the type {text}")
    return NAMED[text]


def signature_of(text: str) -> tuple[Type, list[Type]]:
    """Return the type of the result and those of the arguments of a kernel's signature."""
    match = re.fullmatch(r"(Tuple\(\(.*?\)\)|\w+)\((.*)\)", text)
    if match is None:
        raise Unplain(f"the signature {text}")
    return type_of(match[1]), [type_of(part) for part in match[2].split(",") if part.strip()]


def join(one: Type | None, other: Type) -> Type:
    """Return the type of what is either the one or the other."""
    if one is None or one == other:
        return other
    kinds = {one.kind, other.kind}
    if kinds == {"t"} and len(one.of) == len(other.of):
        return Type("t", of=tuple(map(join, one.of, other.of)))
    if "f" in kinds and kinds <= {"f", "w", "i"}:
        return F8
    if len(kinds) == 1 or ("w" in kinds and kinds <= {"u", "i", "w"}):
        kind = min(kinds, key="uiwb".find)
        return Type(kind, min(one.low, other.low), max(one.high, other.high), one.of)
    raise Unplain(f"one variable for values of kinds {' and '.join(sorted(kinds))}")


def bounded(low: int, high: int) -> tuple[int, int]:
    """Clamp a range to +-FAR, which stands for unbounded."""
    return max(low, -FAR), min(high, FAR)


def bits_over(high: int) -> int:
    """Return the largest number of as many bits."""
    return int((1 << high.bit_length()) - 1)


def shifted(one: Type, by: Type) -> tuple[int, int]:
    """Return the range of one << by."""
    most = min(max(by.high, 0), 80)
    return bounded(min(one.low << most, one.low), max(one.high << most, one.high))


def products(one: Type, by: Type) -> tuple[int, int]:
    """Return the range of a product."""
    every = [a * b for a in (one.low, one.high) for b in (by.low, by.high)]
    return bounded(min(every), max(every))


def both(one: Type, other: Type) -> tuple[int, int]:
    """Return the range of one & other."""
    highs = [t.high for t in (one, other) if t.low >= 0]
    return (0, min(highs)) if highs else (-FAR, FAR)


def either(one: Type, other: Type) -> tuple[int, int]:
    """Return the range of one | other, and of one ^ other."""
    if one.low < 0 or other.low < 0:
        return -FAR, FAR
    return 0, bits_over(max(one.high, other.high))


Range = Callable[[Type, Type], tuple[int, int]]
RANGES: dict[type, Range] = {
    ast.Add: lambda a, b: bounded(a.low + b.low, a.high + b.high),
    ast.Sub: lambda a, b: bounded(a.low - b.high, a.high - b.low),
    ast.Mult: products,
    ast.LShift: shifted,
    ast.BitAnd: both,
    ast.BitOr: either,
    ast.BitXor: either,
}
# These need both operands to be words indeed.
EXACT: dict[type, Range] = {
    ast.RShift: lambda a, b: (
        a.low >> min(max(b.high if a.low >= 0 else b.low, 0), 80),
        a.high >> min(max(b.low, 0), 80),
    ),
    ast.FloorDiv: lambda a, b: (0 if a.low >= 0 <= b.low else -FAR, max(abs(a.low), abs(a.high))),
    ast.Mod: lambda a, b: (0 if b.low >= 0 else b.low, max(b.high - 1, 0)),
}
