"""The fitted model of a search's trials at a moment, during the search or after it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from joute.reports.reading.answer import Answer

if TYPE_CHECKING:
    from joute.reports.reading.search import Curve


@dataclass(frozen=True)
class Modelled:
    """The result of a fit: the answer, a curve and the dots beside it by axis, the likely best values
    by axis (words), and the number of trials read.
    """

    answer: Answer
    curves: dict[str, Curve] = field(default_factory=dict)
    dots: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    ranges: dict[str, str] = field(default_factory=dict)
    trials: int = 0
    games: int = 0
    fault: str = ""
