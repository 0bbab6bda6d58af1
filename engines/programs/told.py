"""The names of the parameters that a program is told otherwise than in its command: `k:float depth:int`.

In a file, or by a protocol that tells parameters. The kind after the colon is what a study declares;
without one, a number is a number and anything else a text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from joute.engines.errors import Refused, cut, suggest
from joute.engines.parameter import Parameter, Value
from joute.engines.programs import parameter_file

KINDS = ("float", "int", "text")


@dataclass(frozen=True)
class Told(Parameter):
    """The setting that lists the names."""

    def check(self, value: Any, where: str = "") -> Value:
        """Return the list, its names and kinds checked."""
        text = str(super().check(value, where))
        names: set[str] = set()
        for word in text.split():
            name, colon, kind = word.partition(":")
            if not name.isidentifier():
                raise Refused(
                    f"{self.name}: {cut(name, 40)!r} is not a name; allowed: k or k:float, "
                    f"between blanks"
                )
            if colon and kind not in KINDS:
                raise Refused(
                    f"{self.name}: {cut(word, 40)!r} has the kind "
                    f"{cut(kind, 40)!r}{suggest(kind, KINDS)}"
                )
            if name in names:
                raise Refused(f"{self.name}: {name!r} appears twice")
            names.add(name)
        return " ".join(text.split())


@dataclass(frozen=True)
class FileName(Parameter):
    """The setting that names the file."""

    def check(self, value: Any, where: str = "") -> Value:
        """Return the name of a file below the current folder, of a known format."""
        name = str(super().check(value, where))
        if name:
            parameter_file.check_name(name)
        return name


def told_in(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the kinds of the listed parameters by name, "" for one without a known one."""
    pairs = (word.partition(":") for word in str(values.get("parameters", "")).split())
    return {name: kind if kind in KINDS else "" for name, _, kind in pairs}


def written(kinds: Mapping[str, str]) -> str:
    """Return the list of names and kinds; a choice is a text."""
    words = []
    for name, kind in kinds.items():
        kind = "text" if kind == "choice" else kind
        words.append(f"{name}:{kind}" if kind else name)
    return " ".join(words)
