"""An engine: game x search x evaluation x generator x parameter values x limit, and its text.

`connect4[columns=12,rows=6]/alphabeta:evaluation=lines,depth=6,width=0.45`. The canonical text says
every parameter that has an effect and no other; with the digest of the code it is the identity.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from contextlib import suppress
from copy import copy
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from joute.engines.asking import plugins_of
from joute.engines.check import SettingsRefused, check
from joute.engines.ending import Ending, EndingPlayer
from joute.engines.engine_text import (
    GAME,
    engine_text,
    is_file,
    is_other_file,
    plugins_of_file,
    split_engine,
    split_options,
)
from joute.engines.errors import Refused
from joute.engines.evaluation import Evaluation
from joute.engines.files import here
from joute.engines.game import Game
from joute.engines.generator import Generator
from joute.engines.kernels.compile import Floats, Kernel, prepare
from joute.engines.parameter import Parameter, Value, in_vector, written
from joute.engines.player import Player, PlayerFailure
from joute.engines.position import Position
from joute.engines.programs.seat_text import seat_hint
from joute.engines.record import EngineRecord
from joute.engines.registry import entries, make, plugin_files
from joute.engines.search import CLOCK, ENDLESS_MS, TIME, Recipe, Search, Setup
from joute.engines.tuned import settings_of

NO_CLOCK = (
    "it plays by the clock of its game, and there is none: give it a limit a move, or play with "
    "--clock 10+0.1 (in a study: time.clock)"
)


class Engine:
    """A playable engine with every value checked; raises SettingsRefused on all that does not fit.

    `declared` are a program's own parameters with the ranges that a study gives them.
    """

    def __init__(
        self,
        game: Game,
        settings: Mapping[str, Any],
        where: str = "",
        declared: Mapping[str, Parameter] | None = None,
    ) -> None:
        checked = check(game, settings, declared)
        if checked.faults:
            raise SettingsRefused(checked.faults, where)
        self.game = game
        self.search: Search = checked.parts["search"]
        self.evaluation: Evaluation | None = checked.parts.get("evaluation")
        self.generator: Generator = checked.parts["generator"]
        self.ending: Ending | None = checked.parts.get("ending")
        self.parameters = checked.parameters
        self.limit, self.values = checked.limit, checked.values
        if self.evaluation:
            self.evaluation = self.evaluation.bound(game, self.values)
        self._is_ready = False

    @cached_property
    def settings(self) -> dict[str, Value]:
        """Everything that makes this engine but the game, in canonical order."""
        settings: dict[str, Value] = {"search": self.search.name}
        if self.evaluation:
            settings["evaluation"] = self.evaluation.name
        if self.generator.name != "all":
            settings["generator"] = self.generator.name
        if self.ending:
            settings["ending"] = self.ending.name
        settings.update(self.values)
        if self.limit:
            settings[self.limit[0]] = self.limit[1]
        return settings

    @cached_property
    def text(self) -> str:
        """The canonical text."""
        usual = {p.name: p.default for p in self.parameters if p.later}
        inside = {
            name: value
            for name, value in self.settings.items()
            if name != "search" and (name not in usual or value != usual[name])
        }
        arguments = ",".join(f"{k}={written(v)}" for k, v in inside.items())
        return f"{self.game.label}/{self.search.name}" + (f":{arguments}" if arguments else "")

    @cached_property
    def id(self) -> str:
        """A short digest of the canonical text."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]

    @cached_property
    def digest(self) -> str:
        """Digest of the code that decides this engine's moves (compiles it if need be)."""
        code = self.search.digest(self.setup)
        if self.evaluation:
            if type(self.search).digest is Search.digest:  # others are compiled with it
                code += self.evaluation.code(self.game, self.search.base)
            code += self.evaluation.file_digest
        code += self.game.code
        if self.ending:
            code += str(self.finish.digest)  # type: ignore[attr-defined]
        return hashlib.sha256(code.encode()).hexdigest()[:16]

    def record(self, name: str) -> EngineRecord:
        """Return what a store keeps of it, under a name."""
        return EngineRecord(self.id, name, self.text, dict(self.settings), self.digest)

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The files that it reads, as its text names them, but for those that come with Joute."""
        knobs = [(self.game.options, self.game.values), (self.parameters, self.values)]
        named = [f for known, values in knobs for p in known for f in p.files(values)]
        return tuple(dict.fromkeys(name for name in named if here(name).is_file()))

    @cached_property
    def vector(self) -> Floats:
        """The parameter values as kernels read them; a choice travels as its index."""
        numbers = []
        text_numbers = self.evaluation.numbers(self.game) if self.evaluation else {}
        for p in in_vector(self.parameters):
            value = self.values.get(p.name, p.default)
            number = p.choices.index(str(value)) if p.choices else value
            numbers.append(text_numbers.get(p.name, 0.0) if p.kind == "text" else float(number))
        return np.array(numbers, np.float64)

    @cached_property
    def numbers(self) -> dict[str, float]:
        """The same numbers by the names of their parameters, in the same order."""
        names = (p.name for p in in_vector(self.parameters))
        return dict(zip(names, self.vector.tolist(), strict=True))

    @cached_property
    def finish(self) -> Kernel:
        """The kernel of the ending."""
        assert self.ending is not None
        count = len(self.ending.parameters) + sum(p.behind for p in self.parameters)
        return self.ending.kernel(self.game, len(self.parameters) - count)

    @cached_property
    def setup(self) -> Setup:
        """The parts of the engine from which the search makes its player."""
        limit = (TIME, ENDLESS_MS) if self.limit and self.limit[0] == CLOCK else self.limit
        return Setup(self.game, self.evaluation, self.generator, self.values, self.vector, limit)

    @cached_property
    def by_clock(self) -> bool:
        """Whether only the clock of its game limits its moves."""
        own = self.limit is not None and self.limit[0] == CLOCK
        return own or self.search.by_clock(self.setup)

    @property
    def timed(self) -> bool:
        """Whether a time limits its moves, so that they depend on the machine."""
        return self.by_clock or (self.limit is not None and self.limit[0] == TIME)

    def twin(self) -> Engine:
        """Return the same engine with another id, so that it can meet itself."""
        other = copy(self)
        other.__dict__["id"] = hashlib.sha256(f"{self.text} twin".encode()).hexdigest()[:12]
        return other

    def on(self, game: Game) -> Engine:
        """Return the same engine on another game."""
        return Engine(game, self.settings)

    def recipe(self) -> Recipe | None:
        """Return how this engine's player is made; None for one that lives in this process alone."""
        recipe = self.search.recipe(self.setup)
        if recipe is None or self.ending is None:
            return recipe
        return Recipe(
            EndingPlayer,
            {
                "choose": self.finish,
                "words": self.game.words,
                "memory": self.ending.memory(self.game),
                "values": tuple(self.vector.tolist()),
                "kind": recipe.player,
                "arguments": recipe.arguments,
            },
            tuple(recipe.kernels()),
        )

    def ready(self) -> None:
        """Load (or compile) all that a first move needs, with the quickest one that this engine can
        make. Once is enough.
        """
        if self._is_ready:
            return
        self._is_ready = True
        least = self._least_work()
        if not self.search.reproducible or least is None:
            return  # a person or a program, or one whose work has no end
        others = {name: value for name, value in self.settings.items() if name != CLOCK}
        quickest = Engine(self.game, {**others, **least})
        player, position = quickest._unready_player(), Position(self.game)
        text = position.text()
        if text is not None:
            position = Position(self.game, text)
        player.new_game(0, position.to_move)
        action = player.choose(position).action
        if position.is_legal(action):
            position.play(action, position.draw_outcome(action, 0))
        player.close()

    def _least_work(self) -> dict[str, Value] | None:
        # The setting with which this engine works least.
        if self.limit is not None:
            return {TIME if self.limit[0] == CLOCK else self.limit[0]: 1}
        if not self.search.work and self.recipe() is not None:
            return {}  # it searches nothing
        work = next((p for p in self.parameters if p.name == self.search.work), None)
        return None if work is None or work.low == -math.inf else {work.name: int(work.low)}

    def player(self, clocks: bool = False) -> Player:
        """Return a new player of this engine; compiles what is not in the kernel cache. It is ready: its
        first move does not include loading. (Without a time as limit that is so where all of it is
        compiled, and the first engine of these kernels in a process sees to it.)

        `clocks`: whether its games have clocks; raises Refused where it needs one that is not there.
        """
        if self.by_clock and not clocks:
            raise Refused(f"{self.text}: {NO_CLOCK}")
        if not self.timed:
            return self._made(self._loaded())
        self.ready()
        player = self._unready_player()
        if self.limit is not None and self.limit[0] == CLOCK:
            player.clock_moves = self.limit[1]
        elif self.limit is not None:
            player.limit_ms = self.limit[1]
        return player

    def compiled(self) -> Recipe | None:
        """Compile what a first move needs and return the recipe: together this takes less time than the rules
        first, for a position, and then the search.
        """
        recipe = self.recipe()
        if recipe is not None:
            prepare(*recipe.kernels(), *self.game.first_kernels())
        return recipe

    def _loaded(self) -> Recipe | None:
        # The compiled recipe; gets ready where no engine of the same kernels has been in this process.
        if (recipe := self.compiled()) is None:
            return None
        kernels = [kernel for kernel in recipe.kernels() if kernel is not None]
        key = (self.game.label, recipe.player, *map(id, kernels))
        if key not in _in_process:
            _in_process[key] = kernels  # kept, so that no other kernel gets the same id
            with suppress(PlayerFailure):  # its first move in a game fails, too, and says so
                self.ready()
        return recipe

    def _unready_player(self) -> Player:
        return self._made(self.compiled())

    def _made(self, recipe: Recipe | None) -> Player:
        player = recipe.make() if recipe else self.search.player(self.setup)
        return self.evaluation.overseen(self.game, player) if self.evaluation else player


# What this process has loaded, by its kernels.
_in_process: dict[tuple[object, ...], list[Kernel]] = {}


@lru_cache(maxsize=64)
def parse_game(text: str) -> Game:
    """Return the game of a text like `connect4[columns=12,rows=6]`."""
    match = GAME.match(text)
    if not match:
        raise Refused(f"{text!r} is not a game (name, or name[option=value,...])")
    game: Game = make("game", match[1], options=split_options(match[2] or "", text))
    return _games.setdefault((type(game), game.label), game)  # however it was written: one game


_games: dict[tuple[type[Game], str], Game] = {}


def parse_engine(text: str, game: Game | None = None) -> Engine:
    """Return the engine of a text `game/search:name=value,...`; with `game`, that part may miss.

    The text may also be the path of a .json or .toml file that `joute export` wrote.
    """
    if not is_file(text):
        if is_other_file(text):
            hint = "; joute export as toml or json writes one that does (its other files play by themselves)"
            hint = seat_hint(text, game.name if game is not None else "") or hint
            raise Refused(f"{text}: a file that does not describe an engine{hint}")
        return _parsed(text, game)
    try:
        return _parsed(engine_text(text), game)
    except Refused as error:
        why = str(error)
        loaded = {Path(file).name for file in plugin_files()}
        needed = [name for name in plugins_of_file(text) if name not in loaded]
        hint = f"; it needs {', '.join(needed)}: {plugins_of(needed)}" if needed else ""
        raise Refused((why if why.startswith(text) else f"{text}: {why}") + hint) from None


@lru_cache(maxsize=4096)
def _parsed(text: str, game: Game | None = None) -> Engine:
    return Engine(*settings_of_text(text, game), text)


def settings_of_text(text: str, game: Game | None = None) -> tuple[Game, dict[str, str]]:
    """Return the game of an engine's text, and its settings, not yet checked."""
    head, search, arguments = split_engine(text)
    search = search.strip()
    if not head:
        if game is None:
            known = search in entries("search")
            hint = f"; its game is missing: GAME/{search}" if known else ""
            raise Refused(
                f"{text!r} is not an engine (game/search:name=value,...), nor a .toml or .json file "
                f"of joute export{hint or seat_hint(search)}"
            )
        if search not in entries("search") and (hint := seat_hint(search, game.name)):
            raise Refused(f"{search!r} is not an engine (search:name=value,...){hint}")
        head = game.label
    bound = game if game is not None and head == game.label else parse_game(head)
    settings = settings_of(type(bound), search, arguments, text)
    if "search" in settings:
        raise Refused(f"{text}: the search is {search!r} already")
    return bound, {"search": search, **settings}
