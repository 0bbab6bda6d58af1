"""The parameters of an engine as constants: names valid in every language, types, values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from joute.engines.check import LIMIT_RANGE
from joute.engines.engine import Engine
from joute.engines.errors import Refused
from joute.engines.parameter import Parameter, Value
from joute.engines.protocol import Protocol
from joute.engines.registry import make
from joute.engines.search import Search

NUMBERS = ("float", "int")
# What a C compiler may know under such a name already.
TAKEN = {
    *(
        "NULL",
        "EOF",
        "NAN",
        "INFINITY",
        "TRUE",
        "FALSE",
        "I",
        "BUFSIZ",
        "RAND_MAX",
        "CLOCKS_PER_SEC",
    ),
    *("DOMAIN", "OVERFLOW", "UNDERFLOW", "SING", "EDOM", "ERANGE", "EILSEQ", "HUGE_VAL", "HUGE"),
}


class Constant(NamedTuple):
    """A parameter: name, value, names of its choices in order (the value is one of them)."""

    name: str
    value: Value
    meaning: str
    choices: tuple[tuple[str, str], ...] = ()  # (name of the constant, the choice)

    @property
    def chosen(self) -> str:
        """The name of the chosen choice."""
        return next(name for name, choice in self.choices if choice == self.value)


def constants_of(
    engine: Engine, kinds: Mapping[str, str], meanings: Mapping[str, str]
) -> list[Constant]:
    """Return an engine's parameters and its limit; of an outside program, only its own ones.
    `meanings`: what a study adds about a parameter.
    """
    wanted = own_parameters(engine, kinds)
    if not wanted and engine.limit is None:
        raise Refused(f"{engine.text}: has no parameters of its own: there is nothing to write")
    names = Names()
    constants = []
    for p, value in wanted:
        meaning = "; ".join(filter(None, (p.meaning, meanings.get(p.name, ""))))
        constants.append(constant(replace(p, meaning=meaning), value, names))
    if engine.limit is not None:
        kind, amount = engine.limit
        value = amount if LIMIT_RANGE[kind].kind == "float" else int(amount)
        constants.append(constant(LIMIT_RANGE[kind], value, names))
    return constants


def own_parameters(engine: Engine, kinds: Mapping[str, str]) -> list[tuple[Parameter, Value]]:
    """Return an engine's parameters that have an effect, with their values; of an outside program,
    only its own ones.

    `kinds` are those that a study declares. A number of a program's own that nothing declares is a
    floating one: `K / 2` must not become a whole number by chance.
    """
    outside = type(engine.search).parameters_for is not Search.parameters_for
    ours = {p.name for p in type(engine.search).parameters} if outside else set()
    if outside and "protocol" in engine.values:  # its settings, such as a UCI engine's options
        protocol: Protocol = make("protocol", str(engine.values["protocol"]))
        ours |= {p.name for p in protocol.settings(engine.game)}
    pairs = []
    for p in engine.parameters:
        if p.name not in engine.values or p.name in ours:
            continue
        value, meaning = engine.values[p.name], "" if outside else p.meaning
        kind = kinds.get(p.name, p.kind if p.kind in NUMBERS else "")
        if outside and type(value) in (int, float) and kind != "int":
            value = float(value)
            meaning += "" if kind else "a float: no study declares whether it is whole"
        pairs.append((replace(p, meaning=meaning), value))
    return pairs


def constant(parameter: Parameter, value: Value, names: Names) -> Constant:
    """Return the constant of a parameter."""
    name = names.new(parameter.name)
    choices = tuple((names.new(f"{name}_{choice}"), choice) for choice in parameter.choices)
    return Constant(name, value, parameter.meaning, choices)


class Names:
    """Gives out unique names in upper snake case."""

    def __init__(self) -> None:
        self._given = set(TAKEN)

    def new(self, text: str) -> str:
        """Return a name like the text: max_nodes and maxNodes become MAX_NODES."""
        parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text)
        plain = re.sub(r"_+", "_", re.sub(r"\W", "_", parts.upper(), flags=re.ASCII)).strip("_")
        wish = plain if plain and not plain[0].isdigit() else f"P_{plain}".rstrip("_")
        name, n = wish, 1
        while name in self._given:
            n += 1
            name = f"{wish}_{n}"
        self._given.add(name)
        return name
