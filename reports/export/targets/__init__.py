"""The targets of `joute export`: one file each, found by a scan of this folder.

A target is a module with `NAME`, `SUMMARY`, `ENDING` (of the file's name), `PLAYS` (whether its file
plays by itself, in a time a move that may be limited), `USE` (how to use the file, `{path}` stands
for it) and `write(order) -> Written`.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from engines.engine import Engine
from engines.errors import unknown


@dataclass(frozen=True)
class Order:
    """What is to be exported: an engine, where it comes from, and what is asked of the file.

    `move_ms` is the time a move may take (None: the target's own limit, if it has one). `limit`
    allows a smaller engine where this one does not fit. `say` tells a person how it goes. `path` is
    the file that will be written.
    """

    engine: Engine
    provenance: dict[str, Any]
    move_ms: float | None
    limit: bool
    say: Callable[[str], None]
    path: Path | None = None


class Written(NamedTuple):
    """A file's text, and the engine in it: the one that was ordered, or one cut down to fit.

    `use` is a further use of this file, beside the target's `USE`.
    """

    text: str
    engine: Engine
    use: str = ""


class Exporter(Protocol):
    """What a module of this folder offers."""

    NAME: str
    SUMMARY: str
    ENDING: str
    PLAYS: bool
    USE: str

    def write(self, order: Order) -> Written:
        """Return the file; raise Refused for what this target cannot express."""


def found() -> dict[str, Exporter]:
    """Return every target of this folder by name."""
    modules = [import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__)]
    return {m.NAME: cast(Exporter, m) for m in modules if hasattr(m, "write")}


def find(name: str) -> Exporter:
    """Return a target; raise Refused with the nearest known name."""
    targets = found()
    if name not in targets:
        raise unknown("target", name, targets, "--to")
    return targets[name]
