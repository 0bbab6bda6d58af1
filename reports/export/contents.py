"""An engine as data: what the targets json and toml write."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from engines.engine import Engine


def contents(engine: Engine, provenance: dict[str, Any]) -> dict[str, Any]:
    """Return what such a file holds."""
    return {
        "joute": version("joute"),
        "engine": engine.text,
        "game": engine.game.label,
        "settings": dict(engine.settings),
        "provenance": provenance,
    }
