"""The values of engines' moves along a game, as expected returns if their meaning is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from joute.engines.engine import settings_of_text
from joute.engines.errors import JouteError
from joute.engines.record import FURTHEST, WIN
from joute.engines.registry import find

Share: TypeAlias = Callable[[float], float]
DIGITS = 3
FAR = 20.0  # times the next smaller size: a mate's value, by whatever number a program says it
MANY = 4.0


@dataclass(frozen=True)
class Curve:
    """The values of a seat's own moves, None where unknown. As `shares` each is the return that it
    expects for itself, 0 to 1; else they are in the engine's own, unknown unit, and are drawn from
    -`bound` to `bound`, what lies beyond at the edge.
    """

    shares: bool
    values: tuple[float | None, ...]
    bound: float = 1.0

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
        return Curve(
            False, tuple(None if v is None else written(v) for v in values), bound_of(values)
        )
    return Curve(True, tuple(None if v is None else round(share(v), DIGITS) for v in values))


def written(value: float) -> float:
    """Return a value with four digits; one that tells a win in so many plies as it is."""
    return value if certain(value) else float(f"{value:.4g}")


def certain(value: float) -> bool:
    """Whether a value tells a win or a loss in so many plies."""
    return 0 <= WIN - abs(value) <= FURTHEST


def bound_of(values: Sequence[float | None]) -> float:
    """Return the size up to which values of an unknown unit are drawn, so that ordinary ones can be
    read: that of the largest, but at most `MANY` times what three quarters stay within. Where some are
    `FAR` beyond a quarter of them or more, these count for nothing.
    """
    sizes = sorted(abs(v) for v in values if v is not None and not certain(v))
    most = len(sizes)
    for i in range(len(sizes) - 1, math.ceil(len(sizes) / 4) - 1, -1):
        if i and sizes[i] > FAR * sizes[i - 1] > 0:
            most = i
    sizes = sizes[:most]
    if not sizes or sizes[-1] == 0:
        return 1.0
    usual = MANY * sizes[math.ceil(0.75 * (len(sizes) - 1))]
    return float(f"{min(sizes[-1], usual or sizes[-1]):.3g}")
