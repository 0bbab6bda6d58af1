"""A number with its 95 % interval: computed once, written in one way wherever it is shown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Unit:
    """How a number is written: times `scale`, in a format of Python, and the unit's name."""

    scale: int
    form: str
    name: str


SHARE = Unit(100, ".1f", " %")  # a score in [0, 1]
POINTS = Unit(100, "+.1f", " points")  # a difference of two scores, -1 to 1
ELO = Unit(1, "+.0f", " Elo")


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
        """Return a value of this unit without the unit's name; 0 has no sign."""
        text = f"{self.unit.scale * (value or 0.0):{self.unit.form}}"
        return text if float(text) else text.lstrip("+-")

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
        found = {name: self.value, f"{ends}low": self.low, f"{ends}high": self.high}
        return {name: value if value is None else round(value, 6) for name, value in found.items()}
