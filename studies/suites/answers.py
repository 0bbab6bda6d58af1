"""Engines' answers to the cases of a suite: each case is a separate game, always with one seed."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import prod

from joute.engines.engine import Engine, parse_engine, parse_game, settings_of_text
from joute.engines.engine_text import engine_text, is_file
from joute.engines.errors import ANYTHING, Refused
from joute.engines.game import Game
from joute.engines.kernels.random import seed_of
from joute.engines.parameter import text_of
from joute.engines.player import PlayerFailure, counted
from joute.engines.position import parse_position
from joute.engines.registry import plugin_files
from joute.harness.executor import Executor
from joute.harness.inflight import Doing, InFlight
from joute.harness.match import Rules
from joute.harness.runner import Runner
from joute.harness.suspension import notice_suspensions
from joute.harness.worker import Setting, player_of
from joute.studies.file.range import MOST
from joute.studies.suites.suite import Case, Suite

LINES = 2  # lines kept of a failing player's output


@dataclass(frozen=True)
class SuiteAnswer:
    """An engine's answer to a case: the action's text, or "" and why it failed to answer."""

    action: str
    passed: bool
    value: float | None = None
    depth: int = 0
    nodes: int = 0
    ms: float = 0.0
    failure: str = ""


@dataclass(frozen=True)
class Column:
    """An engine (short name, canonical text) and its answers in the order of the cases."""

    name: str
    spec: str
    answers: tuple[SuiteAnswer, ...]


def engines_of(
    game: Game, specs: Sequence[str], grid: Sequence[str], alike: bool = True
) -> dict[str, Engine]:
    """Return engines by short name: those of the texts, crossed with every value of the grid.

    A grid is texts like `k=0.05,0.1,0.2`; it may supply what an engine needs and its text leaves
    out. Equal engines come once. They play `game`, or, if not `alike`, with other options.
    """
    axes = dict(axis_of(text) for text in grid)
    if len(axes) < len(grid):
        raise Refused("--grid names a parameter twice")
    if (number := prod(map(len, axes.values())) * len(specs)) > MOST:
        raise Refused(f"{number} engines; allowed: at most {MOST}")
    by_text: dict[str, Engine] = {}
    for spec in specs:
        played, settings = base_settings(spec, game, alike)
        for values in product(*axes.values()):
            crossed = dict(zip(axes, values, strict=True))
            engine = Engine(played, settings | crossed, spec)
            by_text.setdefault(engine.text, engine)
    if not by_text:
        raise Refused(
            "no engine is given; allowed: one SPEC or more, such as game/search:name=value"
        )
    return dict(zip(short_names(list(by_text.values()), [*axes]), by_text.values(), strict=True))


def base_settings(spec: str, game: Game, alike: bool = True) -> tuple[Game, dict[str, str]]:
    """Return game and settings of an engine's text or file, unchecked: a grid may add to them."""
    played, settings = settings_of_text(engine_text(spec) if is_file(spec) else spec, game)
    if played.label != game.label if alike else played.name != game.name:
        raise Refused(f"{spec} plays another game than {game.label if alike else game.name}")
    return played, settings


def axis_of(text: str) -> tuple[str, list[str]]:
    """Return the name and the values of one axis of a grid."""
    name, equals, values = (part.strip() for part in text.partition("="))
    listed = [value.strip() for value in values.split(",")]
    if not (equals and name and all(listed)):
        raise Refused(f"--grid {text!r} is not of the form name=value,value,...")
    return name, listed


def short_names(engines: Sequence[Engine], first: Sequence[str] = ()) -> list[str]:
    """Name engines by their search, if there are several, and by the settings in which those of one
    search differ: by the settings `first` alone, if these tell them apart, else with those before.
    """
    searches = dict.fromkeys(engine.search.name for engine in engines)
    names: dict[str, str] = {}
    for search in searches:
        own = [engine for engine in engines if engine.search.name == search]
        keys = dict.fromkeys(first)
        if len({tuple(repr(e.settings.get(k)) for k in keys) for e in own}) < len(own):
            keys |= dict.fromkeys(key for engine in own for key in engine.settings)
        differing = [k for k in keys if len({repr(e.settings.get(k)) for e in own}) > 1]
        for engine in own:
            settings = [(k, engine.settings[k]) for k in differing if k in engine.settings]
            rest = ",".join(f"{k}={text_of(v)}" for k, v in settings)
            head = search if len(searches) > 1 or not rest else ""
            names[engine.text] = ":".join(part for part in (head, rest) if part)
    return [names[engine.text] for engine in engines]


@dataclass(frozen=True)
class Question:
    """A case put to an engine, as work for the runner: a crash fails only this case."""

    number: int
    engine: str
    case: Case
    seed: int

    def __str__(self) -> str:
        return f"case {self.case.name} for {self.engine}"

    def pieces(self) -> list[Question]:
        """Return itself: it is one answer."""
        return [self]

    def texts(self, setting: Setting) -> dict[str, str]:
        """Return the text of the engine."""
        return {"": self.engine}

    def play(self, setting: Setting, inflight: InFlight) -> list[tuple[int, SuiteAnswer]]:
        """Ask."""
        inflight.game(self.number, 0)
        inflight.turn(0, 0)
        return [(self.number, answer(self.engine, setting.game, self.case, self.seed))]

    def crashed(self, setting: Setting, doing: Doing, text: str) -> tuple[int, SuiteAnswer]:
        """Return the answer of an engine that crashed its process."""
        return self.number, SuiteAnswer("", False, failure=f"crash: {text}")


def ask(
    suite: Suite,
    engines: dict[str, Engine],
    seed: int,
    workers: int,
    executor: Executor | None = None,
) -> list[Column]:
    """Put every case to every engine, on an executor (default: processes of this machine); the
    answers are in order.
    """
    todo = [(engine.text, case) for engine in engines.values() for case in suite.cases]
    questions = [Question(i, text, case, seed) for i, (text, case) in enumerate(todo)]
    cases = len(suite.cases)
    questions.sort(key=lambda question: question.number % cases)  # each case to all: alike in time
    setting = setting_of(suite.game, engines)
    if executor is not None:
        executor.admit(setting)
    by_number: dict[int, SuiteAnswer] = {}
    with Runner(setting, min(workers, len(todo)), executor) as runner:
        for answers in runner.play(questions):
            by_number.update(answers)
    rows = iter(by_number[number] for number in range(len(todo)))
    return [
        Column(name, engine.text, tuple(next(rows) for _ in suite.cases))
        for name, engine in engines.items()
    ]


def setting_of(game: Game, engines: Mapping[str, Engine]) -> Setting:
    """Return what all questions share."""
    texts = {engine.id: engine.text for engine in engines.values()}
    return Setting(game.label, texts, Rules(), tuple(plugin_files()))


def answer(text: str, game: str, case: Case, seed: int) -> SuiteAnswer:
    """Return an engine's answer to a case, by this process's player of its text."""
    engine = parse_engine(text, parse_game(game))
    position = parse_position(engine.game, case.position)
    notice_suspensions()
    begun = time.perf_counter()
    try:
        _ready(text, game)
        player = player_of(text, 0)
        player.new_game(seed_of(seed, case.name), position.to_move)
        begun = time.perf_counter()
        choice = player.choose(position)
    except PlayerFailure as failure:
        return SuiteAnswer(
            "", False, ms=_since(begun), failure=f"{failure.kind}: {_short(failure.text)}"
        )
    except ANYTHING as error:
        return SuiteAnswer("", False, ms=_since(begun), failure=f"crash: {_short(repr(error))}")
    ms, action = _since(begun), engine.game.action_text(choice.action)
    if late := Rules().lateness(player, begun, ms):
        return SuiteAnswer("", False, ms=ms, failure=f"timeout: {late}")
    legal = position.is_legal(choice.action)
    return SuiteAnswer(
        action,
        legal and case.passes(action),
        choice.value,
        choice.depth,
        counted(choice.nodes),
        ms,
        "" if legal else f"illegal: {action}",
    )


@cache
def _ready(text: str, game: str) -> None:
    """Load what an engine's first move needs, once a process: no answer's time is to include it."""
    parse_engine(text, parse_game(game)).ready()


def _since(begun: float) -> float:
    return (time.perf_counter() - begun) * 1e3


def _short(text: str) -> str:
    return " ".join(line.strip() for line in text.strip().splitlines()[:LINES])[:200]
