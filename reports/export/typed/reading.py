"""Reads a kernel: its source as a tree in which each expression has the type that numba gives it.

Types follow from the kernel's signature and those of the kernels that it calls. What it captures is
decided here: branches on it are taken, and numbers stand in their place. What no tree can say raises
Unreadable with the place in the kernel's source.
"""

from __future__ import annotations

import ast
import builtins
import io
import math
import operator
import textwrap
import tokenize
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from joute.reports.export.syntax.folding import Fold
from joute.reports.export.syntax.loops import rename_loops
from joute.reports.export.syntax.source_syntax import captured, source_of
from joute.reports.export.syntax.tuples import taken_apart
from joute.reports.export.typed.tree import (
    Assign,
    Called,
    Choice,
    Comparison,
    Conversion,
    Count,
    Do,
    Each,
    Element,
    Expression,
    Function,
    If,
    Leave,
    Length,
    Number,
    Operation,
    Part,
    Parts,
    Return,
    Several,
    Statement,
    Table,
    Unary,
    Unpack,
    Variable,
    While,
)
from joute.reports.export.typed.types import (
    B1,
    F8,
    I8,
    OF_NUMPY,
    U8,
    VOID,
    WIDE,
    Type,
    array_of,
    joined,
    signature_of,
    tuple_of,
)

SIGNS: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
COMPARED: dict[type, str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
CONVERSIONS: dict[Any, Type] = {
    np.uint64: U8,
    np.int64: I8,
    np.float64: F8,
    np.bool_: B1,
    int: I8,
    float: F8,
    bool: B1,
}
MATH: dict[Any, tuple[str, Type]] = {
    math.sqrt: ("sqrt", F8),
    np.sqrt: ("sqrt", F8),
    math.ceil: ("ceil", I8),
    math.floor: ("floor", I8),
}
WITH_BITS_OF_ITS_OWN = "(its last bit differs between machines): take kernels/arithmetic.py"
ROUNDS = 8  # of settling the types of variables


class Unreadable(TypeError):
    """A kernel that has no typed tree; the message says where and what stands there."""


def is_kernel(thing: Any) -> bool:
    """Whether something is a kernel of ours."""
    return hasattr(thing, "signature") and hasattr(thing, "digest")


def read(kernel: Any) -> Function:
    """Return the typed tree of a kernel; raises Unreadable."""
    return Reader(kernel).function()


class Reader:
    """Reads one kernel. `types` holds what is known of its variables so far."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self.python: FunctionType = getattr(kernel, "py_func", kernel)
        self.place = Path(self.python.__code__.co_filename).name
        self.first = self.python.__code__.co_firstlineno
        self.node, self.tuples = taken_apart(kernel)
        names = {a.arg for a in self.node.args.args} | {
            n.id
            for n in ast.walk(self.node)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        self.known = {n: v for n, v in captured(self.python) if n not in names}
        Fold(self.known).visit(self.node)
        rename_loops(self.node)
        self.result, arguments = signature_of(kernel)
        parameters = [a.arg for a in self.node.args.args]
        self.parameters = dict(zip(parameters, arguments, strict=True))
        self.types: dict[str, Type] = dict(self.parameters)
        self.current: dict[str, str] = {}  # by name: its variable of another type, since it has one
        self.lengths: set[str] = set()
        self.written: set[str] = set()
        self.line = 1

    def function(self) -> Function:
        """Return the tree."""
        for _ in range(ROUNDS):
            before = dict(self.types)
            self.current = {}
            body = self.block(self.node.body)
            if self.types == before:
                break
        else:
            raise self.unreadable("the types of its variables do not settle")
        variables = {n: t for n, t in self.types.items() if n not in self.parameters}
        return Function(
            *(self.node.name, self.kernel, self.result, self.parameters, variables, body),
            told=ast.get_docstring(self.node) or "",
            comments=comments_of(self.python),
            lengths=self.lengths,
            written=self.written,
            tuples=self.tuples,
        )

    def unreadable(self, what: str) -> Unreadable:
        """Return the error of something that stands here."""
        line = self.first + self.line - 1
        return Unreadable(f"the kernel {self.python.__name__} ({self.place}, line {line}): {what}")

    # --- statements

    def block(self, body: list[ast.stmt]) -> list[Statement]:
        """Read statements."""
        return [new for node in body for new in self.statement(node)]

    def statement(self, node: ast.stmt) -> list[Statement]:
        """Read a statement."""
        self.line = line = getattr(node, "lineno", self.line)
        if isinstance(node, ast.Pass) or is_text(node):
            return []
        if isinstance(node, ast.Break | ast.Continue):
            return [Leave(line, type(node).__name__.lower())]
        if isinstance(node, ast.Expr):
            return [Do(line, self.value(node.value))]
        if isinstance(node, ast.Return):
            return [Return(line, self.returned(node.value))]
        if isinstance(node, ast.If):
            test = self.truth(node.test)
            return [If(line, test, self.block(node.body), self.block(node.orelse))]
        if isinstance(node, ast.While) and not node.orelse:
            return [While(line, self.truth(node.test), self.block(node.body))]
        if isinstance(node, ast.For) and not node.orelse and isinstance(node.target, ast.Name):
            return self.loop(node, node.target.id)
        if isinstance(node, ast.AugAssign):
            whole = ast.BinOp(loaded(node.target), node.op, node.value)
            return self.assign(node.target, whole)
        if isinstance(node, ast.Assign):
            return [new for target in node.targets for new in self.assign(target, node.value)]
        raise self.unreadable(f"`{ast.unparse(node)}` is no statement of a kernel")

    def assign(self, target: ast.expr, value: ast.expr) -> list[Statement]:
        """Read an assignment."""
        line = self.line
        if not isinstance(target, ast.Tuple):
            new = self.value(value)
            place = self.stored(target, new.type)
            return [Assign(line, [place], [self.converted(new, stored_type(place))])]
        if isinstance(value, ast.Tuple):
            news = [self.value(part) for part in value.elts]
            places = [self.stored(t, n.type) for t, n in zip(target.elts, news, strict=True)]
            values = [self.converted(n, stored_type(p)) for n, p in zip(news, places, strict=True)]
            return [Assign(line, places, values)]
        new = self.value(value)
        if new.type.kind != "tuple":
            raise self.unreadable(f"`{ast.unparse(value)}` is no tuple")
        places = [self.stored(t, own) for t, own in zip(target.elts, new.type.parts, strict=True)]
        return [Unpack(line, places, new)]

    def stored(self, target: ast.expr, type_: Type) -> Expression:
        """Return the place that takes a value of a type."""
        if isinstance(target, ast.Subscript):
            place = self.element(target)
            if not isinstance(place.array, Variable):
                raise self.unreadable(
                    f"`{ast.unparse(target)}` is stored into no array of the caller"
                )
            self.written.add(place.array.name)
            return place
        if not isinstance(target, ast.Name):
            raise self.unreadable(f"`{ast.unparse(target)}` cannot be assigned")
        return self.variable(target.id, WIDE.get(type_.kind, type_))

    def variable(self, name: str, type_: Type) -> Variable:
        """Return the variable of a name that takes a value: another one for a type that the first
        cannot hold.
        """
        for own in (self.current.get(name, name), name, f"{name}_{type_.kind[0]}"):
            both = joined(self.types.get(own, type_), type_)
            if both is None or (own in self.parameters and both != self.types[own]):
                continue
            self.types[own] = both
            self.current[name] = own
            return Variable(both, own)
        raise self.unreadable(f"{name} is a {self.types[name].kind} and a {type_.kind}")

    def loop(self, node: ast.For, name: str) -> list[Statement]:
        """Read a loop."""
        line, over = self.line, node.iter
        given: Any = self.known.get(over.id) if isinstance(over, ast.Name) else None
        if isinstance(given, np.ndarray):
            table = self.value(over)
            assert isinstance(table, Table)
            of = table.type.element
            target = self.variable(name, WIDE.get(of.kind, of))
            return [Each(line, target, table, self.block(node.body))]
        if isinstance(given, tuple) or isinstance(over, ast.Tuple):
            elements = getattr(over, "elts", None) or [ast.Constant(v) for v in given or ()]
            values = [self.value(element) for element in elements]
            target = self.variable(name, values[0].type)
            values = [self.converted(value, target.type) for value in values]
            return [Each(line, target, values, self.block(node.body))]
        named = isinstance(over, ast.Call) and isinstance(over.func, ast.Name)
        if not named or over.func.id != "range" or "range" in self.known:  # type: ignore[attr-defined]
            raise self.unreadable(f"a loop over `{ast.unparse(over)}`")
        ends = [self.value(part) for part in over.args]  # type: ignore[attr-defined]
        type_ = U8 if all(end.type == U8 for end in ends) else I8
        ends = [self.converted(end, type_) for end in ends]
        if len(ends) == 1 and nought(ends[0]):
            return []
        begin, end = ([Number(type_, 0), *ends] if len(ends) == 1 else ends)[:2]
        step = ends[2] if len(ends) == 3 else None
        target = self.variable(name, type_)
        if target.type != type_:
            raise self.unreadable(f"{name} counts, and is a {target.type.kind} besides")
        return [Count(line, target, begin, end, step, self.block(node.body))]

    def returned(self, node: ast.expr | None) -> Expression | None:
        """Read what is returned."""
        if node is None or self.result == VOID:
            return None
        value = self.value(node)
        if isinstance(value, Parts):
            parts = zip(value.parts, self.result.parts, strict=True)
            return Parts(self.result, [self.converted(part, own) for part, own in parts])
        return self.converted(value, self.result)

    # --- expressions

    def truth(self, node: ast.expr) -> Expression:
        """Read a test."""
        return self.converted(self.value(node), B1)

    def converted(self, value: Expression, type_: Type) -> Expression:
        """Return a value as one of a type."""
        if value.type == type_:
            return value
        if "tuple" in (value.type.kind, type_.kind) or "array" in (value.type.kind, type_.kind):
            raise self.unreadable(f"a {value.type.kind} for a {type_.kind}")
        if isinstance(value, Number) and type_ in (U8, I8, F8, B1):
            return number_of(value.value, type_)
        return Conversion(type_, value)

    def value(self, node: ast.expr) -> Expression:
        """Read an expression."""
        if isinstance(node, ast.Constant):
            return self.constant(node.value)
        if isinstance(node, ast.Name):
            return self.named(node.id)
        if isinstance(node, ast.BinOp):
            return self.operation(SIGNS.get(type(node.op), "**"), node)
        if isinstance(node, ast.UnaryOp):
            return self.unary(node)
        if isinstance(node, ast.Compare):
            return self.comparison(node)
        if isinstance(node, ast.BoolOp):
            sign = "and" if isinstance(node.op, ast.And) else "or"
            return Several(B1, sign, [self.truth(part) for part in node.values])
        if isinstance(node, ast.IfExp):
            test = self.truth(node.test)
            yes, no = self.alike(self.value(node.body), self.value(node.orelse))
            return Choice(yes.type, test, yes, no)
        if isinstance(node, ast.Subscript):
            return self.subscript(node)
        if isinstance(node, ast.Tuple):
            parts = [self.value(part) for part in node.elts]
            return Parts(tuple_of(*(part.type for part in parts)), parts)
        if isinstance(node, ast.Attribute):
            return self.constant(self.static(node))
        if isinstance(node, ast.Call):
            return self.call(node)
        raise self.unreadable(f"`{ast.unparse(node)}` is no expression of a kernel")

    def named(self, name: str) -> Expression:
        """Read a name: a variable, or something captured."""
        own = self.current.get(name, name)
        if own in self.types:
            return Variable(self.types[own], own)
        if name in self.known:
            value = self.known[name]
            if not isinstance(value, np.ndarray):
                number = self.constant(value)
                return Number(number.type, number.value, name)
            if value.ndim != 1 or value.dtype not in OF_NUMPY:
                raise self.unreadable(f"{name} is no flat array of numbers")
            return Table(array_of(OF_NUMPY[value.dtype]), value, name)
        return Variable(I8, name)  # takes its value further below, in a loop: the next round knows

    def constant(self, value: Any) -> Number:
        """Return a number that is known."""
        if isinstance(value, bool | np.bool_):
            return Number(B1, bool(value))
        if isinstance(value, np.uint64):
            return Number(U8, int(value))
        if isinstance(value, int | np.int64):
            return number_of(int(value), I8)
        if isinstance(value, float | np.float64):
            return Number(F8, float(value))
        raise self.unreadable(f"a {type(value).__name__} is no number of a kernel")

    def alike(self, left: Expression, right: Expression) -> tuple[Expression, Expression]:
        """Return two numbers as ones of the type that holds both."""
        both = joined(left.type, right.type)
        for one, other in ((left, right), (right, left)):
            if both is None and isinstance(one, Number) and one.type == I8 and one.value >= 0:
                both = other.type  # a literal beside a word
        if both is None:
            raise self.unreadable(f"a {left.type.kind} meets a {right.type.kind}")
        return self.converted(left, both), self.converted(right, both)

    def operation(self, sign: str, node: ast.BinOp) -> Expression:
        """Read an operation on two numbers."""
        left, right = self.value(node.left), self.value(node.right)
        if sign == "**":
            raise self.unreadable(f"`{ast.unparse(node)}`: a power {WITH_BITS_OF_ITS_OWN}")
        if sign in ("<<", ">>"):
            left = self.converted(left, I8) if left.type == B1 else left
            return Operation(left.type, sign, left, self.converted(right, U8))
        if sign == "/":
            return Operation(F8, sign, self.converted(left, F8), self.converted(right, F8))
        left, right = self.alike(left, right)
        if nought(right) and sign in ("+", "-", "|", "^"):
            return left
        if nought(left) and sign in ("+", "|", "^"):
            return right
        if left.type == B1 and sign not in ("&", "|", "^"):
            left, right = self.converted(left, I8), self.converted(right, I8)
        if left.type == F8 and sign in ("//", "%", "&", "|", "^"):
            raise self.unreadable(f"`{ast.unparse(node)}`: {sign} of fractions")
        return Operation(left.type, sign, left, right)

    def unary(self, node: ast.UnaryOp) -> Expression:
        """Read an operation on one number."""
        if isinstance(node.op, ast.Not):
            return Unary(B1, "not", self.truth(node.operand))
        value = self.value(node.operand)
        value = self.converted(value, I8) if value.type == B1 else value
        if isinstance(node.op, ast.UAdd):
            return value
        if isinstance(value, Number) and isinstance(node.op, ast.USub) and value.type != U8:
            return Number(value.type, -value.value)
        return Unary(value.type, "-" if isinstance(node.op, ast.USub) else "~", value)

    def comparison(self, node: ast.Compare) -> Expression:
        """Read a comparison, of several in a row each two that are neighbours."""
        if isinstance(node.ops[0], ast.In | ast.NotIn):
            return self.membership(node)
        if any(type(op) not in COMPARED for op in node.ops):
            raise self.unreadable(f"`{ast.unparse(node)}` compares other than numbers")
        values = [self.value(part) for part in (node.left, *node.comparators)]
        if len(values) > 2 and not all(simple(value) for value in values[1:-1]):
            raise self.unreadable(f"`{ast.unparse(node)}` computes its middle once")
        found: list[Expression] = []
        for op, left, right in zip(node.ops, values, values[1:], strict=False):
            if (
                {left.type, right.type} != {U8, I8}
                or isinstance(left, Number)
                or (isinstance(right, Number) and right.value >= 0)
            ):
                left, right = self.alike(left, right)
            found.append(Comparison(B1, COMPARED[type(op)], left, right))
        return found[0] if len(found) == 1 else Several(B1, "and", found)

    def membership(self, node: ast.Compare) -> Expression:
        """Read `x in (a, b)` or `x not in (a, b)`."""
        among = node.comparators[0]
        if len(node.ops) > 1 or not isinstance(among, ast.Tuple):
            raise self.unreadable(f"`{ast.unparse(node)}` looks into other than a tuple")
        sign = "==" if isinstance(node.ops[0], ast.In) else "!="
        pairs = [self.alike(self.value(node.left), self.value(part)) for part in among.elts]
        found: list[Expression] = [Comparison(B1, sign, left, right) for left, right in pairs]
        return Several(B1, "or" if sign == "==" else "and", found)

    def subscript(self, node: ast.Subscript) -> Expression:
        """Read an element of an array, or of a captured tuple at a known place."""
        given = self.known.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if isinstance(given, tuple) and isinstance(node.slice, ast.Constant):
            return self.constant(given[operator.index(node.slice.value)])  # type: ignore[arg-type]
        value = self.value(node.value)
        if value.type.kind == "tuple" and isinstance(node.slice, ast.Constant):
            place = operator.index(node.slice.value)  # type: ignore[arg-type]
            return Part(value.type.parts[place], value, place)
        return self.element(node)

    def element(self, node: ast.Subscript) -> Element:
        """Read an element of an array."""
        array = self.value(node.value)
        if array.type.kind != "array":
            raise self.unreadable(f"`{ast.unparse(node.value)}` is no array")
        if isinstance(node.slice, ast.Tuple | ast.Slice):
            raise self.unreadable(f"`{ast.unparse(node)}`: arrays are flat, their elements single")
        index = self.value(node.slice)
        if index.type not in (U8, I8):
            raise self.unreadable(f"`{ast.unparse(node.slice)}` is no index")
        if isinstance(index, Number) and index.value < 0:
            raise self.unreadable(f"`{ast.unparse(node)}` counts from the end")
        of = array.type.element
        return Element(WIDE.get(of.kind, of), array, index)

    def static(self, node: ast.expr) -> Any:
        """Return what a name or an attribute of something captured means."""
        if isinstance(node, ast.Name):
            return self.known.get(node.id, getattr(builtins, node.id, None))
        if isinstance(node, ast.Attribute):
            return getattr(self.static(node.value), node.attr, None)
        return None

    def call(self, node: ast.Call) -> Expression:
        """Read a call: of a kernel, of a conversion, or of a function of Python's."""
        function = self.static(node.func)
        if node.keywords:
            raise self.unreadable(f"`{ast.unparse(node)}` names an argument")
        if is_kernel(function):
            return self.kernel_call(node, function)
        given = [self.value(part) for part in node.args] if function is not len else []
        if function in CONVERSIONS:
            return self.conversion(given[0], CONVERSIONS[function])
        if function in MATH:
            name, result = MATH[function]
            return Called(result, name, [self.converted(given[0], F8)])
        if function is abs:
            return Called(given[0].type, "abs", given)
        if function in (min, max):
            return self.extreme(function.__name__, given)
        if function is len and isinstance(node.args[0], ast.Name):
            return self.length(node.args[0].id)
        name = ast.unparse(node.func)
        hint = WITH_BITS_OF_ITS_OWN if getattr(function, "__module__", "") == "math" else ""
        raise self.unreadable(f"a call of {name} {hint}".rstrip())

    def conversion(self, value: Expression, type_: Type) -> Expression:
        """Read a conversion of a number."""
        return self.converted(value, type_)

    def extreme(self, name: str, values: list[Expression]) -> Expression:
        """Read `min` or `max`."""
        best = values[0]
        for value in values[1:]:
            best, value = self.alike(best, value)
            best = Called(best.type, name, [best, value])
        return best

    def length(self, name: str) -> Expression:
        """Read the length of an array."""
        if name in self.known:
            return Number(I8, len(self.known[name]))
        self.lengths.add(name)
        return Length(I8, name)

    def kernel_call(self, node: ast.Call, kernel: Any) -> Expression:
        """Read a call of a kernel."""
        result, types = signature_of(kernel)
        given = [self.value(part) for part in node.args]
        if len(given) != len(types):
            raise self.unreadable(f"`{ast.unparse(node)}` has {len(given)} arguments")
        arguments = [self.converted(g, own) for g, own in zip(given, types, strict=True)]
        inner = function_of(kernel)
        for name, argument in zip(inner.parameters, arguments, strict=True):
            if argument.type.kind != "array":
                continue
            if isinstance(argument, Variable):
                self.lengths |= {argument.name} if name in inner.lengths else set()
                self.written |= {argument.name} if name in inner.written else set()
            elif name in inner.written:
                raise self.unreadable(f"`{ast.unparse(node)}` writes into a table")
        return Called(result, kernel, arguments)


_read: dict[int, tuple[Any, Function]] = {}


def function_of(kernel: Any) -> Function:
    """Return the typed tree of a kernel, read once."""
    if id(kernel) not in _read:
        _read[id(kernel)] = kernel, read(kernel)
    return _read[id(kernel)][1]


def number_of(value: Any, type_: Type) -> Number:
    """Return a number as one of a type, as a conversion makes it."""
    make: dict[str, Callable[[Any], Any]] = {
        "u8": lambda v: int(v) & ((1 << 64) - 1),
        "i8": lambda v: (int(v) + (1 << 63)) % (1 << 64) - (1 << 63),
        "f8": float,
        "b1": bool,
    }
    return Number(type_, make[type_.kind](value))


def stored_type(place: Expression) -> Type:
    """Return the type that a place takes: an element of few bits takes these."""
    return place.array.type.element if isinstance(place, Element) else place.type


def nought(value: Expression) -> bool:
    """Whether an expression is the integer 0, without a name."""
    return isinstance(value, Number) and value.type in (U8, I8) and not (value.value or value.name)


def simple(value: Expression) -> bool:
    """Whether an expression may be computed twice."""
    return isinstance(value, Number | Variable)


def loaded(target: ast.expr) -> ast.expr:
    """Return what stands at a place that is stored to."""
    new = deepcopy(target)
    for part in ast.walk(new):
        if hasattr(part, "ctx"):
            part.ctx = ast.Load()
    return new


def is_text(node: ast.stmt) -> bool:
    """Whether a statement is a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def comments_of(function: FunctionType) -> dict[int, list[str]]:
    """Return the comments that have lines of their own, by the line of the code that follows."""
    found: dict[int, list[str]] = {}
    waiting: list[str] = []
    source = textwrap.dedent(source_of(function))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip():
            waiting.append(token.string.lstrip("# -").strip())
        elif waiting and token.string.strip() and token.type != tokenize.COMMENT:
            found[token.start[0]] = waiting
            waiting = []
    return found
