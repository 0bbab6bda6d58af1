"""A parameter: one knob of a game, search, evaluation or generator, declared once, beside its use."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from joute.engines.errors import Refused, nearest, suggest, unknown

Value = float | int | str
LIMITS = ("nodes", "iterations", "milliseconds", "clock")  # of a move
KINDS = ("float", "int", "choice", "text")
PLAIN = re.compile(r"[\w.+/:-]+")  # a text that needs no quotes
Values = Mapping[str, Value]


def always(values: Values) -> bool:
    """Return True: the parameter is always active."""
    return True


def nothing(values: Values) -> Sequence[str]:
    """Return no files."""
    return ()


@dataclass(frozen=True)
class Parameter:
    """Name, kind, range, default, meaning and source of one knob, and the check of its values.

    `active`: whether this one has an effect, given an engine's other values; an inactive parameter
    is left out of the engine's canonical text. So is one that came `later`, at its default: engines
    that were measured before it existed keep their names, their openings and their games. `files`
    are the names in its value that may be files: copies go where the engine goes to play. One that stands
    `behind` comes after all others of an engine in the vector that kernels read, so that the kernels of
    engines without it stay as they were compiled. `under_limit`: the default of an engine that has a
    limit a move, where that is another one.
    """

    name: str
    kind: str  # one of KINDS
    default: Value
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    step: float | None = None
    log: bool = False
    meaning: str = ""
    source: str = ""
    active: Callable[[Values], bool] = always
    later: bool = False
    files: Callable[[Values], Sequence[str]] = nothing
    behind: bool = False
    under_limit: Value | None = None

    def usual(self, settings: Iterable[str]) -> Value:
        """Return the default beside settings of these names, among which a limit may be."""
        if self.under_limit is None or not {*settings} & {*LIMITS}:
            return self.default
        return self.under_limit

    def __post_init__(self) -> None:
        """Refuse a declaration that means nothing, with TypeError: its author is to see it."""
        if self.kind not in KINDS:
            hint = suggest(str(self.kind), KINDS)
            raise TypeError(f"the parameter {self.name} is of the kind {self.kind!r}{hint}")
        if self.low > self.high:
            raise TypeError(f"the parameter {self.name} goes from {self.low} to {self.high}")

    def check(self, value: Any, where: str = "") -> Value:
        """Return `value` as this parameter's type (text is parsed); raise Refused if not allowed."""
        place = f"{where}: " if where else ""
        if self.kind == "choice":
            if str(value) in self.choices:
                return str(value)
            hint = nearest(str(value), self.choices)
            raise Refused(f"{place}{self.name} = {value!r} is not {self.allowed()}{hint}")
        if self.kind == "text":
            text = text_of(value) if type(value) in (int, float) else value
            if isinstance(text, str) and (text.isprintable() or not text):
                return text
            raise Refused(f"{place}{self.name} = {value!r} is not {self.allowed()}")
        number = self._number(value)
        if number is None:
            raise Refused(f"{place}{self.name} = {value!r} is not {self.allowed()}")
        if not self.low <= number <= self.high:
            raise Refused(f"{place}{self.name} = {text_of(number)} is not {self.allowed()}")
        return number

    def _number(self, value: Any) -> float | int | None:
        if isinstance(value, bool) or "_" in str(value):
            return None
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            return None
        if not math.isfinite(number):
            return None
        if self.kind == "float":
            return number
        return int(number) if number == int(number) else None

    def allowed(self) -> str:
        """Return the allowed values in words."""
        if self.kind == "choice":
            return "one of " + ", ".join(self.choices)
        if self.kind == "text":
            return "a text of one line"
        noun = "a whole number" if self.kind == "int" else "a number"
        if self.low == -math.inf and self.high == math.inf:
            return noun
        if self.high == math.inf:
            return f"{noun} from {text_of(self.low)} up"
        return f"{noun} from {text_of(self.low)} to {text_of(self.high)}"


def in_vector(parameters: Iterable[Parameter]) -> list[Parameter]:
    """Return an engine's parameters in the order in which kernels read their values."""
    every = list(parameters)
    return [p for p in every if not p.behind] + [p for p in every if p.behind]


def chosen(
    parameters: Sequence[Parameter], given: Mapping[str, Any], kind: str, where: str
) -> dict[str, Value]:
    """Return the value of each parameter, given or default; `kind` is the word for an unknown name
    in errors. Raises Refused.
    """
    known = {p.name: p for p in parameters}
    for name in given:
        if name not in known:
            raise unknown(kind, name, known)
    return {p.name: p.check(given.get(p.name, p.default), where) for p in parameters}


def labelled(name: str, values: Values) -> str:
    """Return a name and values in a text, `connect4[columns=12,rows=6]`."""
    inside = ",".join(f"{k}={text_of(v)}" for k, v in values.items())
    return f"{name}[{inside}]" if inside else name


def text_of(value: Value) -> str:
    """Return the canonical text of a value: decimal numbers, no exponent, no trailing zeros."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) or value == int(value):
        return str(int(value))
    text = f"{value:.12f}".rstrip("0")
    return text if float(text) == value else format_exact(value)


def rounded(value: Value) -> str:
    """Return a value with four digits at most."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def written(value: Value) -> str:
    """Return a value as an engine's text writes it: texts in double quotes where they need them."""
    text = text_of(value)
    plain = PLAIN.fullmatch(text) and not text.endswith((".json", ".toml"))
    if plain or not isinstance(value, str):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def format_exact(value: float) -> str:
    """Return the shortest decimal text without exponent that reads back as `value`."""
    from decimal import Decimal

    return format(Decimal(repr(value)), "f")
