"""Numbers with their units and 95 % intervals, written in one way wherever they are shown."""

from __future__ import annotations

import math
from dataclasses import dataclass

LITTLE = 1e-9
"""Less than what any number shown can tell, more than the error of 47.45 as a float."""


@dataclass(frozen=True)
class Unit:
    """How a number is written: times `scale`, with so many decimals, a sign ("+" or none) and the unit's
    name. What is written is the number as files keep it, with `kept` decimals, so that a page, which
    computes it, and an export, which reads it, say the same.
    """

    scale: int
    kept: int
    decimals: int
    sign: str
    name: str

    def number(self, value: float, decimals: int | None = None) -> str:
        """Return a value without the unit's name; halves go away from zero, and 0 has no sign."""
        kept = self.scale * round(value, self.kept)
        decimals = self.decimals if decimals is None else decimals
        text = f"{kept + math.copysign(LITTLE, kept):{self.sign}.{decimals}f}"
        return text if float(text) else text.lstrip("+-")


SHARE = Unit(100, 4, 1, "", " %")  # a score in [0, 1]
POINTS = Unit(100, 4, 1, "+", " points")  # a difference of two scores, -1 to 1
ELO = Unit(1, 1, 0, "+", " Elo")


def whole(value: float, sign: str = "") -> str:
    """Return a value without decimals; halves go away from zero, as on all pages."""
    return f"{value + math.copysign(LITTLE, value):{sign}.0f}"


@dataclass(frozen=True)
class Quantity:
    """A value and the ends of its 95 % interval; None where the games give none.

    `label` is the title of its column on the page.
    """

    label: str
    unit: Unit
    value: float | None = None
    low: float | None = None
    high: float | None = None

    def number(self, value: float | None) -> str:
        """Return a value of this unit without the unit's name."""
        return self.unit.number(value or 0.0)

    def text(self, value: float | None = None) -> str:
        """Return the value, or another of this unit, with the unit's name."""
        return self.number(self.value if value is None else value) + self.unit.name

    @property
    def ends(self) -> str:
        """The interval, without the unit's name."""
        return f"{self.number(self.low)} to {self.number(self.high)}"

    @property
    def cell(self) -> str:
        """The value and its interval as a table shows them."""
        if self.value is None:
            return ""
        if self.low is None:
            return self.text() if self.value else "none"
        return f"{self.text() if self.unit is SHARE else self.number(self.value)} ({self.ends})"

    def columns(self, name: str, ends: str) -> dict[str, float | None]:
        """Return the numbers under the names of columns: the value's, and the start of the ends'."""
        cells = {name: self.value, f"{ends}low": self.low, f"{ends}high": self.high}
        return {name: value if value is None else round(value, 6) for name, value in cells.items()}


def percent(share: float, decimals: int = 1) -> str:
    """Return a share in [0, 1] as a percentage."""
    return f"{SHARE.number(share, decimals)} %"


def percent_ends(low: float, high: float, decimals: int = 1) -> str:
    """Return an interval of shares in [0, 1]: 43.1 % to 56.9 %."""
    return f"{percent(low, decimals)} to {percent(high, decimals)}"


def points(share: float, named: bool = True) -> str:
    """Return a difference of scores in percentage points, with its sign; tiny ones with two decimals."""
    text = POINTS.number(share)
    if float(text) == 0:
        text = POINTS.number(share, 2)
    return ("0.0" if float(text) == 0 else text) + (" points" if named else "")


def likelihood(chance: float) -> str:
    """Return a likelihood as a percentage that never claims certainty."""
    if round(chance, SHARE.kept) >= 0.9995:
        return "over 99.9 %"
    return "under 0.1 %" if chance < 0.0005 else percent(chance)


def elo_text(elo: float | None) -> str:
    """Return an Elo with its sign; "?" where there is none."""
    return "?" if elo is None else ELO.number(elo)


def elo_ends(low: float | None, high: float | None) -> str:
    """Return an interval of Elo, with an infinite end where there is none; "" without both ends."""
    if low is None and high is None:
        return ""
    ends = ("-∞" if low is None else elo_text(low), "+∞" if high is None else elo_text(high))
    return " to ".join(ends)


def milliseconds(ms: float) -> str:
    """Return a time with the unit and the decimals that suit its size."""
    if ms >= 1000:
        return f"{ms / 1000:.3g} s"
    return f"{ms:.3g} ms" if ms >= 1 else f"{1000 * ms:.3g} µs"


def duration(seconds: float) -> str:
    """Return a time in words."""
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
