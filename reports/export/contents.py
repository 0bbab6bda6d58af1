"""An engine as data, as the targets json and toml write it."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

from joute.engines.engine import Engine
from joute.engines.registry import plugins_named_in


def contents(engine: Engine, provenance: dict[str, Any]) -> dict[str, Any]:
    """Return the content of such a file."""
    plugins = [Path(path).name for path in plugins_named_in(engine.text)]
    return {
        "joute": version("joute"),
        "engine": engine.text,
        **({"plugins": plugins} if plugins else {}),
        "game": engine.game.label,
        "settings": dict(engine.settings),
        "provenance": provenance,
    }
