"""A kernel as a function of Python, on its own ints and floats and on lists.

Of a word the lowest 64 bits count; they are taken out (`& 0xFFFFFFFFFFFFFFFF`) only where a value may have
left them and it matters.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from typing import Any

from joute.engines.kernels.bits import popcount
from joute.reports.export.python.inlining import adds
from joute.reports.export.python.ranges import WHOLE, Range, Ranges, range_of
from joute.reports.export.syntax.source_syntax import Unplain
from joute.reports.export.typed import tree
from joute.reports.export.typed.reading import COMPARED, SIGNS
from joute.reports.export.typed.types import B1, F8, I8, U8

OPERATORS: dict[str, Any] = {sign: node for node, sign in {**SIGNS, **COMPARED}.items()}
OPERATORS |= {"and": ast.And, "or": ast.Or}
UNARY = {"-": ast.USub, "~": ast.Invert, "not": ast.Not}
NEAR = Range(-1 << 63, 2 << 64)  # what is outside an array is nobody's index: here it needs no care
SMALL = Range(-1 << 53, 1 << 53)  # whole numbers that are the same as floats
LEFT_ALONE = ("u8", "i8", "f8")  # elements of arrays that come from outside


class Printer:
    """Prints a kernel; `reference` returns the name in the file of a kernel or a table."""

    def __init__(
        self, function: tree.Function, ranges: Ranges, reference: Callable[[Any, str], str]
    ) -> None:
        self.function, self.ranges, self.reference = function, ranges, reference

    def definition(self, name: str) -> ast.FunctionDef:
        """Return the whole function under a name."""
        for parameter, type_ in self.function.parameters.items():
            if type_.kind == "array" and type_.element.kind not in LEFT_ALONE:
                raise Unplain(f"{parameter}, an array of {type_.element.kind}")
        told = "\n    ".join(self.function.told.split("\n"))
        body = self.block(self.function.body)
        if told:
            body.insert(0, ast.Expr(ast.Constant(told + "\n    " * ("\n" in told))))
        parameters = [ast.arg(parameter) for parameter in self.function.parameters]
        given = ast.arguments([], parameters, None, [], [], None, [])
        return ast.fix_missing_locations(ast.FunctionDef(name, given, body, []))

    # --- statements

    def block(self, body: Sequence[tree.Statement]) -> list[ast.stmt]:
        """Print statements."""
        return [self.statement(node) for node in body] or [ast.Pass()]

    def statement(self, node: tree.Statement) -> ast.stmt:
        """Print a statement."""
        if isinstance(node, tree.Assign):
            return self.assign(node)
        if isinstance(node, tree.Unpack):
            for target, own in zip(node.targets, node.value.type.parts, strict=True):
                if target.type != own:
                    raise Unplain(f"a {own.kind} of a tuple for a {target.type.kind}")
            return ast.Assign([self.places(node.targets)], self.value(node.value))
        if isinstance(node, tree.If):
            no = self.block(node.no) if node.no else []
            return ast.If(self.truth(node.test), self.block(node.yes), no)
        if isinstance(node, tree.While):
            return ast.While(self.truth(node.test), self.block(node.body), [])
        if isinstance(node, tree.Count | tree.Each):
            return ast.For(self.value(node.target), self.over(node), self.block(node.body), [])
        if isinstance(node, tree.Return):
            return ast.Return(None if node.value is None else self.exact(node.value))
        if isinstance(node, tree.Do):
            return ast.Expr(self.value(node.call))
        assert isinstance(node, tree.Leave)
        return ast.Break() if node.word == "break" else ast.Continue()

    def assign(self, node: tree.Assign) -> ast.stmt:
        """Print an assignment."""
        names = [getattr(target, "name", "") for target in node.targets]
        first: Any = node.values[0]
        value = self.exact(first, names[0])
        whole = isinstance(value, ast.BinOp) and self.ranges.clean(first, names[0])
        if whole and adds(node) and not self.ranges.wraps(first):
            return ast.AugAssign(self.place(node.targets[0]), value.op, value.right)  # type: ignore[attr-defined]
        if len(node.targets) == 1:
            return ast.Assign([self.place(node.targets[0])], value)
        return ast.Assign([self.places(node.targets)], self.several(node.values, names))

    def place(self, node: tree.Expression) -> Any:
        """Print what is assigned to."""
        new: Any = self.value(node)
        new.ctx = ast.Store()
        return new

    def places(self, nodes: Sequence[tree.Expression]) -> ast.expr:
        """Print what is assigned to at once."""
        return ast.Tuple([self.place(node) for node in nodes], ast.Store())

    def over(self, node: tree.Count | tree.Each) -> ast.expr:
        """Print what a loop goes over."""
        if isinstance(node, tree.Each):
            given = node.values
            return self.several(given) if isinstance(given, list) else self.value(given)
        from_zero = isinstance(node.begin, tree.Number) and node.begin.value == 0
        ends = [node.end] if from_zero and node.step is None else [node.begin, node.end]
        return call("range", *map(self.exact, [*ends, node.step] if node.step else ends))

    # --- expressions

    def exact(self, node: tree.Expression, place: str = "") -> ast.expr:
        """Print a value as Python's number of its type, which a variable takes."""
        new = self.value(node)
        return new if self.ranges.clean(node, place) else masked(new)

    def several(self, nodes: Sequence[tree.Expression], places: Sequence[str] = ()) -> ast.expr:
        """Print a tuple."""
        each = zip(nodes, places or [""] * len(nodes), strict=True)
        return ast.Tuple([self.exact(node, place) for node, place in each], ast.Load())

    def truth(self, node: tree.Expression) -> ast.expr:
        """Print what is only asked for its truth."""
        if isinstance(node, tree.Conversion) and node.type == B1:
            return self.exact(node.value)
        if isinstance(node, tree.Several):
            return ast.BoolOp(OPERATORS[node.sign](), [self.truth(part) for part in node.parts])
        return self.value(node)

    def again(self, node: tree.Expression) -> ast.expr:
        """Print a value that has been computed."""
        return name(node.name) if isinstance(node, tree.Named) else self.exact(node)

    def value(self, node: tree.Expression) -> ast.expr:
        """Print an expression; a word may have left its 64 bits."""
        if isinstance(node, tree.Number):
            if isinstance(node.value, float) and not math.isfinite(node.value):
                return call("float", ast.Constant(str(node.value)))
            return ast.Constant(node.value)
        if isinstance(node, tree.Variable):
            return name(node.name)
        if isinstance(node, tree.Named):
            value = self.exact(node.value, node.name)
            return ast.NamedExpr(ast.Name(node.name, ast.Store()), value)
        if isinstance(node, tree.Table):
            return name(self.reference(node.values, node.name))
        if isinstance(node, tree.Element):
            near = self.ranges.of(node.index).within(NEAR)
            index = self.value(node.index) if near else self.exact(node.index)
            return ast.Subscript(self.value(node.array), index, ast.Load())
        if isinstance(node, tree.Part):
            return ast.Subscript(self.value(node.tuple), ast.Constant(node.index), ast.Load())
        if isinstance(node, tree.Parts):
            return self.several(node.parts)
        if isinstance(node, tree.Operation):
            return self.operation(node)
        if isinstance(node, tree.Unary):
            inner = self.truth if node.sign == "not" else self.value
            return ast.UnaryOp(UNARY[node.sign](), inner(node.operand))
        if isinstance(node, tree.Comparison):
            left, right = self.beside(node.left, node.right), self.beside(node.right, node.left)
            return ast.Compare(left, [OPERATORS[node.sign]()], [right])
        if isinstance(node, tree.Several):
            return ast.BoolOp(OPERATORS[node.sign](), [self.value(part) for part in node.parts])
        if isinstance(node, tree.Choice):
            return ast.IfExp(self.truth(node.test), self.value(node.yes), self.value(node.no))
        if isinstance(node, tree.Conversion):
            return self.conversion(node)
        if isinstance(node, tree.Length):
            return call("len", name(node.array))
        assert isinstance(node, tree.Called)
        return self.called(node)

    def beside(self, node: tree.Expression, other: tree.Expression | None = None) -> ast.expr:
        """Print a number that Python makes a float by itself, where it meets one."""
        if not isinstance(node, tree.Conversion) or isinstance(other, tree.Conversion):
            return self.exact(node)
        whole, own = node.value.type, self.ranges.exact(node.value)
        small = whole == I8 or (whole == U8 and own.within(SMALL))  # of signed ones it is assumed
        return self.exact(node.value if node.type == F8 and small else node)

    def operation(self, node: tree.Operation) -> ast.expr:
        """Print an operation on two numbers. What is divided by 0 is what floating point says, or 0."""
        sign, left, right = node.sign, node.left, node.right
        if sign == "/":
            one, other = self.beside(left), self.beside(right)
            return binary(one, sign, other) if self.some(right) else call("divided", one, other)
        if node.type == F8:
            return binary(self.beside(left, right), sign, self.beside(right, left))
        if sign in ("//", "%"):
            whole, known = binary(self.exact(left), sign, self.exact(right)), self.some(right)
            return whole if known else self.or_zero(whole, right)
        one = self.exact(left) if sign == ">>" else self.value(left)
        other = self.exact(right) if sign in (">>", "<<") else self.value(right)
        if sign in ("&", "|", "^"):  # of two truths they are a truth
            return binary(one, sign, other)
        new = binary(bare(one), sign, bare(other))
        return signed(masked(new)) if self.ranges.wraps(node) else new

    def or_zero(self, whole: Any, divisor: tree.Expression) -> ast.expr:
        """Print a division, which gives 0 where the divisor is 0."""
        if isinstance(divisor, tree.Variable) and divisor.name[0] != "_":
            return ast.IfExp(whole.right, whole, ast.Constant(0))
        given = ast.arguments([], [ast.arg("a"), ast.arg("b")], None, [], [], None, [])
        inner = ast.IfExp(name("b"), ast.BinOp(name("a"), whole.op, name("b")), ast.Constant(0))
        return ast.Call(ast.Lambda(given, inner), [whole.left, whole.right], [])

    def some(self, node: tree.Expression) -> bool:
        """Whether a number is not 0 for sure."""
        if isinstance(node, tree.Number):
            return bool(node.value)
        whole = node.value if isinstance(node, tree.Conversion) else node
        return whole.type in WHOLE and not Range(0, 0).within(self.ranges.exact(whole))

    def conversion(self, node: tree.Conversion) -> ast.expr:
        """Print a number as one of another type."""
        from_, to, most = node.value.type, node.type, range_of(node.type)
        if from_ == B1:
            truth = self.value(node.value)
            return call("float", truth) if to == F8 else ast.UnaryOp(ast.UAdd(), truth)
        if to == U8 and from_ != F8:
            return self.value(node.value)
        new = self.exact(node.value)
        if to == B1:
            return ast.Compare(new, [ast.NotEq()], [ast.Constant(0)])
        if to == F8:
            return call("float", new)
        if from_ == F8:
            new = call("int", new)
            if to == I8:
                return new
        elif self.ranges.exact(node.value).within(most):
            return new
        if to == I8:
            return signed(new)
        low, bits = ast.Constant(-most.low), ast.Constant(most.high - most.low)
        if not most.low:
            return binary(new, "&", bits)
        return binary(binary(binary(new, "+", low), "&", bits), "-", low)

    def called(self, node: tree.Called) -> ast.expr:
        """Print a call; of a minimum or maximum without one."""
        given = [self.exact(argument) for argument in node.arguments]
        if node.function is popcount:
            return call("popcount", *given)
        if not isinstance(node.function, str):
            return call(self.reference(node.function, node.function.__name__), *given)
        if node.function in ("min", "max"):
            sign = ast.Gt() if node.function == "min" else ast.Lt()
            one, other = map(self.again, node.arguments)
            return ast.IfExp(ast.Compare(given[0], [sign], [given[1]]), other, one)
        return call(node.function if node.function == "abs" else f"math.{node.function}", *given)


def name(text: str) -> ast.Name:
    """Return a name."""
    return ast.Name(text, ast.Load())


def call(function: str, *arguments: ast.expr) -> ast.Call:
    """Return a call of a function by its name."""
    return ast.Call(name(function), list(arguments), [])


def binary(left: ast.expr, sign: str, right: ast.expr) -> ast.expr:
    """Return an operation."""
    return ast.BinOp(left, OPERATORS[sign](), right)


def masked(node: ast.expr) -> ast.expr:
    """Return the lowest 64 bits."""
    return binary(node, "&", ast.Constant(range_of(U8).high))


def signed(node: ast.expr) -> ast.expr:
    """Return a word as a signed number."""
    half = ast.Constant(range_of(I8).high + 1)
    return binary(binary(node, "^", half), "-", half)


def bare(node: ast.expr) -> ast.expr:
    """Return a truth without what makes it a number: beside a number it is one."""
    return node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd) else node
