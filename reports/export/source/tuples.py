"""Named tuples of arrays are taken apart: each field becomes a variable, which costs plain Python less."""

from __future__ import annotations

import ast
from types import FunctionType
from typing import Any

from joute.engines.kernels.compile import tuples_of
from joute.reports.export.source.source_syntax import callee, captured, parsed


def kernel_syntax(kernel: Any) -> ast.FunctionDef:
    """Return the syntax tree of a kernel, its named tuples taken apart: for the signature `flat`."""
    function: FunctionType = getattr(kernel, "py_func", kernel)
    node = parsed(function)
    assert isinstance(node, ast.FunctionDef), f"{function.__qualname__} is not a def"
    given = zip(node.args.args, tuples_of(kernel.signature), strict=True)
    fields = {argument.arg: fields_of(tuple_) for argument, tuple_ in given if tuple_ is not None}
    known = dict(captured(function))
    for part in ast.walk(node):
        if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name):
            made = callee(part.value.func, known) if isinstance(part.value, ast.Call) else None
            if hasattr(made, "_fields"):
                fields[part.targets[0].id] = fields_of(made)
    node.args.args = [
        ast.arg(name)
        for argument in node.args.args
        for name in apart(argument.arg, fields.get(argument.arg, ()))
    ]
    return ast.fix_missing_locations(TakeApart(fields).visit(node))  # type: ignore[no-any-return]


def fields_of(tuple_: Any) -> tuple[str, ...]:
    """Return the names of a named tuple's fields."""
    return tuple(tuple_._fields)


def apart(name: str, fields: tuple[str, ...]) -> list[str]:
    """Return the variables in the place of one: those of its fields, if it has any."""
    return [f"{name}_{field}" for field in fields] or [name]


class TakeApart(ast.NodeTransformer):
    """Replaces named tuples by the variables of their fields; `fields` has those of each variable."""

    def __init__(self, fields: dict[str, tuple[str, ...]]) -> None:
        self.fields = fields

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Replace a field by its variable."""
        if isinstance(node.value, ast.Name) and node.attr in self.fields.get(node.value.id, ()):
            return ast.copy_location(ast.Name(f"{node.value.id}_{node.attr}", node.ctx), node)
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        """Hand on the fields."""
        self.generic_visit(node)
        node.args = [
            part
            for argument in node.args
            for part in (self.names(argument, ast.Load()) or [argument])
        ]
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        """Give each field its value where a tuple is made."""
        names = self.names(node.targets[0], ast.Store())
        if names:
            assert isinstance(node.value, ast.Call)
            target, values = ast.Tuple(names, ast.Store()), ast.Tuple(node.value.args, ast.Load())
            return ast.copy_location(ast.Assign([target], values), node)
        self.generic_visit(node)
        return node

    def names(self, node: ast.expr, context: ast.expr_context) -> list[ast.expr]:
        """Return the variables of a named tuple's fields; none for what is no such tuple."""
        if not isinstance(node, ast.Name) or node.id not in self.fields:
            return []
        return [ast.Name(name, context) for name in apart(node.id, self.fields[node.id])]
