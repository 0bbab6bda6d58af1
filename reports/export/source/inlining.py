"""Kernels of one expression, written where they are called: a call costs Python as much as they do."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import NamedTuple

from joute.reports.export.source.ranges import Type

PURE = {"int", "float", "min", "max", "abs", "len", "bool", "popcount"}


class Inline(NamedTuple):
    """A kernel's parameters and what it is: an expression of a type, or one statement, or nothing."""

    parameters: list[str]
    body: ast.expr | ast.stmt | None
    type: Type


def expression(body: Sequence[ast.stmt]) -> ast.expr | None:
    """Return the one expression that a body of `if`s and `return`s is, if it is such."""
    if not body:
        return None
    first, rest = body[0], body[1:]
    if isinstance(first, ast.Return) and first.value is not None:
        return raw(first)
    if isinstance(first, ast.If):
        then, other = expression(first.body), expression(first.orelse or rest)
        if then is not None and other is not None:
            return ast.IfExp(first.test, then, other)
    return None


def raw(node: ast.Return) -> ast.expr:
    """Return the value of a `return` before its last conversion."""
    value = getattr(node, "raw", node.value)
    assert isinstance(value, ast.expr)
    return value


def pure(node: ast.AST) -> bool:
    """Whether it does not matter how often, and when, an expression is computed."""
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
    named = any(isinstance(n, ast.NamedExpr) for n in ast.walk(node))
    return not named and all(isinstance(c.func, ast.Name) and c.func.id in PURE for c in calls)


def evaluated(node: ast.AST, always: bool = True) -> Iterator[tuple[ast.Name, bool]]:
    """Yield the names in the order in which they are read, and whether they are read in any case."""
    if isinstance(node, ast.Name):
        yield node, always
    elif isinstance(node, ast.IfExp):
        yield from evaluated(node.test, always)
        yield from evaluated(node.body, False)
        yield from evaluated(node.orelse, False)
    elif isinstance(node, ast.BoolOp):
        yield from evaluated(node.values[0], always)
        for value in node.values[1:]:
            yield from evaluated(value, False)
    else:
        for part in ast.iter_child_nodes(node):
            yield from evaluated(part, always)


class Replace(ast.NodeTransformer):
    """Replaces names by expressions, the first time maybe by another one."""

    def __init__(self, first: dict[ast.Name, ast.expr], others: dict[str, ast.expr]) -> None:
        self.first, self.others = first, others

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace."""
        if node in self.first:
            return self.first[node]
        return deepcopy(self.others.get(node.id, node))


def inlined(
    inline: Inline, arguments: Sequence[ast.expr], temporary: Sequence[str]
) -> ast.expr | ast.stmt | None:
    """Return the body with arguments for parameters; None where it cannot be written so.

    An argument that is no name and is needed again is kept under one of the `temporary` names.
    """
    body = deepcopy(inline.body)
    if body is None or not all(map(pure, arguments)):
        return None
    read = list(evaluated(body))
    first: dict[ast.Name, ast.expr] = {}
    others: dict[str, ast.expr] = {}
    for name, argument, temp in zip(inline.parameters, arguments, temporary, strict=False):
        uses = [(node, always) for node, always in read if node.id == name]
        others[name] = argument
        if len(uses) > 1 and not isinstance(argument, ast.Name | ast.Constant):
            if not uses[0][1]:
                return None
            others[name] = ast.Name(temp, ast.Load())
            first[uses[0][0]] = ast.NamedExpr(ast.Name(temp, ast.Store()), argument)
    return Replace(first, others).visit(body)  # type: ignore[no-any-return]
