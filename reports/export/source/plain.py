"""Python code around kernels that are written for Python's own numbers: lists for numpy's arrays."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import numpy as np

from joute.engines.searches.mcts.tree import reserved
from joute.reports.export.syntax.source_syntax import Unplain, callee

CODES: dict[Any, str] = {np.uint64: "Q", np.int64: "q"}  # of Python's module array
METHODS = {"all", "any", "astype", "fill", "item", "reshape", "sum", "view"}


class Lists(ast.NodeTransformer):
    """Makes lists where numpy's arrays are made; raises Unplain for what else is done with numpy."""

    def __init__(self, known: Mapping[str, Any]) -> None:
        self.known = known

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Refuse a function that makes an array and calls its methods."""
        parts = list(ast.walk(node))
        numpy = any(isinstance(p, ast.Name) and self.known.get(p.id) is np for p in parts)
        methods = {p.attr for p in parts if isinstance(p, ast.Attribute)} & METHODS
        if numpy and methods:
            raise Unplain(f"the methods {', '.join(sorted(methods))} of arrays in {node.name}")
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Replace a call of numpy's, and an array's `tolist`."""
        if isinstance(node.func, ast.Attribute) and node.func.attr == "tolist" and not node.args:
            return called("list", self.visit(node.func.value))
        function = callee(node.func, self.known)
        if function in (np.zeros, np.empty, np.array, reserved):
            kind = callee(node.args[1], self.known) if len(node.args) > 1 else np.float64
            first = self.visit(node.args[0])
            if function is np.array:
                made = called("map", ast.Name("float" if kind is np.float64 else "int"), first)
                return called("list", made)
            return called("zeros", ast.Constant(CODES.get(kind, "d")), first)
        if function is np.errstate:
            return called("quiet")
        if function in (np.uint64, np.int64, np.float64):
            node.func = ast.Name("float" if function is np.float64 else "int")
        self.generic_visit(node)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        """Let an array take a part of a list, and a list one of an array."""
        self.generic_visit(node)
        target = node.targets[0]
        if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
            array = deepcopy(target.value)
            for part in ast.walk(array):
                if hasattr(part, "ctx"):
                    part.ctx = ast.Load()
            node.value = called("like", array, node.value)
        return node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """Refuse what is left of numpy."""
        if self.known.get(node.id) is np:
            raise Unplain("numpy")
        return node


def list_of(array: np.ndarray[Any, Any]) -> str:
    """Return an array as a list."""
    if array.ndim != 1:
        raise Unplain("an array of several dimensions")
    return repr(array.tolist()).replace(" ", "")


def called(name: str, *arguments: ast.expr) -> ast.Call:
    """Return a call of a function by its name."""
    return ast.Call(ast.Name(name), list(arguments), [])
