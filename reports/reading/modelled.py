"""What a model of a search's trials says at a moment, while the search plays or when it is done."""

from __future__ import annotations

from dataclasses import dataclass, field

from joute.reports.reading.answer import Answer
from joute.reports.reading.search import Curve


@dataclass(frozen=True)
class Modelled:
    """What a fit said: the answer, a curve by axis, where the best may lie by axis (words), and of how
    many trials it knows.
    """

    answer: Answer
    curves: dict[str, Curve] = field(default_factory=dict)
    ranges: dict[str, str] = field(default_factory=dict)
    trials: int = 0
    games: int = 0
    fault: str = ""
