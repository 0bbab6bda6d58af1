"""Texts with placeholders: `--k {k}`; `{{` and `}}` stand for braces."""

from __future__ import annotations

import re
from collections.abc import Mapping

from joute.engines.errors import Refused
from joute.engines.parameter import Value, text_of

TOKEN = re.compile(r"\{\{|\}\}|\{([A-Za-z_]\w*)\}|[{}]")


def names_in(text: str) -> list[str]:
    """Return the names of the placeholders, in the order in which they first come."""
    return list(dict.fromkeys(m[1] for m in TOKEN.finditer(text) if m[1]))


def check(text: str, where: str) -> None:
    """Raise Refused for a single brace."""
    for match in TOKEN.finditer(text):
        if match[0] in ("{", "}"):
            near = text[max(0, match.start() - 10) : match.start() + 10]
            raise Refused(
                f"{where}: a lone {match[0]!r} near {near!r}; allowed: {{name}}, or doubled braces"
            )


def fill(text: str, values: Mapping[str, Value]) -> str:
    """Return the text with the placeholders' values in canonical decimal text."""

    def one(match: re.Match[str]) -> str:
        return text_of(values[match[1]]) if match[1] else match[0][0]

    return TOKEN.sub(one, text)
