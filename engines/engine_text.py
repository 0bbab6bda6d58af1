"""The text of an engine, `game[options]/search:name=value,...`, taken apart; and engines in files.

Files that `joute export` writes as json or toml are accepted in place of an engine's text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from joute.engines.data import parse_json, parse_toml, read_text
from joute.engines.errors import Refused, cut

GAME = re.compile(r"^\s*([A-Za-z_][\w-]*)\s*(?:\[(.*)\])?\s*$")
QUOTED = re.compile(r'"(?:[^"\\]|\\["\\])*"')
ESCAPED = re.compile(r'\\(["\\])')


def split_options(text: str, where: str) -> dict[str, str]:
    """Split `a=1,b="x, y"`; raise Refused on what is not name=value or comes twice.

    Double quotes hold commas; within them, a backslash escapes a quote or a backslash.
    """
    options: dict[str, str] = {}
    for part in filter(None, (p.strip() for p in split_outside(text, ","))):
        name, equals, value = (x.strip() for x in part.partition("="))
        if not equals or not name or not value:
            raise Refused(f"{where}: {part!r} is not of the form name=value")
        if name in options:
            raise Refused(f"{where}: {name} is given twice")
        if '"' in value:
            if not QUOTED.fullmatch(value):
                raise Refused(f'{where}: {part!r} is not of the form name="..."')
            value = ESCAPED.sub(r"\1", value[1:-1])
        options[name] = value
    return options


def split_outside(text: str, mark: str) -> list[str]:
    """Split a text at every `mark` that is outside double quotes and brackets."""
    parts, begun, quoted, depth, i = [], 0, False, 0, 0
    while i < len(text):
        c = text[i]
        if quoted:
            i += c == "\\"
            quoted = c != '"'
        elif c == '"':
            quoted = True
        elif c in "[]":
            depth += 1 if c == "[" else -1
        elif c == mark and depth == 0:
            parts.append(text[begun:i])
            begun = i + 1
        i += 1
    return [*parts, text[begun:]]


def split_engine(text: str) -> tuple[str, str, str]:
    """Return game (empty where it is left out), search and arguments of an engine's text."""
    head = split_outside(text, ":")[0]
    game, *rest = split_outside(head, "/")
    arguments = text[len(head) + 1 :]
    return (game, "/".join(rest), arguments) if rest else ("", head, arguments)


def shortened(text: str, most: int = 200) -> str:
    """Return an engine's text for a heading, of about so many characters: long values without their middle,
    the first settings and the last (its limit), and how many are between them.
    """
    game, search, arguments = split_engine(text)
    if len(text) <= most or not arguments:
        return cut(text, most)
    head = f"{cut(game, most // 3)}/{search}:" if game else f"{search}:"
    *first, last = (cut(one, most // 4) for one in split_outside(arguments, ","))
    room, count = most - len(head) - len(last), len(first)
    while first and sum(len(one) + 1 for one in first) > room:
        first.pop()
    left = [f"... {count - len(first)} more ..."] if len(first) < count else []
    return head + ",".join([*first, *left, last])


def names_game(text: str) -> bool:
    """Whether the text of an engine includes its game."""
    return split_engine(text)[0] != ""


ENDINGS = (".json", ".toml")


def is_file(text: str) -> bool:
    """Whether the text of an engine is the path of a file that holds one."""
    return text.endswith(ENDINGS)


def is_other_file(text: str) -> bool:
    """Whether a text is the path of a file that describes no engine, such as a bot that was exported."""
    return ":" not in text and os.path.isfile(text)


def plugins_of_file(path: str) -> list[str]:
    """Return the names of the plugin files that an engine's file requires."""
    plugins = data_of_file(path).get("plugins", [])
    return [str(name) for name in plugins] if isinstance(plugins, list) else []


def engine_text(path: str) -> str:
    """Return the text of the engine that a file holds; raise Refused if it holds none."""
    data = data_of_file(path)
    text = data.get("engine")
    if not isinstance(text, str) or "joute" not in data or "/" not in text or is_file(text):
        why = "no engine = ... in it"
        if is_study(data):
            why = f"it is a study: joute run {path} plays it, joute check {path} checks its engines"
        raise Refused(f"{path}: is not an engine that joute export wrote ({why})")
    return text


def is_study(data: Mapping[str, Any]) -> bool:
    """Whether the content of a file is that of a study."""
    return "joute" not in data and isinstance(data.get("kind"), str)


def data_of_file(path: str) -> dict[str, Any]:
    """Return the content of an engine's file; raise Refused where it cannot be read."""
    file = Path(path)
    try:
        raw = read_text(file)
        data = parse_json(raw) if path.endswith(".json") else parse_toml(raw)
    except FileNotFoundError:
        raise Refused(f"{path}: no such file (an engine that joute export wrote)") from None
    except OSError as error:
        raise Refused(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        kind = file.suffix[1:].upper()
        raise Refused(f"{path}: is damaged, not {kind}: {error}") from None
    return data if isinstance(data, dict) else {}
