"""Classes as text, with the methods and constants that somebody mentions and no others."""

from __future__ import annotations

import ast
import inspect
import sys
from abc import ABC
from types import FunctionType
from typing import Any, NamedTuple, Protocol

from joute.engines.registry import Member
from joute.reports.export.syntax.source_syntax import parsed

LEFT_OUT = (object, ABC, tuple, Member)  # as bases


class Writer(Protocol):
    """What is used of the writer, which follows values to all they need."""

    needed: Any

    def ref(self, value: Any, hint: str, where: str) -> str:
        """Return the expression for a value."""

    def kind(self, kind: type, own: frozenset[str]) -> str:
        """Return the name of a class of objects."""

    def function(self, node: ast.FunctionDef, function: FunctionType, fold: bool) -> None:
        """Rewrite a function so that it stands alone."""


def class_text(writer: Writer, kind: type, mark: str, own: frozenset[str]) -> str:
    """Return the text of a class under the name `mark`.

    Where nobody calls the class its objects are made from their attributes: then it has no special
    methods, and what is among the objects' `own` attributes is not the class's.
    """
    node = parsed(kind)
    assert isinstance(node, ast.ClassDef)
    scope, where = vars(sys.modules[kind.__module__]), f"{kind.__module__}.{kind.__qualname__}"
    tuple_ = hasattr(kind, "_fields")
    called = kind in writer.needed.called
    bases = [base(writer, b, own, called, where) for b in kind.__bases__ if b not in LEFT_OUT]
    if tuple_:
        bases.append(writer.ref(NamedTuple, "NamedTuple", where))
    node.name, node.keywords = mark, []
    node.bases = [ast.Name(b, ast.Load()) for b in bases]
    for decorator in node.decorator_list:
        resolve(writer, decorator, scope, where)
    fields = tuple_ or bool(node.decorator_list)
    parts = [one for part in node.body for one in single(part)]
    body = [new for part in parts if (new := kept(writer, part, kind, own, fields))]
    node.body = body or [ast.Pass()]
    return ast.unparse(ast.fix_missing_locations(node))


def base(writer: Writer, kind: type, own: frozenset[str], called: bool, where: str) -> str:
    """Return the name of a base of a class, which is called if that is."""
    if called or kind.__module__.partition(".")[0] in sys.stdlib_module_names:
        return writer.ref(kind, kind.__name__, where)
    return writer.kind(kind, own)


def single(part: ast.stmt) -> list[ast.stmt]:
    """Return a part of a class's body, `a, b = 1, 2` as two assignments."""
    if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Tuple):
        return [ast.Assign([target], part.value) for target in part.targets[0].elts]
    return [part]


def kept(
    writer: Writer, part: ast.stmt, kind: type, own: frozenset[str], fields: bool
) -> ast.stmt | None:
    """Return a part of a class's body as it is written, or None if it is not."""
    if isinstance(part, ast.Expr):
        return part  # the docstring
    if isinstance(part, ast.FunctionDef):
        return method(writer, part, kind) if wanted(writer, part.name, kind, own) else None
    if isinstance(part, ast.AnnAssign) and fields:
        part.annotation = ast.Name("object", ast.Load())
        return part
    if not isinstance(part, ast.AnnAssign | ast.Assign) or part.value is None:
        return None
    target = part.target if isinstance(part, ast.AnnAssign) else part.targets[0]
    name = target.id if isinstance(target, ast.Name) else ""
    if name != "__slots__" and not wanted(writer, name, kind, own):
        return None
    value = writer.ref(vars(kind)[name], name, f"{kind.__qualname__}.{name}")
    return ast.Assign([ast.Name(name)], ast.Name(value))


def wanted(writer: Writer, name: str, kind: type, own: frozenset[str]) -> bool:
    """Whether a class's method or constant is needed."""
    called = kind in writer.needed.called
    if getattr(vars(kind).get(name), "__isabstractmethod__", False) or (name in own and not called):
        return False
    if name.startswith("__") and name.endswith("__"):
        return called
    return name in writer.needed.attributes


def method(writer: Writer, node: ast.FunctionDef, kind: type) -> ast.FunctionDef:
    """Return a method that stands alone, whatever decorates it."""
    value = vars(kind)[node.name]
    function = getattr(value, "__func__", value)
    function = getattr(function, "fget", None) or getattr(function, "func", function)
    writer.function(node, inspect.unwrap(function), fold=False)
    return node


def resolve(writer: Writer, node: ast.expr, scope: dict[str, Any], where: str) -> None:
    """Replace the names in a decorator of a class."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and inner.id in scope:
            inner.id = writer.ref(scope[inner.id], inner.id, where)
