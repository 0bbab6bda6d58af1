"""An engine as data, as the targets json and toml write it."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

from joute.engines.registry import plugins_named_in
from joute.reports.export.target import Order
from joute.reports.reading.winner import typed


def contents(order: Order) -> dict[str, Any]:
    """Return the content of such a file."""
    engine = order.engine
    plugins = [Path(path).name for path in plugins_named_in(engine.text)]
    return {
        "joute": version("joute"),
        "engine": engine.text,
        **({"plugins": plugins} if plugins else {}),
        "game": engine.game.label,
        "settings": typed(engine.settings, order.kinds),
        "provenance": order.provenance,
    }
