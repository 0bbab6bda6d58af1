"""Engines in files: what `joute export` writes as json or toml, accepted where an engine's text is."""

from __future__ import annotations

import json
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.errors import Refused

if TYPE_CHECKING:
    from engines.engine import Engine

ENDINGS = (".json", ".toml")


def contents(engine: Engine, provenance: dict[str, Any]) -> dict[str, Any]:
    """Return what such a file holds."""
    return {
        "joute": version("joute"),
        "engine": engine.text,
        "game": engine.game.label,
        "settings": dict(engine.settings),
        "provenance": provenance,
    }


def is_file(text: str) -> bool:
    """Whether the text of an engine is the path of a file that holds one."""
    return text.endswith(ENDINGS)


def engine_text(path: str) -> str:
    """Return the text of the engine that a file holds; raise Refused if it holds none."""
    file = Path(path)
    try:
        raw = file.read_text("utf-8")
        data = json.loads(raw) if path.endswith(".json") else tomllib.loads(raw)
    except FileNotFoundError:
        raise Refused(f"{path}: no such file (an engine that joute export wrote)") from None
    except OSError as error:
        raise Refused(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        kind = file.suffix[1:].upper()
        raise Refused(f"{path}: is damaged, not {kind}: {error}") from None
    text = data.get("engine") if isinstance(data, dict) else None
    if not isinstance(text, str) or "joute" not in data or "/" not in text or is_file(text):
        raise Refused(f"{path}: is not an engine that joute export wrote (no engine = ... in it)")
    return text
