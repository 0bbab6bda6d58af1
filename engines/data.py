"""Reads TOML or JSON from outside, within bounds; errors are a ValueError of one line."""

from __future__ import annotations

import errno
import gc
import json
import re
import stat
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from joute.engines.errors import Refused

DEEPEST = 50  # levels of lists and tables
WIDEST = 1 << 64  # whole numbers are below that, either way
# A dotted key with more parts than data may have levels: of those the parser's work grows with the square.
LONG_KEY = re.compile(
    r"""(?<![\w.-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*)"""
    f"{{{DEEPEST}}}",
    re.ASCII,
)
LARGEST = 64 << 20  # bytes of a file


def read_text(file: Path, latin: bool = False) -> str:
    """Return the text of a file, without a byte-order mark; raise OSError or UnicodeDecodeError, or,
    with `latin`, take what is not UTF-8 for Latin-1.

    It never waits: pipes and devices are refused.
    """
    about = file.stat()
    if not stat.S_ISREG(about.st_mode):
        raise OSError(errno.EINVAL, "it is not a plain file", str(file))
    if about.st_size > LARGEST:
        raise OSError(errno.EFBIG, f"it has more than {LARGEST:,} bytes", str(file))
    try:
        return file.read_text("utf-8-sig")
    except UnicodeDecodeError:
        if not latin:
            raise
        return file.read_text("latin-1")


def parse_toml(text: str) -> dict[str, Any]:
    """Return the data of a TOML text."""
    deep = f"it is nested more than {DEEPEST} deep"
    if LONG_KEY.search(text):
        raise ValueError(deep)
    try:
        with uncollected():
            data = tomllib.loads(text)
    except RecursionError:
        raise ValueError(deep) from None
    _check(data)
    return data


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep the garbage collector off: where a parser fills the stack its callbacks fail, and say so."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def parse_json(text: str) -> Any:
    """Return the data of a JSON text."""
    data = loose_json(text)
    _check(data)
    return data


def loose_json(text: str) -> Any:
    """Return the data of a JSON text of which little is looked at: its parts are not checked."""
    try:
        with uncollected():
            return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _check(data: Any) -> None:
    """Raise ValueError for data that later readers could not take: depth, endless numbers, NUL."""
    level, depth = [data], 0
    while level:
        depth += 1
        if depth > DEEPEST:
            raise ValueError(f"it is nested more than {DEEPEST} deep")
        below: list[Any] = []
        for part in level:
            if isinstance(part, dict):
                below += [*part, *part.values()]
            elif isinstance(part, list):
                below += part
            elif isinstance(part, str) and "\0" in part:
                raise ValueError("a text in it has the character NUL")
            elif isinstance(part, int) and not -WIDEST < part < WIDEST:
                raise ValueError("a whole number in it has more than 64 bits")
        level = below


def message_of(line: str) -> dict[str, Any]:
    """Return the JSON object of a received line; raise Refused if it holds none."""
    try:
        message = loose_json(line)
    except ValueError as error:
        raise Refused(f"not JSON: {error}") from None
    if not isinstance(message, dict):
        raise Refused("not a JSON object")
    return message
