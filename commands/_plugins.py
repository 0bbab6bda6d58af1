"""Plugins that a person names once: in `joute.toml` of the current folder, or in JOUTE_PLUGINS."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import Any

import click

from joute.commands._terminal import say

FILE = "joute.toml"
VARIABLE = "JOUTE_PLUGINS"


class PlayingCommand(click.Command):
    """A command that may use any member: the plugins of joute.toml, JOUTE_PLUGINS and `--plugin` are
    loaded before it, unless its own `--no-start` or `joute --no-config` leaves joute.toml unread.
    """

    reads_config = True

    def invoke(self, ctx: click.Context) -> Any:
        """Load the plugins, then carry out the command: not for its --help."""
        given = ctx.find_root().params
        config = self.reads_config and not given["no_config"] and not ctx.params.get("no_start")
        load_plugins(given["plugin"], named_in_file(Path(FILE)) if config else ())
        return super().invoke(ctx)


class ReadingCommand(PlayingCommand):
    """A command that only reads stored files: joute.toml is ignored."""

    reads_config = False


class ListingCommand(PlayingCommand):
    """A command that lists members: the files that joute.toml names are read, not run."""

    def invoke(self, ctx: click.Context) -> Any:
        """Note the files of joute.toml, then do as others that read."""
        given = ctx.find_root().params
        load_plugins(given["plugin"])
        if not given["no_config"]:
            _each(FILE, named_in_file(Path(FILE)), noted=True)
        return click.Command.invoke(self, ctx)


def load_plugins(given: Sequence[str], from_file: Sequence[str] = ()) -> None:
    """Load the plugins of joute.toml, JOUTE_PLUGINS and `--plugin`; raise Refused with the source
    of a bad name. Those of joute.toml are listed on stderr: the user did not type them.
    """
    if from_file:
        say(f"{FILE}: loads {', '.join(from_file)}")
    _each(FILE, from_file)
    _each(VARIABLE, [p for p in os.environ.get(VARIABLE, "").split(os.pathsep) if p])
    _each("", given)


def _each(where: str, paths: Sequence[str], noted: bool = False) -> None:
    """Load each plugin, or only note its members."""
    if not paths:
        return
    from joute.engines.errors import Refused
    from joute.engines.registry import load_plugin

    for path in paths:
        try:
            load_plugin(path, noted_by=where if noted else "")
        except Refused as error:
            raise Refused(f"{where}: {error}" if where else str(error)) from error


def named_in_file(file: Path) -> list[str]:
    """Return the plugins that a settings file names, none where it does not exist."""
    if not file.is_file():
        return []
    from joute.engines.data import parse_toml, read_text
    from joute.engines.errors import Refused, suggest

    try:
        data = parse_toml(read_text(file))
    except OSError as error:
        raise Refused(f"{file}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise Refused(f"{file}: is not TOML: {error}") from None
    for key in data:
        if key != "plugins":
            raise Refused(f"{file}: {key}: unknown key{suggest(key, ['plugins'])}")
    plugins = data.get("plugins", [])
    if not isinstance(plugins, list) or not all(isinstance(path, str) for path in plugins):
        raise Refused(f'{file}: plugins: allowed: a list of paths, ["mygame.py"]')
    return plugins


def program() -> str:
    """Return how this program was started, `joute --plugin mygame.py`, for commands that we print."""
    given = click.get_current_context().find_root().params
    config = " --no-config" if given.get("no_config") else ""
    return f"joute{config}" + "".join(f" --plugin {quote(p)}" for p in given.get("plugin", ()))
