"""The text of an engine that a program would be, for who names the program alone."""

from __future__ import annotations

import os
import re
import shlex

from joute.engines.programs.startable import fault_of
from joute.engines.registry import entries, names

PLAIN = re.compile(r"[\w./+-]+")


def seat_hint(word: str, game: str = "") -> str:
    """Return '; ...' with the text that seats a program, for a file or a name that can be started; else
    nothing. Without a game the text is for any, and the protocols that some games have are named.
    """
    if not starts(word):
        return ""
    seats = [n for n, e in entries("search").items() if e.facts.get("starts")]
    seats = [name for name in seats if not entries("search")[name].facts.get("refereed")]
    ways: dict[str, str] = {}
    for name, entry in entries("protocol").items():
        ways |= {} if entry.facts.get("port") else dict.fromkeys(entry.facts.get("games", ()), name)
    text = f"{game or 'GAME'}/{seats[0]}:command={command_of(word)}"
    if game:
        text += f",protocol={ways[game]}" if game in ways else ""
    elif ways:
        text += f" ({'; '.join(f'for {g} add ,protocol={name}' for g, name in ways.items())})"
    return f"; a program takes part as {text}"


def starts(word: str) -> bool:
    """Whether a word is a file that can be started, or the name of a program."""
    if word and not fault_of(word):
        return True
    if not word or "/" in word or word in names("game") or word in names("search"):
        return False
    return any(not fault_of(os.path.join(folder, word)) for folder in os.get_exec_path())


def command_of(word: str) -> str:
    """Return a program as the value of a command: one that lies here by its path."""
    if "/" not in word and not fault_of(word):
        word = f"./{word}"
    if PLAIN.fullmatch(word):
        return word
    quoted = shlex.quote(word).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{quoted}"'
