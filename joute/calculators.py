"""Calculators: Elo and SPRT from counts of games or of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from joute.door import door


class Calculated(dict[str, Any]):
    """Result of a calculator: numbers by name, as `--json` prints them; `str` prints them in words."""

    def __init__(self, data: dict[str, Any], text: str) -> None:
        super().__init__(data)
        self._text = text

    def __str__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self._text)}</pre>"


def told(wins: int, draws: int, losses: int, pairs: Sequence[int] | None) -> list[int]:
    """Return the counts of games, or of pairs; Refused if both are given."""
    from joute.engines.errors import Refused
    from joute.results.calculators import counts_of

    if pairs is None:
        return counts_of((wins, draws, losses), None)
    if wins or draws or losses:
        raise Refused("wins, draws and losses are given, and pairs; allowed: one of them")
    return counts_of((), pairs)


@door
def elo(
    wins: int = 0, draws: int = 0, losses: int = 0, pairs: Sequence[int] | None = None
) -> Calculated:
    """Return score, Elo, normalised Elo and LOS, with 95 % intervals, from counts of games, whole
    numbers, or of `pairs`: five counts, from two losses to two wins.

    Keys: score, score_low, score_high (in [0, 1]); elo, elo_error, elo_low, elo_high, nelo,
    nelo_error (Elo); los (in [0, 1]); blocks, method, note. None: undefined.
    """
    from joute.results.calculators import elo_report

    report = elo_report(told(wins, draws, losses, pairs))
    return Calculated(report.data, report.text)


@door
def sprt(
    elo0: float,
    elo1: float,
    wins: int = 0,
    draws: int = 0,
    losses: int = 0,
    pairs: Sequence[int] | None = None,
    alpha: float = 0.05,
    beta: float = 0.05,
    model: str = "logistic",
) -> Calculated:
    """Return the state of a sequential test of elo0 against elo1, from counts as `elo` takes them.

    Keys: llr, lower, upper, verdict ("H0", "H1" or "continue"). `model`: "logistic" or "normalized".
    """
    from joute.results.calculators import sprt_report

    counts = told(wins, draws, losses, pairs)
    report = sprt_report(elo0, elo1, alpha, beta, model, counts)
    return Calculated(report.data, report.text)
