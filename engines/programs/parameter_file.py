"""A file with a program's parameters, by its ending: JSON, TOML, or lines `name = value`.

It is flat and holds numbers and texts alone; a float of whole value is written as one, 1.0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from joute.engines.data import parse_json, parse_toml, read_text
from joute.engines.errors import Refused, cut, nearest
from joute.engines.parameter import Value, text_of

LINES = (".txt", ".ini", ".cfg")
ENDINGS = (".json", ".toml", *LINES)
LARGEST = 1e300  # a number in a file, either way
COMMENTS = ("#", ";")


def check_name(text: str) -> None:
    """Raise Refused for a name that is not that of such a file below the current folder."""
    path = PurePosixPath(text)
    if path.is_absolute() or ".." in path.parts or not path.name:
        raise Refused(
            f"file = {cut(text)!r} leaves the folder; allowed: a name like params.json, relative, without .."
        )
    if path.suffix not in ENDINGS:
        raise Refused(
            f"file = {cut(text)!r} ends in {path.suffix!r}; allowed: {', '.join(ENDINGS)}"
            f"{nearest(path.suffix, ENDINGS)}"
        )


def text_in(name: str, values: Mapping[str, Value]) -> str:
    """Return the text of a file of that name which holds the values."""
    ending = PurePosixPath(name).suffix
    if ending == ".json":
        return json.dumps(dict(values), indent=2, ensure_ascii=False) + "\n"
    if ending == ".toml":
        import tomli_w

        return tomli_w.dumps(dict(values))
    return "".join(f"{name} = {_plain(value)}\n" for name, value in values.items())


def _plain(value: Value) -> str:
    text = text_of(value)
    return f"{text}.0" if isinstance(value, float) and "." not in text else text


def values_in(path: Path) -> dict[str, Value]:
    """Return the values of a file; raise Refused, in one line, for one that holds anything else."""
    try:
        table = _read(path.suffix, read_text(path))
    except (OSError, ValueError) as error:
        raise Refused(
            f"{path}: cannot be read as {path.suffix[1:]}: {cut(' '.join(str(error).split()))}"
        ) from None
    if not isinstance(table, dict):
        raise Refused(f"{path}: holds no table; allowed: names with numbers and texts")
    for name, value in table.items():
        fits = isinstance(value, str) or (_is_number(value) and abs(value) <= LARGEST)
        if not fits:
            shown = cut(json.dumps(value, default=str), 40)
            raise Refused(
                f"{path}: {cut(name, 40)} = {shown} is neither a number up to {LARGEST:g} nor a text; such a file holds those alone"
            )
        if not name.isidentifier():
            raise Refused(
                f"{path}: {cut(name, 40)!r} is not a name; allowed: letters, digits and '_'"
            )
    return table


def _read(ending: str, text: str) -> Any:
    if ending == ".json":
        return parse_json(text)
    if ending == ".toml":
        return parse_toml(text)
    table: dict[str, Value] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith(COMMENTS):
            continue
        name, equals, value = (part.strip() for part in line.partition("="))
        if not equals:
            raise ValueError(f"line {number}, {cut(line.strip(), 40)!r}, is not name = value")
        table[name] = number_or_text(value)
    return table


def number_or_text(text: str) -> Value:
    """Return the number that a text is, whole or floating as it is written, or the text."""
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    if re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", text):
        return float(text)
    return text


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
