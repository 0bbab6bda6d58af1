"""The values of engines' moves along a game, as expected returns if their meaning is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from joute.engines.engine import settings_of_text
from joute.engines.errors import JouteError
from joute.engines.registry import find

Share: TypeAlias = Callable[[float], float]
DIGITS = 3


@dataclass(frozen=True)
class Curve:
    """The values of a seat's own moves, None where unknown. As `shares` each is the return that it
    expects for itself, 0 to 1; else they are in the engine's own, unknown unit.
    """

    shares: bool
    values: tuple[float | None, ...]

    @property
    def told(self) -> bool:
        """Whether there is anything to show."""
        return any(value is not None for value in self.values)


def share_of(spec: str) -> Share | None:
    """Return a function from an engine's values to expected returns, by its text; None if its parts
    are missing, or the meaning of its values is unknown.
    """
    try:
        _, settings = settings_of_text(spec)
        tells = find("search", settings["search"]).tells
        if tells == "return":
            return clipped
        if tells == "evaluation" and "evaluation" in settings:
            return logistic_of(float(find("evaluation", settings["evaluation"]).scale))
    except (JouteError, ArithmeticError, AttributeError, KeyError, TypeError, ValueError):
        return None  # of a plugin that is not at hand, or a text of another version
    return None


def clipped(value: float) -> float:
    """Return an expected return in [0, 1]."""
    return min(1.0, max(0.0, value))


def logistic_of(scale: float) -> Share:
    """Return the logistic of value / scale, as searches with playouts take it."""

    def share(value: float) -> float:
        return 1 / (1 + math.exp(-min(700.0, max(-700.0, value / scale))))

    return share


def curve(values: Sequence[float | None], share: Share | None) -> Curve:
    """Return the curve of a seat."""
    if share is None:
        return Curve(False, tuple(None if v is None else float(f"{v:.4g}") for v in values))
    return Curve(True, tuple(None if v is None else round(share(v), DIGITS) for v in values))
