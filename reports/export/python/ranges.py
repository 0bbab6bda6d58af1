"""How large the numbers of a kernel may be: where a word may leave its 64 bits.

A Python int stands for a word as long as both are the same modulo 2**64. Sums, products, shifts to the
left and bit operations may be applied before the rest is taken; comparisons, shifts to the right and
conversions may not. Sums of signed numbers, and their products with small ones, are assumed not to
overflow.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from joute.engines.kernels.bits import popcount
from joute.reports.export.python.addresses import addresses
from joute.reports.export.typed import tree
from joute.reports.export.typed.types import B1, I8, U8, Type

FAR = 1 << 80  # stands for "as far as you like"
ADDRESS = 1 << 40  # what is added up to an index is below this, or the index would be outside
LITTLE = 1 << 16  # what numbers are multiplied by that count something
WIDEN = 3  # rounds after which a range that still grows is taken for unlimited
WHOLE = (U8, I8, B1)


class Range(NamedTuple):
    """The lowest and the highest number."""

    low: int
    high: int

    def within(self, other: Range) -> bool:
        """Whether this is a part of another range."""
        return other.low <= self.low and self.high <= other.high

    def clipped(self, most: Range) -> Range:
        """Return what is within another range."""
        return Range(*(min(max(end, most.low), most.high) for end in self))


ANY, TRUTH, LENGTH = Range(-FAR, FAR), Range(0, 1), Range(0, ADDRESS)
TRUSTED = Range(
    ADDRESS + 1 - (1 << 64), (1 << 64) - 1
)  # here a word that is an address is that number


def joined(ranges: Iterable[Range]) -> Range:
    """Return the range of all."""
    lows, highs = zip(*ranges, strict=True)
    return Range(min(lows), max(highs))


def range_of(type_: Type) -> Range:
    """Return what a type holds."""
    if type_ == B1 or type_.kind[0] not in "ui":
        return TRUTH if type_ == B1 else ANY
    half = 1 << 8 * int(type_.kind[1:]) - 1
    return Range(0, 2 * half - 1) if type_.kind[0] == "u" else Range(-half, half - 1)


class Ranges:
    """The ranges of a kernel's variables, and of its `result`; `inner` returns the same of one it calls."""

    def __init__(self, function: tree.Function, inner: Callable[[Any], Ranges]) -> None:
        self.inner, self.rounds = inner, 0
        parts = [part for statement in function.body for part in tree.walk(statement)]
        self.addresses, self.trusted = addresses(parts, lambda kernel: inner(kernel).places)
        self.places = [name in self.addresses for name in function.parameters]
        self.variables: dict[str, Range] = {}
        for name, type_ in function.parameters.items():
            self.note(tree.Variable(type_, name), range_of(type_))
        before = None
        while before != (before := dict(self.variables)) or not self.rounds:
            for part in parts:
                self.assigned(part)
            self.rounds += 1
        returned = [p.value for p in parts if isinstance(p, tree.Return) and p.value is not None]
        self.result = joined(map(self.exact, returned)) if returned else ANY

    def note(self, target: tree.Expression, new: Range) -> None:
        """Note that a variable takes a value."""
        if not isinstance(target, tree.Variable | tree.Named):
            return
        old, most = self.variables.get(target.name), range_of(target.type)
        new = (new if old is None else joined([old, new])).clipped(most)
        if old is not None and self.rounds > WIDEN:
            low = new.low if new.low == old.low else most.low
            new = Range(low, new.high if new.high == old.high else most.high)
        if target.name in self.addresses and target.type == U8:
            new = new.clipped(LENGTH)
        self.variables[target.name] = new

    def assigned(self, part: Any) -> None:
        """Note the variables that take a value somewhere."""
        if isinstance(part, tree.Assign):
            for target, value in zip(part.targets, part.values, strict=True):
                self.note(target, self.exact(value))
        elif isinstance(part, tree.Unpack):
            for target, own in zip(part.targets, part.value.type.parts, strict=True):
                self.note(target, range_of(own))
        elif isinstance(part, tree.Count):
            begin, end = self.exact(part.begin), self.exact(part.end)
            up = Range(begin.low, max(end.high - 1, begin.high))
            self.note(part.target, up if part.step is None else range_of(part.target.type))
        elif isinstance(part, tree.Each):
            over: Any = part.values
            listed = isinstance(over, list)
            self.note(part.target, joined(map(self.exact, over)) if listed else of_table(over))
        elif isinstance(part, tree.Named):
            self.note(part, self.exact(part.value))

    def exact(self, node: tree.Expression) -> Range:
        """Return the range of a value, of a word when what is beyond its 64 bits is taken out."""
        own, most = self.of(node), range_of(node.type)
        return own if own.within(most) else most

    def clean(self, node: tree.Expression, place: str = "") -> bool:
        """Whether a word is within its 64 bits for sure, as all other numbers are; what goes to a `place` that
        is an address, and is compared with nothing, need not be far from them.
        """
        most = TRUSTED if place in self.trusted else range_of(U8)
        return node.type != U8 or self.of(node).within(most)

    def wraps(self, node: tree.Operation) -> bool:
        """Whether an operation on signed numbers may have to be brought back into 64 bits."""
        factors = [part for part in (node.left, node.right) if isinstance(part, tree.Number)]
        if node.type != I8 or node.sign not in ("*", "<<"):
            return False
        small = node.sign == "*" and any(abs(factor.value) < LITTLE for factor in factors)
        return not small and not self.computed(node).within(range_of(I8))

    def of(self, node: tree.Expression) -> Range:
        """Return the range of a value as it is computed; a word's may leave its 64 bits."""
        if isinstance(node, tree.Number) and node.type in WHOLE:
            return Range(int(node.value), int(node.value))
        if isinstance(node, tree.Variable):
            return self.variables.get(node.name, Range(0, 0))  # it takes its value further below
        if isinstance(node, tree.Named):
            return self.exact(node.value)
        if isinstance(node, tree.Element):
            table = isinstance(node.array, tree.Table)
            return of_table(node.array) if table else range_of(node.array.type.element)
        if isinstance(node, tree.Length):
            return LENGTH
        if isinstance(node, tree.Choice):
            return joined([self.of(node.yes), self.of(node.no)])
        if isinstance(node, tree.Conversion) and node.value.type in WHOLE:
            if node.type == U8:
                return self.of(node.value)
            own, most = self.exact(node.value), range_of(node.type)
            return own if own.within(most) else most
        if isinstance(node, tree.Called):
            return self.called(node)
        if isinstance(node, tree.Operation | tree.Unary) and node.type in (U8, I8):
            wraps = isinstance(node, tree.Operation) and self.wraps(node)
            own = range_of(I8) if wraps else self.computed(node)
            return own.clipped(ANY if node.type == U8 else range_of(I8))
        return range_of(node.type)

    def called(self, node: tree.Called) -> Range:
        """Return the range of a call's result."""
        if node.function is popcount:
            return Range(0, 64)
        if not isinstance(node.function, str):
            return self.inner(node.function).result
        own = [self.exact(argument) for argument in node.arguments]
        if node.type in WHOLE and node.function in ("min", "max"):
            return Range(*map(min if node.function == "min" else max, *own))
        return range_of(node.type)

    def computed(self, node: tree.Operation | tree.Unary) -> Range:
        """Return the range of an operation on whole numbers."""
        if isinstance(node, tree.Unary):
            own, less = self.of(node.operand), int(node.sign == "~")
            return Range(-own.high - less, -own.low - less)
        sign = node.sign
        a = self.exact(node.left) if sign in (">>", "//", "%") else self.of(node.left)
        b = self.exact(node.right) if sign in ("<<", ">>", "//", "%") else self.of(node.right)
        if sign in CORNERS:
            b = b.clipped(Range(0, 80)) if sign in ("<<", ">>") else b
            every = [CORNERS[sign](one, other) for one in a for other in b]
            return Range(min(every), max(every))
        least = min(a.low, b.low)
        if sign == "//":
            most = max(map(abs, a))
            return Range(0 if least >= 0 else -most - 1, most)
        if sign == "%":
            return Range(min(b.low + 1, 0), max(b.high - 1, 0))
        if sign == "&":
            highs = [own.high for own in (a, b) if own.low >= 0]
            return Range(0, min(highs)) if highs else ANY
        bits = (1 << max(a.high, b.high).bit_length()) - 1
        return ANY if least < 0 else Range(max(a.low, b.low) if sign == "|" else 0, bits)


CORNERS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "<<": operator.lshift, ">>": operator.rshift,
}  # fmt: skip


def of_table(table: Any) -> Range:
    """Return the range of a table's numbers."""
    values = table.values
    if not values.size or values.dtype.kind not in "uib":
        return ANY
    return Range(int(min(values)), int(max(values)))
