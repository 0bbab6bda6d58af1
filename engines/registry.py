"""The registry: finds games, searches, evaluations, generators and protocols by scanning folders.

A member is one file with one class. A plugin file may hold members of any kind. A file that fails
to import is named with its error and stops only what needs it.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from engines.ending import Ending
from engines.errors import Refused, unknown
from engines.evaluation import Evaluation
from engines.game import Game
from engines.generator import Generator
from engines.protocol import Protocol
from engines.search import Search

BASES: dict[str, type[Any]] = {
    "game": Game,
    "search": Search,
    "evaluation": Evaluation,
    "generator": Generator,
    "ending": Ending,
    "protocol": Protocol,
}
FOLDERS = {
    "game": "engines.games",
    "search": "engines.searches",
    "evaluation": "engines.evaluations",
    "generator": "engines.generators",
    "ending": "engines.endings",
    "protocol": "engines.protocols",
}

_plugins: dict[Path, ModuleType] = {}


def members_of(module: ModuleType, base: type[Any]) -> dict[str, type[Any]]:
    """Return the classes of a kind that a module itself defines, by name."""
    return {
        str(vars(thing)["name"]): thing
        for thing in vars(module).values()
        if isinstance(thing, type)
        and issubclass(thing, base)
        and thing.__module__ == module.__name__
        and "name" in vars(thing)
    }


def find(kind: str, name: str, where: str = "") -> Any:
    """Return the class of a member; raise Refused with the nearest known name."""
    base = BASES[kind]
    for module in _plugin_modules():
        found = members_of(module, base)
        if name in found:
            return found[name]
    if name in file_names(kind):
        try:
            found = members_of(importlib.import_module(module_of(kind, name)), base)
        except Exception as error:
            raise Refused(f"the {kind} {name} cannot be loaded: {error!r}") from error
        if name in found:
            return found[name]
    raise unknown(kind, name, names(kind), where)


@cache
def file_names(kind: str) -> tuple[str, ...]:
    """Return the names of the files in a kind's folder; protocols' are written with hyphens."""
    folder = importlib.import_module(FOLDERS[kind])
    found = (m.name for m in pkgutil.iter_modules(folder.__path__))
    return tuple(sorted(n.replace("_", "-") if kind == "protocol" else n for n in found))


def module_of(kind: str, name: str) -> str:
    """Return the full name of a member's module."""
    return f"{FOLDERS[kind]}.{name.replace('-', '_') if kind == 'protocol' else name}"


def names(kind: str) -> list[str]:
    """Return the names of all members of a kind, plugins included."""
    found = set(file_names(kind))
    for module in _plugin_modules():
        found |= set(members_of(module, BASES[kind]))
    return sorted(found)


def protocols_of(game: Any) -> list[str]:
    """Return the protocols that a game (or its class) has of its own, the usual one first."""
    return [
        name
        for name in names("protocol")
        if name in getattr(game, "dialogues", {}) or game.name in find("protocol", name).games
    ]


def protocol_over_tcp(game: Any) -> Protocol | None:
    """Return the protocol over TCP that is a game's own, or None."""
    own: list[Protocol] = [find("protocol", name)() for name in protocols_of(game)]
    return next((protocol for protocol in own if protocol.port), None)


def load_plugin(path: str | Path) -> None:
    """Load a plugin file; raise Refused naming the file and its error."""
    file = Path(path).resolve()
    if file in _plugins:
        return
    spec = importlib.util.spec_from_file_location(f"joute_plugin_{file.stem}", file)
    if not file.is_file() or spec is None or spec.loader is None:
        raise Refused(f"plugin {path}: no such Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[spec.name]
        raise Refused(f"plugin {path} cannot be loaded: {error!r}") from error
    _plugins[file] = module


def plugin_files() -> list[str]:
    """Return the plugin files loaded so far, for workers to load too."""
    return [str(file) for file in _plugins]


def _plugin_modules() -> list[ModuleType]:
    return [*_plugins.values(), *_installed()]


@cache
def _installed() -> tuple[ModuleType, ...]:
    """Return the modules that installed packages offer under the entry-point group `joute`."""
    modules = []
    for point in entry_points(group="joute"):
        try:
            modules.append(importlib.import_module(point.module))
        except Exception as error:
            print(f"joute: plugin {point.value} cannot be loaded: {error!r}", file=sys.stderr)
    return tuple(modules)
