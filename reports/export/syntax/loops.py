"""Loop variables of their own: a name that is used again for something else gets a second one."""

from __future__ import annotations

import ast


def rename_loops(node: ast.FunctionDef) -> None:
    """Give every loop over numbers a variable that nothing outside the loop uses."""
    for number, loop in enumerate(n for n in ast.walk(node) if isinstance(n, ast.For)):
        if not isinstance(loop.target, ast.Name):
            continue
        name = loop.target.id
        inside = [n for n in ast.walk(loop) if isinstance(n, ast.Name) and n.id == name]
        own = {id(n) for n in inside}
        outside = [
            n
            for n in ast.walk(node)
            if isinstance(n, ast.Name) and n.id == name and id(n) not in own
        ]
        stored = sum(isinstance(n.ctx, ast.Store) for n in inside)
        if outside and stored == 1 and not read_after(loop, outside):
            for n in inside:
                n.id = f"{name}_{number}"


def read_after(loop: ast.For, outside: list[ast.Name]) -> bool:
    """Whether the value that a loop leaves in its variable may be read."""
    after = [n for n in outside if n.lineno > (loop.end_lineno or 0)]
    first = min((n.lineno for n in after), default=0)
    return any(isinstance(n.ctx, ast.Load) for n in after if n.lineno == first)
