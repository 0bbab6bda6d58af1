"""Players as exported: a network runs with numpy, or with onnxruntime where it is installed.

A file's moves are proved against such a player, on numpy: other arithmetic rounds otherwise.
"""

from __future__ import annotations

from typing import Any

from joute.engines.engine import Engine
from joute.engines.errors import Refused
from joute.engines.nets.net import Net
from joute.engines.nets.numpy_reader import PlainNet, WrittenNet, written_net
from joute.engines.player import Player
from joute.engines.registry import entries
from joute.engines.search import Recipe


def portable(engine: Engine) -> Recipe | None:
    """Return the exported recipe of an engine's player; None if it cannot be exported."""
    recipe = engine.recipe()
    if recipe is None:
        return None
    if engine.evaluation is not None and engine.evaluation.guided:
        able = ", ".join(n for n, e in entries("search").items() if e.fact("guided"))
        raise Refused(
            f"{engine.text}: evaluation = {engine.evaluation.name} calls Python from compiled "
            f"code, "
            f"which cannot be exported; searches with a network of their own can: {able}"
        )
    return Recipe(recipe.player, {k: _carried(v, engine) for k, v in recipe.arguments.items()})


def portable_player(engine: Engine) -> Player:
    """Return such a player, a network in it on numpy."""
    recipe = portable(engine) if has_network(engine) else None
    return Recipe(recipe.player, _on_numpy(recipe.arguments)).make() if recipe else engine.player()


def has_network(engine: Engine) -> bool:
    """Whether an engine's player has a network."""
    recipe = engine.recipe()
    return recipe is not None and any(isinstance(v, Net) for v in _all(recipe.arguments))


def _all(arguments: dict[str, Any]) -> list[Any]:
    deeper = [v for v in arguments.values() if isinstance(v, dict)]
    return [*arguments.values(), *(v for inner in deeper for v in _all(inner))]


def _on_numpy(arguments: dict[str, Any]) -> dict[str, Any]:
    return {
        k: _on_numpy(v)
        if isinstance(v, dict)
        else WrittenNet(v.data, fast=False)
        if isinstance(v, WrittenNet)
        else v
        for k, v in arguments.items()
    }


def _carried(value: Any, engine: Engine) -> Any:
    if isinstance(value, dict):
        return {k: _carried(v, engine) for k, v in value.items()}
    if not isinstance(value, Net):
        return value
    content = value.file.read_bytes()
    try:
        PlainNet(content)
    except (ValueError, StopIteration, IndexError) as error:
        raise Refused(f"{engine.text}: its network cannot be exported: {error}") from None
    return written_net(content)
