"""Source text made shorter: no docstrings, no empty lines, no blank that is not needed."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator

WORD = re.compile(r"\w")


def shrunk(text: str) -> str:
    """Return the same program in fewer characters."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            del node.body[0]
            node.body = node.body or [ast.Pass()]
    lines = [line for line in ast.unparse(tree).splitlines() if line.strip()]
    short = "\n".join(re.sub("^ +", lambda m: " " * (len(m[0]) // 4), line) for line in lines)
    short = "\n".join(dense(short))
    assert ast.dump(ast.parse(short)) == ast.dump(tree), "a text of several lines"
    return short + "\n"


def dense(text: str) -> Iterator[str]:
    """Yield the lines of a program, blanks only before a line and between two words."""
    lines, gaps = text.split("\n"), defaultdict[int, list[tuple[int, int]]](list)
    before = None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if before is not None and before.end[0] == token.start[0] and token.start[1]:
            row, start, end = token.start[0], before.end[1], token.start[1]
            line = lines[row - 1]
            word = WORD.match(line[start - 1 : start]) and WORD.match(line[end : end + 1])
            if line[start:end].isspace() and line[:start].strip() and not word:
                gaps[row - 1].append((start, end))
        before = token
    for row, line in enumerate(lines):
        for start, end in reversed(gaps[row]):
            line = line[:start] + line[end:]
        yield line
