"""Source text made shorter: no docstrings, one blank for every level, no empty lines."""

from __future__ import annotations

import ast
import re


def shrunk(text: str) -> str:
    """Return the same program in fewer characters."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            del node.body[0]
            node.body = node.body or [ast.Pass()]
    lines = [line for line in ast.unparse(tree).splitlines() if line.strip()]
    short = "\n".join(re.sub("^ +", lambda m: " " * (len(m[0]) // 4), line) for line in lines)
    assert ast.dump(ast.parse(short)) == ast.dump(tree), "a text of several lines"
    return short + "\n"
