"""How a message asks for plugins: as options of the command that was typed, or in a call of Python."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from shlex import quote

_typed = False  # in all threads: whether this process carries out a command


@contextmanager
def command_line() -> Iterator[None]:
    """Ask for options of the command in the meantime."""
    global _typed
    before, _typed = _typed, True
    try:
        yield
    finally:
        _typed = before


def plugins_of_run(paths: Sequence[str], where: str = "") -> str:
    """Return how to give plugins to what reads a run; `where`: where the options of a command stand."""
    if _typed:
        return plugins_of(paths) + where
    return f"joute.load(folder, {_argument(paths)})"


def plugins_of(paths: Sequence[str]) -> str:
    """Return how to give plugins to a command or a call."""
    if _typed:
        return f"add {' '.join(f'--plugin {quote(path)}' for path in paths)}"
    return f"add {_argument(paths)}"


def _argument(paths: Sequence[str]) -> str:
    return f"plugins={json.dumps(list(paths))}"
