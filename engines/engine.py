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

from engines.ending import Ending, EndingPlayer
from engines.errors import Refused, unknown
from engines.evaluation import Evaluation
from engines.exported import engine_text, is_file
from engines.game import Game
from engines.generator import Generator
from engines.kernels.compile import Floats, Kernel
from engines.parameter import Parameter, Value, written
from engines.registry import find, names
from engines.search import LIMITS, Player, Recipe, Search

LIMIT_RANGE = {
    "nodes": Parameter("nodes", "int", 10_000, 1, 1 << 50, meaning="nodes a move"),
    "iterations": Parameter("iterations", "int", 1000, 1, 1 << 40, meaning="descents a move"),
    "milliseconds": Parameter("milliseconds", "float", 100.0, 1.0, 1e7, meaning="time a move"),
}
COMPONENTS = ("search", "evaluation", "generator", "ending")


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
        usual = usual_generator(game, type(self.search))
        self.generator: Generator = find(
            "generator", str(settings.pop("generator", usual)), where
        )()
        self.ending: Ending | None = None
        if settings.get("ending", "none") != "none":
            self.ending = find("ending", str(settings["ending"]), where)()
        settings.pop("ending", None)
        self._own = self.search.parameters_for(settings, game)
        self.limit = self._limit(settings, where)
        try:
            self.search.check(game, self.evaluation)
            self.search.check_generator(game, self.generator)
            if self.ending is not None and game.name not in self.ending.games:
                fit = ", ".join(self.ending.games)
                raise Refused(f"ending {self.ending.name} is for {fit}, not for {game.name}")
            if self.ending is not None and type(self.search).recipe is Search.recipe:
                raise Refused(f"{self.search.name} hands over to no ending")
        except Refused as error:
            raise Refused(f"{place}{error}") from None
        self.values = self._values(settings, where)
        try:
            self.search.check_values(game, self.values)
        except Refused as error:
            raise Refused(f"{place}{error}") from None

    def _limit(self, settings: dict[str, Any], where: str) -> tuple[str, float] | None:
        own = {p.name for p in self._own}
        given = {kind: settings.pop(kind) for kind in LIMITS if kind in {*settings} - own}
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
        """All parameters, the search's first, then evaluation's, generator's, ending's."""
        own = self.evaluation.parameters if self.evaluation else ()
        last = self.ending.parameters if self.ending else ()
        return (*self._own, *own, *self.generator.parameters, *last)

    def _values(self, settings: dict[str, Any], where: str) -> dict[str, Value]:
        known = {p.name: p for p in self.parameters}
        for name in settings:
            if name not in known:
                raise unknown("parameter", name, [*known, *COMPONENTS, *self.search.limits], where)
        values = {n: p.check(settings.get(n, p.default), where) for n, p in known.items()}
        context = dict(values) | {"players": self.game.players}
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
        if self.ending:
            found["ending"] = self.ending.name
        found.update(self.values)
        if self.limit:
            found[self.limit[0]] = self.limit[1]
        return found

    @cached_property
    def text(self) -> str:
        """The canonical text."""
        inside = {k: v for k, v in self.settings.items() if k != "search"}
        arguments = ",".join(f"{k}={written(v)}" for k, v in inside.items())
        return f"{self.game.label}/{self.search.name}" + (f":{arguments}" if arguments else "")

    @cached_property
    def id(self) -> str:
        """A short digest of the canonical text."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]

    @cached_property
    def digest(self) -> str:
        """Digest of the code that decides this engine's moves (compiles it if need be)."""
        code = self.search.digest(self) + getattr(self.game.kernels().apply, "digest", "")
        if self.ending:
            code += str(self.finish.digest)  # type: ignore[attr-defined]
        return hashlib.sha256(code.encode()).hexdigest()[:16]

    @cached_property
    def vector(self) -> Floats:
        """The parameter values as kernels read them; a choice travels as its index."""
        numbers = []
        for p in self.parameters:
            value = self.values.get(p.name, p.default)
            number = p.choices.index(str(value)) if p.choices else value
            numbers.append(0.0 if p.kind == "text" else float(number))
        return np.array(numbers, np.float64)

    @cached_property
    def finish(self) -> Kernel:
        """The kernel of the ending."""
        assert self.ending is not None
        own = len(self.ending.parameters)
        return self.ending.compiled(self.game, len(self.parameters) - own)

    def recipe(self) -> Recipe | None:
        """Return the class of this engine's player and the arguments that make one, if it has such."""
        found = self.search.recipe(self)
        if found is None or self.ending is None:
            return found
        return EndingPlayer, {
            "choose": self.finish,
            "words": self.game.words,
            "memory": self.ending.memory(self.game),
            "values": tuple(self.vector.tolist()),
            "kind": found[0],
            "arguments": found[1],
        }

    def player(self) -> Player:
        """Return a new player of this engine; compiles what is not in the kernel cache."""
        found = self.recipe()
        if found is None:
            return self.search.player(self)
        kind, arguments = found
        return kind(**arguments)


def usual_generator(game: Game, search: type[Search]) -> str:
    """Return the generator of an engine that names none: `all`, or the first that is for the game."""
    if game.listed or not search.lists:
        return "all"
    fitting = [n for n in names("generator") if game.name in (find("generator", n).games or ())]
    return fitting[0] if fitting else "all"


GAME = re.compile(r"^\s*([A-Za-z_][\w-]*)\s*(?:\[(.*)\])?\s*$")
QUOTED = re.compile(r'"(?:[^"\\]|\\["\\])*"')
ESCAPED = re.compile(r'\\(["\\])')


def split_options(text: str, what: str) -> dict[str, str]:
    """Split `a=1,b="x, y"`; raise Refused on what is not name=value or comes twice.

    Double quotes hold commas; within them, a backslash stands before a quote and a backslash.
    """
    found: dict[str, str] = {}
    for part in filter(None, (p.strip() for p in split_outside(text, ","))):
        name, equals, value = (x.strip() for x in part.partition("="))
        if not equals or not name or not value:
            raise Refused(f"{what}: {part!r} is not of the form name=value")
        if name in found:
            raise Refused(f"{what}: {name} is given twice")
        if '"' in value:
            if not QUOTED.fullmatch(value):
                raise Refused(f'{what}: {part!r} is not of the form name="..."')
            value = ESCAPED.sub(r"\1", value[1:-1])
        found[name] = value
    return found


def split_outside(text: str, mark: str) -> list[str]:
    """Split a text at every `mark` that is outside double quotes and brackets."""
    parts, begun, quoted, depth, i = [], 0, False, 0, 0
    while i < len(text):
        c = text[i]
        if quoted:
            i += c == "\\"
            quoted = c != '"'
        elif c == '"':
            quoted = True
        elif c in "[]":
            depth += 1 if c == "[" else -1
        elif c == mark and depth == 0:
            parts.append(text[begun:i])
            begun = i + 1
        i += 1
    return [*parts, text[begun:]]


def split_engine(text: str) -> tuple[str, str, str]:
    """Return game (empty where it is left out), search and arguments of an engine's text."""
    head = split_outside(text, ":")[0]
    game, *rest = split_outside(head, "/")
    arguments = text[len(head) + 1 :]
    return (game, "/".join(rest), arguments) if rest else ("", head, arguments)


def names_game(text: str) -> bool:
    """Whether the text of an engine says its game."""
    return split_engine(text)[0] != ""


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
    head, search, arguments = split_engine(text)
    if not head:
        if game is None:
            raise Refused(f"{text!r} is not an engine (game/search:name=value,...)")
        head = game.label
    settings = split_options(arguments, text)
    if "search" in settings:
        raise Refused(f"{text}: the search is {search!r} already")
    bound = game if game is not None and head == game.label else parse_game(head)
    return Engine(bound, {"search": search.strip(), **settings}, text)
