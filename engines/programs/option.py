"""An option that a program declares of itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from joute.engines.errors import Refused, cut
from joute.engines.parameter import Value
from joute.engines.programs import placeholders

# What a fair match sets where a program has it: one thread, little memory, no book of the program's
# own, no thinking in the opponent's time.
FAIR = {"Threads": "1", "Hash": "16", "OwnBook": "false", "Ponder": "false"}
BETWEEN = re.compile(r"(?<!\\);")  # two settings of a text


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


class Introduction(NamedTuple):
    """What a program says of itself before it plays: its name, and which of its defaults are unfair to an
    opponent; "" for nothing.
    """

    name: str = ""
    unfair: str = ""


@dataclass(frozen=True)
class Reach:
    """Some values that a parameter may be given, its ends among them; `place`: what in a study says so."""

    place: str
    name: str
    values: tuple[Value, ...]


def check_reach(
    text: str, values: Mapping[str, Value], reach: Iterable[Reach], known: Mapping[str, Option]
) -> None:
    """Raise Refused where a parameter may set an option of `known` to a value that it does not take, by
    a text as `settings_in` reads it. `values` fill the other placeholders.
    """
    options = {name.lower(): option for name, option in known.items()}
    for one in reach:
        for value in one.values:
            for name, set_to in settings_in(text, {**values, one.name: value}).items():
                try:
                    if name.lower() in options:
                        options[name.lower()].check(set_to)
                except Refused as error:
                    raise Refused(f"{one.place}: {error}") from None


def unfair(options: Mapping[str, Option], given: Iterable[str]) -> str:
    """Return which options a fair match sets and a program has otherwise, in a phrase, but for those that
    are given and for memory, which changes little; "" for none.
    """
    known = {name.lower() for name in given}
    return "; ".join(
        f"{name} is {options[name].default} by default, {name}={value} makes it fair"
        for name, value in FAIR.items()
        if name in options
        and name != "Hash"
        and name.lower() not in known
        and options[name].default != value
    )


def settings_in(text: str, values: Mapping[str, Value]) -> dict[str, str]:
    """Return what a text sets, `Threads=1; Mobility (Middle Game)={mobility}`, placeholders filled; `\\;`
    is a semicolon in a value. Raise Refused for a text that does not.
    """
    found: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in BETWEEN.split(text))):
        part = part.replace("\\;", ";")
        name, equals, value = (word.strip() for word in part.partition("="))
        if not name or not equals:
            raise Refused(f'options: {cut(part, 60)!r} sets nothing; write "Threads=1; Hash=16"')
        found[name] = placeholders.fill(value, values)
    return found
