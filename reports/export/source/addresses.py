"""Which variables of a kernel are added up to an index: their values are small, or it is outside."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from joute.reports.export.source.source_syntax import callee, captured
from joute.reports.export.source.tuples import kernel_syntax


def addresses(body: Iterable[ast.stmt], known: Mapping[str, Any]) -> set[str]:
    """Return the names that reach an index by sums and products, here or in a kernel called."""
    nodes = [node for statement in body for node in ast.walk(statement)]
    names = set[str]()
    for node in nodes:
        if isinstance(node, ast.Subscript):
            names |= set(added(node.slice, known))
        elif isinstance(node, ast.Call):
            kernel = callee(node.func, known)
            if hasattr(kernel, "signature"):
                for argument, is_address in zip(node.args, parameters(kernel), strict=False):
                    names |= set(added(argument, known)) if is_address else set()
    while True:
        more = set(names)
        for node in nodes:
            for target, value in assigned(node):
                if isinstance(target, ast.Name) and target.id in names:
                    more |= set(added(value, known))
        if more == names:
            return names
        names = more


def assigned(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the targets of an assignment, each with its value."""
    if isinstance(node, ast.AugAssign | ast.AnnAssign):
        if node.value is not None:
            yield node.target, node.value
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                yield from zip(target.elts, node.value.elts, strict=True)
            else:
                yield target, node.value


def added(node: ast.expr, known: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names in a sum."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult):
        yield from added(node.left, known)
        yield from added(node.right, known)
    elif isinstance(node, ast.IfExp):
        yield from added(node.body, known)
        yield from added(node.orelse, known)
    elif isinstance(node, ast.Call) and callee(node.func, known) in (np.uint64, np.int64):
        yield from added(node.args[0], known)


_parameters: dict[Any, list[bool]] = {}


def parameters(kernel: Any) -> list[bool]:
    """Return for each parameter of a kernel whether it is an address."""
    function = getattr(kernel, "py_func", kernel)
    if function not in _parameters:
        node = kernel_syntax(kernel)
        names = addresses(node.body, dict(captured(function)))
        _parameters[function] = [argument.arg in names for argument in node.args.args]
    return _parameters[function]
