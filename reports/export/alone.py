"""What writes an engine's parameters where no file can play as the engine."""

from __future__ import annotations

from joute.engines.engine import Engine
from joute.engines.errors import Refused
from joute.engines.registry import names
from joute.reports.export.provenance import by_hand
from joute.reports.export.target import Order, Target, find_target


def parameters_alone(engine: Engine) -> str:
    """Return how an engine's parameters leave alone, as the end of a refusal."""
    targets = map(find_target, names("target"))
    able = [one.name for one in targets if not one.plays and writes(one, engine)]
    return f"; its parameters alone: --to {', '.join(able)}"


def writes(target: Target, engine: Engine) -> bool:
    """Whether a target of data can express an engine."""
    try:
        target.write(Order(engine, by_hand(""), None, False, lambda text: None))
    except Refused:
        return False
    return True
