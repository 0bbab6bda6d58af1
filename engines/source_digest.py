"""The digest of a Python file's code: its syntax without imports, docstrings and comments."""

from __future__ import annotations

import ast
import hashlib
import inspect
from types import ModuleType


def source_digest(module: ModuleType) -> str:
    """Return the digest of a module's source; files that move, and words that explain, change nothing."""
    tree = ast.parse(inspect.getsource(module))
    for node in ast.walk(tree):
        if isinstance(body := getattr(node, "body", None), list):
            rest = [part for part in body if not isinstance(part, ast.Import | ast.ImportFrom)]
            doc = rest and isinstance(rest[0], ast.Expr) and isinstance(rest[0].value, ast.Constant)
            node.body = (rest[1:] if doc else rest) or [ast.Pass()]  # type: ignore[attr-defined]
    return hashlib.sha256(ast.unparse(tree).encode()).hexdigest()
