"""Functions and classes as syntax trees, and the names that their code takes from outside."""

from __future__ import annotations

import ast
import dis
import functools
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any

import numpy as np


class Unwritable(TypeError):
    """Something that cannot be written to a file; the message says what, and where it is used."""


class Unplain(TypeError):
    """Something that cannot be written for Python's own numbers."""


class Plain(ast.NodeTransformer):
    """Drops what only a type checker reads."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Drop the type of the result."""
        node.returns = None
        self.generic_visit(node)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """Drop the type of an argument."""
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        """Keep the assignment."""
        self.generic_visit(node)
        new = ast.Assign([node.target], node.value) if node.value else ast.Pass()
        return ast.copy_location(new, node)


class Convert(ast.NodeTransformer):
    """Calls the file's own `uint64` and `int64` where numpy's are called, by whatever name.

    Constants that are numpy's become names: `named(number)` returns one.
    """

    def __init__(self, known: Mapping[str, Any], named: Callable[[np.generic], str]) -> None:
        self.known, self.named = known, named

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """Name a number."""
        number: Any = node.value
        return ast.Name(self.named(number)) if isinstance(number, np.generic) else node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        """Rename the callee."""
        self.generic_visit(node)
        function = callee(node.func, self.known)
        if function in (np.uint64, np.int64):
            node.func = ast.Name(function.__name__, ast.Load())
        return node


def callee(node: ast.expr, known: Mapping[str, Any]) -> Any:
    """Return what a name, or an attribute of numpy, means, if it is known; else None."""
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return getattr(np, node.attr, None) if known.get(node.value.id) is np else None
    return None


@functools.cache
def source_of(thing: Any) -> str:
    """Return the source text of a function or class."""
    return textwrap.dedent(inspect.getsource(thing))


def parsed(thing: Any) -> ast.stmt:
    """Return the syntax tree of a function or class."""
    return ast.parse(source_of(thing)).body[0]


def names_of(code: CodeType) -> tuple[set[str], set[str]]:
    """Return the names that code takes from outside, and those of its own, inner functions included."""
    local = {*code.co_varnames, *code.co_cellvars}
    free = set(code.co_freevars)
    free |= {str(i.argval) for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL"}
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            more, own = names_of(inner)
            free |= more - {*inner.co_freevars} | ({*inner.co_freevars} - local)
            local |= own
    return free, local


def captured(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield every global of a function's module, then what it captures, builtins left out."""
    yield from function.__globals__.items()
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        if name != "__class__":
            yield name, cell.cell_contents


def wish(number: np.generic) -> str:
    """Return a name for a number: u4, i0, f0_5."""
    plain = number.item()
    digits = hex(plain) if isinstance(plain, int) and plain > 99_999 else repr(plain)
    return number.dtype.kind + re.sub(r"\W", "_", digits)
