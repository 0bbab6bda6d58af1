"""The typed form of a kernel: expressions that know their type, statements, and the whole function.

What stands in a tree has one meaning in every language: words of 64 bits wrap, division of integers
goes down, a comparison of a word with a signed number is one of their values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from joute.reports.export.typed.types import Type


@dataclass
class Expression:
    """A value of a type."""

    type: Type


@dataclass
class Number(Expression):
    """A constant: a bool, int or float of Python's; `name` is what the kernel calls it, if it does."""

    value: Any
    name: str = ""


@dataclass
class Variable(Expression):
    """A local variable or parameter."""

    name: str


@dataclass
class Named(Expression):
    """A value that is kept under a name on the way; read again it is a variable. Only Python has it."""

    name: str
    value: Expression


@dataclass
class Table(Expression):
    """An array that the kernel captures, and the name that it has there."""

    values: Any
    name: str


@dataclass
class Element(Expression):
    """An element of an array; one of few bits is read as a number of 64."""

    array: Expression
    index: Expression


@dataclass
class Operation(Expression):
    """An operation on two numbers of one type (shifts: the second is a count), by Python's sign."""

    sign: str
    left: Expression
    right: Expression


@dataclass
class Unary(Expression):
    """One of `-`, `~` and `not`."""

    sign: str
    operand: Expression


@dataclass
class Comparison(Expression):
    """A comparison of two numbers, by Python's sign."""

    sign: str
    left: Expression
    right: Expression


@dataclass
class Several(Expression):
    """All ("and") or any ("or") of several truths, from left to right."""

    sign: str
    parts: list[Expression]


@dataclass
class Choice(Expression):
    """One of two values of one type."""

    test: Expression
    yes: Expression
    no: Expression


@dataclass
class Conversion(Expression):
    """A number as one of another type."""

    value: Expression


@dataclass
class Called(Expression):
    """A call of a kernel, or of a function known by name: sqrt, ceil, floor, abs, min, max."""

    function: Any
    arguments: list[Expression]


@dataclass
class Length(Expression):
    """The length of an array that is a parameter."""

    array: str


@dataclass
class Part(Expression):
    """A part of a tuple."""

    tuple: Expression
    index: int


@dataclass
class Parts(Expression):
    """A tuple made here."""

    parts: list[Expression]


@dataclass
class Statement:
    """A step of a kernel; `line` counts from the kernel's first."""

    line: int


@dataclass
class Assign(Statement):
    """Targets take values: one after the other where there is one, at once where there are several."""

    targets: list[Expression]
    values: list[Expression]


@dataclass
class Unpack(Statement):
    """Targets take the parts of a tuple."""

    targets: list[Expression]
    value: Expression


@dataclass
class If(Statement):
    """A branch."""

    test: Expression
    yes: list[Statement]
    no: list[Statement]


@dataclass
class While(Statement):
    """A loop as long as a test holds."""

    test: Expression
    body: list[Statement]


@dataclass
class Count(Statement):
    """A loop over numbers: begin, end (beyond the last), step."""

    target: Variable
    begin: Expression
    end: Expression
    step: Expression | None
    body: list[Statement]


@dataclass
class Each(Statement):
    """A loop over given values, or over all of a table."""

    target: Variable
    values: list[Expression] | Table
    body: list[Statement]


@dataclass
class Return(Statement):
    """The end, with the kernel's result."""

    value: Expression | None


@dataclass
class Do(Statement):
    """A call for what it does."""

    call: Expression


@dataclass
class Leave(Statement):
    """`break` or `continue`."""

    word: str


@dataclass
class Function:
    """A kernel: parameters and variables with their types, statements, the comments that stand
    before a line, which of its arrays' lengths it asks for, and into which of them it writes.

    `tuples` are its named tuples, which are taken apart: of each the type, and the variable of each
    field.
    """

    name: str
    kernel: Any
    result: Type
    parameters: dict[str, Type]
    variables: dict[str, Type] = field(default_factory=dict)
    body: list[Statement] = field(default_factory=list)
    told: str = ""
    comments: dict[int, list[str]] = field(default_factory=dict)
    lengths: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    tuples: dict[str, tuple[type, dict[str, str]]] = field(default_factory=dict)

    def member(self, variable: str) -> tuple[str, str] | None:
        """Return the named tuple and the field that a variable is; None if it is none."""
        for name, (_, own) in self.tuples.items():
            for one, of in own.items():
                if of == variable:
                    return name, one
        return None


def inside(node: Any) -> Iterator[Any]:
    """Yield what stands directly in an expression or statement: expressions and statements."""
    for one in fields(node):
        value = getattr(node, one.name)
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, Expression | Statement):
                yield part


def walk(node: Any) -> Iterator[Any]:
    """Yield an expression or statement and all that stands in it."""
    yield node
    for part in inside(node):
        yield from walk(part)


def names_in(*nodes: Any) -> Counter[str]:
    """Return how often each variable is mentioned in expressions and statements."""
    return Counter(part.name for node in nodes for part in walk(node) if isinstance(part, Variable))


def assigned_in(*nodes: Any) -> set[str]:
    """Return the variables that statements change."""
    found: set[str] = set()
    for node in nodes:
        for part in walk(node):
            targets = getattr(part, "targets", None) or [getattr(part, "target", None)]
            found |= {target.name for target in targets if isinstance(target, Variable)}
    return found
