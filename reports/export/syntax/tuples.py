"""Named tuples of arrays are taken apart: each field becomes a variable, which costs plain Python less."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import FunctionType
from typing import Any

from joute.engines.kernels.compile import tuples_of
from joute.reports.export.syntax.source_syntax import callee, captured, parsed

# Of each named tuple of a kernel: what it is, and the variable of each field.
Taken = dict[str, tuple[type, dict[str, str]]]


def taken_apart(kernel: Any) -> tuple[ast.FunctionDef, Taken]:
    """Return the syntax tree of a kernel, its named tuples taken apart: for the signature `flat`; and these."""
    function: FunctionType = getattr(kernel, "py_func", kernel)
    node = parsed(function)
    assert isinstance(node, ast.FunctionDef), f"{function.__qualname__} is not a def"
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    names |= {argument.arg for argument in node.args.args}
    tuples: Taken = {}
    arguments = []
    for argument, tuple_ in zip(node.args.args, tuples_of(kernel.signature), strict=True):
        if tuple_ is None:
            arguments.append(argument)
            continue
        fields: Any = tuple_
        own = {
            field: f"{argument.arg}_{field}" if field in names else field
            for field in fields._fields
        }
        tuples[argument.arg] = tuple_, own
        names |= {*own.values()}
        arguments += [ast.arg(name) for name in own.values()]
    node.args.args = arguments
    node.body = [part for part in node.body if not makes(part, dict(captured(function)), tuples)]
    variables = {name: own for name, (_, own) in tuples.items()}
    return ast.fix_missing_locations(TakeApart(variables).visit(node)), tuples


def makes(part: ast.stmt, known: Mapping[str, Any], tuples: Taken) -> bool:
    """Whether a statement makes a named tuple of variables; then they are noted as its fields."""
    if not (isinstance(part, ast.Assign) and isinstance(part.value, ast.Call)):
        return False
    target, tuple_ = part.targets[0], callee(part.value.func, known)
    if not (isinstance(target, ast.Name) and hasattr(tuple_, "_fields")):
        return False
    names = [argument.id for argument in part.value.args if isinstance(argument, ast.Name)]
    tuples[target.id] = tuple_, dict(zip(tuple_._fields, names, strict=True))
    return True


class TakeApart(ast.NodeTransformer):
    """Replaces named tuples by the variables of their fields."""

    def __init__(self, variables: Mapping[str, Mapping[str, str]]) -> None:
        self.variables = variables

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Replace a field by its variable."""
        if isinstance(node.value, ast.Name) and node.value.id in self.variables:
            return ast.copy_location(
                ast.Name(self.variables[node.value.id][node.attr], node.ctx), node
            )
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        """Hand on the fields."""
        self.generic_visit(node)
        arguments: list[ast.expr] = []
        for argument in node.args:
            if isinstance(argument, ast.Name) and argument.id in self.variables:
                names = self.variables[argument.id].values()
                arguments += [ast.Name(name, ast.Load()) for name in names]
            else:
                arguments.append(argument)
        node.args = arguments
        return node
