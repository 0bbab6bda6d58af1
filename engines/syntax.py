"""Reads the classes in the text of a file as a syntax tree: nothing is imported."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE = __name__.partition(".")[0]
ROOT = Path(__file__).resolve().parents[1]
"""The folder of the rooms: that of the package, or of the checkout."""
SURFACE = Path(sys.modules[PACKAGE].__path__[0]) / "__init__.pyi"
"""The names that `from joute import ...` offers."""


def module_of(file: Path) -> str:
    """Return the module's name of a file of ours."""
    return ".".join((PACKAGE, *file.relative_to(ROOT).with_suffix("").parts))


@cache
def tree_of(file: Path) -> ast.Module:
    """Return the syntax tree of a file; raise SyntaxError, ValueError or OSError."""
    return ast.parse(file.read_bytes(), str(file))  # bytes: a mark or a line says the encoding


def literals(node: ast.ClassDef) -> dict[str, Any]:
    """Return the attributes that a class sets to plain values, `a, b = 1, 2` included."""
    values: dict[str, Any] = {}
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and part.value is not None:
            pairs: list[tuple[ast.expr, ast.expr]] = [(part.target, part.value)]
        elif isinstance(part, ast.Assign):
            pairs = [p for target in part.targets for p in _pairs(target, part.value)]
        else:
            continue
        for target, value in pairs:
            try:
                values[getattr(target, "id", "")] = ast.literal_eval(value)
            except (ValueError, TypeError):
                continue
    return values


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return list(zip(target.elts, value.elts, strict=False))
    return [(target, value)]


def announced(file: Path) -> dict[str, str]:
    """Return the kinds that the classes of a file announce, by the class's name."""
    kinds = {}
    for node in tree_of(file).body:
        if isinstance(node, ast.ClassDef):
            for word in node.keywords:
                if word.arg == "kind" and isinstance(word.value, ast.Constant):
                    kinds[node.name] = str(word.value.value)
    return kinds


def kind_of(node: ast.ClassDef, file: Path) -> str:
    """Return the kind of a class, announced by it or by a base; "" if there is none."""
    for word in node.keywords:
        if word.arg == "kind" and isinstance(word.value, ast.Constant):
            return str(word.value.value)
    for base in node.bases:
        kind = _kind_named(ast.unparse(base), file)
        if kind:
            return kind
    return ""


@cache
def _kind_named(name: str, file: Path) -> str:
    """Return the kind of the class that a file knows by a name, maybe by importing it."""
    try:
        body = list(_top(tree_of(file).body))
    except (SyntaxError, ValueError, OSError):
        return ""
    head, _, rest = name.partition(".")
    for node in body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return kind_of(node, file)
        if isinstance(node, ast.ImportFrom | ast.Import):
            for alias in node.names:
                if alias.name == "*":
                    source = _file_of(str(getattr(node, "module", "")), file)
                    if source and (kind := _kind_named(name, source)):
                        return kind
                if (alias.asname or alias.name) == head:
                    of = isinstance(node, ast.ImportFrom)
                    module = str(node.module) if isinstance(node, ast.ImportFrom) else alias.name
                    source = _file_of(module, file)
                    return _kind_named(alias.name if of else rest, source) if source else ""
    return ""


def _top(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a file, those under `if TYPE_CHECKING:` included."""
    for node in body:
        yield node
        if isinstance(node, ast.If):
            yield from _top(node.body)


def _file_of(module: str, near: Path) -> Path | None:
    """Return the file of a module of ours, or of one that lies beside the file that imports it."""
    top, _, inside = module.partition(".")
    if top == PACKAGE and not inside:
        return SURFACE
    root, name = (ROOT, inside) if top == PACKAGE else (near.parent, module)
    path = root.joinpath(*name.split("."))
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if file.is_file():
            return file
    return None
