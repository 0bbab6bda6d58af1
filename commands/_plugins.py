"""Plugins that a person names once: in `joute.toml` of the current folder, or in JOUTE_PLUGINS."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from shlex import quote

import click

FILE = "joute.toml"
VARIABLE = "JOUTE_PLUGINS"


def load_plugins(given: Sequence[str]) -> None:
    """Load the plugins that joute.toml, JOUTE_PLUGINS and `--plugin` name; raise Refused saying which
    of them named one that cannot be loaded.
    """
    from_file = named_in_file(Path(FILE))
    from_variable = [p for p in os.environ.get(VARIABLE, "").split(os.pathsep) if p]
    if not (from_file or from_variable or given):
        return
    from engines.errors import Refused
    from engines.registry import load_plugin

    for where, paths in ((FILE, from_file), (VARIABLE, from_variable), ("", list(given))):
        for path in paths:
            try:
                load_plugin(path)
            except Refused as error:
                raise Refused(f"{where}: {error}" if where else str(error)) from None


def named_in_file(file: Path) -> list[str]:
    """Return the plugins that a settings file names, none where it does not exist."""
    if not file.is_file():
        return []
    from engines.data import parse_toml, read_text
    from engines.errors import Refused, suggest

    try:
        data = parse_toml(read_text(file))
    except OSError as error:
        raise Refused(f"{file}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise Refused(f"{file}: is not TOML: {error}") from None
    for key in data:
        if key != "plugins":
            raise Refused(f"{file}: {key}: unknown key{suggest(key, ['plugins'])}")
    found = data.get("plugins", [])
    if not isinstance(found, list) or not all(isinstance(path, str) for path in found):
        raise Refused(f'{file}: plugins: allowed: a list of paths, ["mygame.py"]')
    return found


def program() -> str:
    """Return how this program was started, `joute --plugin mygame.py`, for commands that we print."""
    given = click.get_current_context().find_root().params.get("plugin", ())
    return "joute" + "".join(f" --plugin {quote(path)}" for path in given)
