"""An option that a program declares of itself."""

from __future__ import annotations

import re
from dataclasses import dataclass

from joute.engines.errors import Refused, cut


@dataclass(frozen=True)
class Option:
    """An option: a `spin` has a range, a `combo` choices, a `check` is true or false, a `button` has
    nothing to set, a `string` is any text.
    """

    name: str
    kind: str
    default: str = ""
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()

    def check(self, value: str) -> None:
        """Raise Refused for a value that it does not take."""
        allowed = ""
        if self.kind == "spin":
            whole = re.fullmatch(r"-?\d{1,18}", value) is not None
            inside = whole and (self.low is None or self.low <= int(value))
            inside = inside and (self.high is None or int(value) <= self.high)
            allowed = "" if inside else f"a whole number from {self.low} to {self.high}"
        elif self.kind == "check" and value not in ("true", "false"):
            allowed = "true, false"
        elif self.kind == "combo" and value not in self.choices:
            allowed = ", ".join(self.choices)
        if allowed:
            raise Refused(f"option {self.name} = {cut(value, 40)}; the engine allows: {allowed}")
