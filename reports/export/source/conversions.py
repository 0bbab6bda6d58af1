"""Values of one type taken for another's, and the 64 bits of a word taken out where it matters."""

from __future__ import annotations

import ast
import math
from typing import Any

import numpy as np

from joute.reports.export.source.ranges import B1, F8, I8, SIGNED, U8, WORD, Type, Unplain

Typed = tuple[ast.expr, Type]
CONVERSIONS: dict[Any, Type] = {np.uint64: U8, np.int64: I8, np.float64: F8, np.bool_: B1}


def call(name: str, *arguments: ast.expr) -> ast.Call:
    """Return a call of a function that the file has by this name."""
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def masked(node: ast.expr) -> ast.expr:
    """Return the lowest 64 bits."""
    return ast.BinOp(node, ast.BitAnd(), ast.Constant(WORD))


def clean(node: ast.expr, type_: Type) -> Typed:
    """Mask a value to 64 bits if it may have left them."""
    if type_.kind == "u" and not type_.clean:
        return masked(node), U8
    return node, type_


def convert(node: ast.expr, type_: Type, to: Type) -> ast.expr:
    """Return the value as another type's, as an array or a parameter of that type takes it."""
    node, type_ = clean(node, type_)
    if to.kind == "t":
        if isinstance(node, ast.Tuple):
            parts = zip(node.elts, type_.of, to.of, strict=True)
            return ast.Tuple([convert(*part) for part in parts], ast.Load())
        if [t.kind for t in type_.of] != [t.kind for t in to.of]:
            raise Unplain("a tuple of other types")
        return node
    if to.kind == type_.kind or to.kind in ("x", "void"):
        return node
    if to.kind == "f":
        if isinstance(node, ast.Constant):
            return ast.Constant(float(node.value))  # type: ignore[arg-type]
        return call("float", node)
    if to.kind == "b":
        return node if type_.kind == "w" else call("bool", node)
    if type_.kind == "f":
        node, type_ = call("int", node), Type("i")
    if to.kind == "u":
        return node if type_.clean else masked(node)
    if type_.kind == "u" and type_.high >= SIGNED:
        half = ast.Constant(SIGNED)
        return ast.BinOp(ast.BinOp(node, ast.BitXor(), half), ast.Sub(), half)
    return node


def converted(node: ast.expr, type_: Type, to: Type) -> Typed:
    """Return a value that is explicitly made another type's; words need not be exact yet."""
    if to.kind == type_.kind:
        return node, type_
    if to.kind == "u" and type_.kind in "iwb":
        return node, type_._replace(kind="u")
    node, type_ = clean(node, type_)
    new = convert(node, type_, to)
    if to.kind == "i" and type_.kind in "uwb" and type_.high < SIGNED:
        return new, type_._replace(kind="i")
    return new, to if to.kind != "u" else U8


def constant(value: Any) -> Typed:
    """Return a number as it stands in the text."""
    kind = value.dtype.kind if isinstance(value, np.generic) else ""
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, bool):
        return ast.Constant(plain), B1
    if isinstance(plain, int):
        return ast.Constant(plain), Type(kind or "w", plain, plain)
    if isinstance(plain, float):
        if not math.isfinite(plain):
            return call("float", ast.Constant(str(plain))), F8
        return ast.Constant(plain), F8
    raise Unplain(f"the constant {plain!r}")
