"""Writes objects of ours to one file that needs none of our modules: standard library and numpy.

`assemble(roots)` follows what its roots reach: kernels out of their factories, with the tables and
numbers they capture; functions; classes, of which only the methods that somebody mentions; objects,
made again from their attributes. Each is written once, after what it needs, from its own source
text, kernels for Python's own numbers from their typed trees (`python/`). So an exported engine is
the engine's code and no second version of it. Read `writer.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from joute.reports.export.python.kernel_texts import KernelTexts
from joute.reports.export.source.naming import MARK
from joute.reports.export.source.preamble import BRIEF, preamble
from joute.reports.export.source.writer import Needed, Writer
from joute.reports.export.syntax.source_syntax import Unplain, Unwritable
from joute.reports.export.typed.reading import Unreadable

__all__ = ["Unwritable", "assemble"]


def assemble(roots: Mapping[str, Any], uses: Iterable[str] = (), compiled: bool = True) -> str:
    """Return Python source that defines each root under its name, in order, and all they need.

    `uses` are the attributes of roots that the file's reader uses. With `compiled` the kernels are
    compiled by numba where the file finds one; without, the file is for a process of its own, and
    its kernels are written for Python's own numbers if they can be, which is faster.
    Raises Unwritable.
    """
    if not compiled:
        try:
            return text_of(written(roots, uses, plain=True), compiled)
        except (Unplain, Unreadable):
            pass
    return text_of(written(roots, uses), compiled)


def written(roots: Mapping[str, Any], uses: Iterable[str], plain: bool = False) -> Writer:
    """Return the writer that has written the roots and what they need, and nothing that they do not."""
    needed, kernels = Needed(set(uses), set()), KernelTexts() if plain else None
    while True:
        writer = Writer(needed, kernels)
        for name, value in roots.items():
            writer.names.fix(writer.ref(value, name, name), name)
        more = Needed(needed.attributes | writer.found.attributes, writer.found.called)
        if more == needed:
            return writer
        needed = more


def text_of(writer: Writer, compiled: bool) -> str:
    """Return the whole text: imports, the preamble, what was written, with names chosen."""
    if writer.plain:
        writer.modules |= {"array", "contextlib", "math"}
    modules = sorted(writer.modules, key=lambda m: (m in BRIEF, m))
    lines = [f"import {m}" + (f" as {BRIEF[m]}" if m in BRIEF else "") for m in modules]
    writer.names.taken |= {BRIEF.get(m, m.partition(".")[0]) for m in modules}
    text, last = "\n".join(lines) + "\n\n\n", preamble(compiled, writer.plain)
    for part in reached(writer):
        text += last + ("\n" if "\n" not in last + part else "\n\n\n")
        last = part
    return writer.names.resolve(text + last) + "\n"


def reached(writer: Writer) -> list[str]:
    """Return the definitions that the roots need; what was written into its callers is left out."""
    texts, done = dict(writer.items), set[str]()
    left = [mark for mark in texts if writer.names.fixed(mark)]
    while left:
        mark = left.pop()
        if mark not in done:
            done.add(mark)
            left += [m[0] for m in MARK.finditer(texts[mark]) if m[0] in texts]
    return [text for mark, text in writer.items if mark in done]
