"""Colours of players in texts for a terminal, and the same texts as HTML.

Okabe and Ito's colours, told apart by the colour-blind, as the nearest of a terminal's 256; bold,
and readable on white and on black. Text that is painted says the same without its colours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

PLAYERS = (32, 166, 36, 175)  # blue, vermilion, bluish green, reddish purple
RESET = "\x1b[0m"
CODE = re.compile(r"\x1b\[([0-9;]*)m")
PAINT = re.compile(rf"1;38;5;({'|'.join(map(str, PLAYERS))})")


def paint(text: str, player: int) -> str:
    """Return the text in the colour of a player, 0 to 3."""
    return f"\x1b[1;38;5;{PLAYERS[player]}m{text}{RESET}"


def plain(text: str) -> str:
    """Return the text without colours."""
    return CODE.sub("", text)


def harmless(text: str) -> str:
    """Return a text with ? for every sign that is not printable, ends of lines apart: foreign files may
    hold such as steer a terminal.
    """
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "?" for sign in text)


def html(text: str) -> str:
    """Return the text as HTML, with spans of class p0 to p3 for colours of `paint`; other codes go.

    Neighbours of one colour, at most spaces apart, share a span.
    """
    runs: list[tuple[int | None, str]] = []
    for player, part in _runs(text):
        if (
            len(runs) > 1
            and player == runs[-2][0]
            and runs[-1][0] is None
            and runs[-1][1].isspace()
        ):
            part = runs[-2][1] + runs[-1][1] + part
            del runs[-2:]
        runs.append((player, part))
    return "".join(
        escape(part) if player is None else f'<span class="p{player}">{escape(part)}</span>'
        for player, part in runs
    )


def _runs(text: str) -> Iterator[tuple[int | None, str]]:
    """Yield the parts of a text that are not empty, each with its player or None."""
    player: int | None = None
    end = 0
    for code in CODE.finditer(text):
        if part := text[end : code.start()]:
            yield player, part
        match = PAINT.fullmatch(code[1])
        player = PLAYERS.index(int(match[1])) if match else None
        end = code.end()
    if end < len(text):
        yield player, text[end:]
