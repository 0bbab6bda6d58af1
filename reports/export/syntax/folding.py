"""Working out what is known before a kernel runs: constants that it captures, branches never taken.

Written out of its factory a kernel no longer captures anything: a number stands in its place, and
what depends on numbers alone is computed once. The rules are Python's and numpy's, as without the
compiler.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from joute.reports.export.syntax.source_syntax import callee

UNKNOWN = object()
BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
UNARY: dict[type, Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
}


class Fold(ast.NodeTransformer):
    """Replaces what the captured `values` decide; numpy's numbers become constants of the tree."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Visit what is inside; a body that nothing is left of passes."""
        super().generic_visit(node)
        if getattr(node, "body", None) == []:
            node.body = [ast.Pass()]  # type: ignore[attr-defined]
        return node

    def known(self, node: ast.expr) -> Any:
        """Return the value of a node if it is decided, else UNKNOWN."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            value = self.values.get(node.id, UNKNOWN)
            plain = value is None or isinstance(value, bool | int | float | str | np.generic)
            return value if plain else UNKNOWN
        return UNKNOWN

    def computed(self, node: ast.expr, function: Callable[..., Any], *parts: ast.expr) -> ast.expr:
        """Return the node of a function of known parts, or the node itself."""
        values = [self.known(part) for part in parts]
        if any(value is UNKNOWN for value in values):
            return node
        with np.errstate(over="ignore"):
            return ast.Constant(function(*values))

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Write a captured Python number in its place; numpy's keep their names."""
        value = self.known(node)
        return node if value is UNKNOWN or isinstance(value, np.generic) else ast.Constant(value)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """Compute."""
        self.generic_visit(node)
        function = BINARY.get(type(node.op))
        return self.computed(node, function, node.left, node.right) if function else node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """Compute."""
        self.generic_visit(node)
        return self.computed(node, UNARY[type(node.op)], node.operand)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Compute a comparison of two."""
        self.generic_visit(node)
        function = BINARY.get(type(node.ops[0]))
        if len(node.ops) > 1 or function is None:
            return node
        return self.computed(node, function, node.left, node.comparators[0])

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Compute the conversion of a number to one of numpy's."""
        self.generic_visit(node)
        function = callee(node.func, self.values)
        if not (isinstance(function, type) and issubclass(function, np.generic)):
            return node
        if len(node.args) != 1 or node.keywords:
            return node
        return self.computed(node, function, node.args[0])

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """Drop leading operands that are decided."""
        self.generic_visit(node)
        stops = isinstance(node.op, ast.Or)
        while len(node.values) > 1:
            first = self.known(node.values[0])
            if first is UNKNOWN:
                return node
            if bool(first) == stops:
                return node.values[0]
            del node.values[0]
        return node.values[0]

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """Take the branch that is decided."""
        node.test = self.visit(node.test)
        test = self.known(node.test)
        if test is not UNKNOWN:
            return self.visit(node.body if test else node.orelse)  # type: ignore[no-any-return]
        self.generic_visit(node)
        return node

    def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt]:
        """Take the branch that is decided; the other may name what does not exist."""
        node.test = self.visit(node.test)
        test = self.known(node.test)
        if test is UNKNOWN:
            self.generic_visit(node)
            return node
        return self.visit_all(node.body if test else node.orelse)

    def visit_all(self, nodes: list[ast.stmt]) -> list[ast.stmt]:
        """Visit statements, each of which may become several."""
        statements: list[ast.stmt] = []
        for node in nodes:
            new = self.visit(node)
            statements += new if isinstance(new, list) else [new]
        return statements
