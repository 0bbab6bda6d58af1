"""An engine: game x search x evaluation x generator x parameter values x limit, and its text.

`connect4[columns=12,rows=6]/alphabeta:evaluation=lines,depth=6,width=0.45`. The canonical text says
every parameter that has an effect and no other; with the digest of the code it is the identity.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from engines.errors import Refused, unknown
from engines.evaluation import Evaluation
from engines.exported import engine_text, is_file
from engines.game import Game
from engines.generator import Generator
from engines.kernels import Floats
from engines.parameter import Parameter, Value, text_of
from engines.registry import find
from engines.search import LIMITS, Player, Search

LIMIT_RANGE = {
    "nodes": Parameter("nodes", "int", 10_000, 1, 1 << 50, meaning="nodes a move"),
    "iterations": Parameter("iterations", "int", 1000, 1, 1 << 40, meaning="descents a move"),
    "milliseconds": Parameter("milliseconds", "float", 100.0, 1.0, 1e7, meaning="time a move"),
}
COMPONENTS = ("search", "evaluation", "generator")


class Engine:
    """A playable engine with every value checked; raises Refused on anything that does not fit."""

    def __init__(self, game: Game, settings: Mapping[str, Any], where: str = "") -> None:
        settings = dict(settings)
        place = f"{where}: " if where else ""
        self.game = game
        search = settings.pop("search", None)
        if search is None:
            raise Refused(f"{place}an engine needs a search")
        self.search: Search = find("search", str(search), where)()
        self.evaluation: Evaluation | None = None
        if "evaluation" in settings:
            self.evaluation = find("evaluation", str(settings.pop("evaluation")), where)()
        self.generator: Generator = find(
            "generator", str(settings.pop("generator", "all")), where
        )()
        self.limit = self._limit(settings, where)
        try:
            self.search.check(game, self.evaluation)
        except Refused as error:
            raise Refused(f"{place}{error}") from None
        self.values = self._values(settings, where)

    def _limit(self, settings: dict[str, Any], where: str) -> tuple[str, float] | None:
        given = {kind: settings.pop(kind) for kind in LIMITS if kind in settings}
        place = f"{where}: " if where else ""
        if len(given) > 1:
            raise Refused(f"{place}at most one limit, not {' and '.join(given)}")
        for kind, value in given.items():
            if kind not in self.search.limits:
                allowed = ", ".join(self.search.limits) or "none"
                raise Refused(
                    f"{place}{self.search.name} takes no limit {kind}; allowed: {allowed}"
                )
            return kind, float(LIMIT_RANGE[kind].check(value, where))
        if self.search.needs_limit:
            allowed = " or ".join(self.search.limits)
            raise Refused(f"{place}{self.search.name} needs a limit: {allowed}")
        return None

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All parameters, the search's first, then the evaluation's, then the generator's."""
        own = self.evaluation.parameters if self.evaluation else ()
        return (*self.search.parameters, *own, *self.generator.parameters)

    def _values(self, settings: dict[str, Any], where: str) -> dict[str, Value]:
        known = {p.name: p for p in self.parameters}
        for name in settings:
            if name not in known:
                raise unknown("parameter", name, [*known, *COMPONENTS, *self.search.limits], where)
        values = {n: p.check(settings.get(n, p.default), where) for n, p in known.items()}
        context = dict(values)
        if self.limit:
            context["limit"] = self.limit[0]
        if self.evaluation:
            context["evaluation"] = self.evaluation.name
        return {n: v for n, v in values.items() if known[n].active(context)}

    @cached_property
    def settings(self) -> dict[str, Value]:
        """Everything that makes this engine but the game, in canonical order."""
        found: dict[str, Value] = {"search": self.search.name}
        if self.evaluation:
            found["evaluation"] = self.evaluation.name
        if self.generator.name != "all":
            found["generator"] = self.generator.name
        found.update(self.values)
        if self.limit:
            found[self.limit[0]] = self.limit[1]
        return found

    @cached_property
    def text(self) -> str:
        """The canonical text."""
        inside = {k: v for k, v in self.settings.items() if k != "search"}
        arguments = ",".join(f"{k}={text_of(v)}" for k, v in inside.items())
        return f"{self.game.label}/{self.search.name}" + (f":{arguments}" if arguments else "")

    @cached_property
    def id(self) -> str:
        """A short digest of the canonical text."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]

    @cached_property
    def digest(self) -> str:
        """Digest of the code that decides this engine's moves (compiles it if need be)."""
        code = self.search.digest(self) + getattr(self.game.kernels().apply, "digest", "")
        return hashlib.sha256(code.encode()).hexdigest()[:16]

    @cached_property
    def vector(self) -> Floats:
        """The parameter values as kernels read them; a choice travels as its index."""
        numbers = []
        for p in self.parameters:
            value = self.values.get(p.name, p.default)
            numbers.append(float(p.choices.index(str(value)) if p.choices else value))
        return np.array(numbers, np.float64)

    def player(self) -> Player:
        """Return a new player of this engine."""
        return self.search.player(self)


GAME = re.compile(r"^\s*([A-Za-z_][\w-]*)\s*(?:\[(.*)\])?\s*$")


def split_options(text: str, what: str) -> dict[str, str]:
    """Split `a=1,b=2`; raise Refused on what is not name=value or comes twice."""
    found: dict[str, str] = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        name, equals, value = (x.strip() for x in part.partition("="))
        if not equals or not name or not value:
            raise Refused(f"{what}: {part!r} is not of the form name=value")
        if name in found:
            raise Refused(f"{what}: {name} is given twice")
        found[name] = value
    return found


@lru_cache(maxsize=64)
def parse_game(text: str) -> Game:
    """Return the game of a text like `connect4[columns=12,rows=6]`."""
    match = GAME.match(text)
    if not match:
        raise Refused(f"{text!r} is not a game (name, or name[option=value,...])")
    game: Game = find("game", match[1])(**split_options(match[2] or "", text))
    return game


def parse_engine(text: str, game: Game | None = None) -> Engine:
    """Return the engine of a text `game/search:name=value,...`; with `game`, that part may miss.

    The text may also be the path of a .json or .toml file that `joute export` wrote.
    """
    if not is_file(text):
        return _parsed(text, game)
    try:
        return _parsed(engine_text(text), game)
    except Refused as error:
        said = str(error)
        raise Refused(said if said.startswith(text) else f"{text}: {said}") from None


@lru_cache(maxsize=4096)
def _parsed(text: str, game: Game | None = None) -> Engine:
    head, slash, tail = text.rpartition("/")
    if not slash:
        if game is None:
            raise Refused(f"{text!r} is not an engine (game/search:name=value,...)")
        head, tail = game.label, text
    search, _, arguments = tail.partition(":")
    settings = split_options(arguments, text)
    if "search" in settings:
        raise Refused(f"{text}: the search is {search!r} already")
    bound = game if game is not None and head == game.label else parse_game(head)
    return Engine(bound, {"search": search.strip(), **settings}, text)
