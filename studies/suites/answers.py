"""What engines answer to the cases of a suite: one fresh player a case, always with the same seed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from engines.engine import Engine, parse_engine, parse_game
from engines.engine_text import engine_text, is_file, split_engine, split_options
from engines.errors import Refused
from engines.game import Game
from engines.kernels.random import seed_of
from engines.parameter import text_of
from engines.player import Player, PlayerFailure
from engines.position import parse_position
from engines.registry import load_plugin, plugin_files
from studies.suites.suite import Case, Suite

LOOK_S = 1.0  # so long one process answers alone; then it is known whether others would help
WORTH_S = 3.0  # of work left, from which starting other processes pays
LINES = 2  # kept of what a failing player says


@dataclass(frozen=True)
class Answer:
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
    """An engine, by a short name and its canonical text, and its answers in the order of the cases."""

    name: str
    spec: str
    answers: tuple[Answer, ...]


def engines_of(suite: Suite, specs: Sequence[str], grid: Sequence[str]) -> dict[str, Engine]:
    """Return the engines by short names: those of the texts, crossed with every value of the grid.

    A grid is texts like `k=0.05,0.1,0.2`; it may say what an engine needs and its text leaves out.
    Engines that mean the same come once.
    """
    axes = dict(axis_of(text) for text in grid)
    if len(axes) < len(grid):
        raise Refused("--grid names a parameter twice")
    found: dict[str, Engine] = {}
    for spec in specs:
        settings = settings_of(spec, suite.game)
        for values in product(*axes.values()):
            crossed = dict(zip(axes, values, strict=True))
            engine = Engine(suite.game, settings | crossed, spec)
            found.setdefault(engine.text, engine)
    if not found:
        raise Refused("no engine is given; allowed: a SPEC like game/search:name=value or more")
    return dict(zip(short_names(list(found.values()), [*axes]), found.values(), strict=True))


def settings_of(spec: str, game: Game) -> dict[str, str]:
    """Return the settings of an engine's text or file, not yet checked: a grid may add to them."""
    head, search, arguments = split_engine(engine_text(spec) if is_file(spec) else spec)
    if head and parse_game(head).label != game.label:
        raise Refused(f"{spec} plays another game than {game.label}")
    settings = split_options(arguments, spec)
    if "search" in settings:
        raise Refused(f"{spec}: the search is {search!r} already")
    return {"search": search.strip(), **settings}


def axis_of(text: str) -> tuple[str, list[str]]:
    """Return the name and the values of one axis of a grid."""
    name, equals, values = (part.strip() for part in text.partition("="))
    listed = [value.strip() for value in values.split(",")]
    if not (equals and name and all(listed)):
        raise Refused(f"--grid {text!r} is not of the form name=value,value,...")
    return name, listed


def short_names(engines: Sequence[Engine], first: Sequence[str] = ()) -> list[str]:
    """Name engines by their search, if there are several, and by what differs among those of one;
    the settings `first` are said first, in that order.
    """
    searches = dict.fromkeys(engine.search.name for engine in engines)
    names: dict[str, str] = {}
    for search in searches:
        own = [engine for engine in engines if engine.search.name == search]
        keys = dict.fromkeys([*first, *(key for engine in own for key in engine.settings)])
        differing = [k for k in keys if len({repr(e.settings.get(k)) for e in own}) > 1]
        for engine in own:
            mine = [(k, engine.settings[k]) for k in differing if k in engine.settings]
            rest = ",".join(f"{k}={text_of(v)}" for k, v in mine)
            head = search if len(searches) > 1 or not rest else ""
            names[engine.text] = ":".join(part for part in (head, rest) if part)
    return [names[engine.text] for engine in engines]


def ask(suite: Suite, engines: dict[str, Engine], seed: int, workers: int) -> list[Column]:
    """Put every case to every engine, on several cores where that pays; the answers are the same."""
    todo = [(engine.text, case) for engine in engines.values() for case in suite.cases]
    found: list[Answer] = []
    spent, players = 0.0, dict[str, Player]()
    for text, case in todo:
        found.append(answer(text, suite.game.label, case, seed, players))
        spent += found[-1].ms / 1e3
        left = len(todo) - len(found)
        if workers > 1 and spent > LOOK_S and left * spent / len(found) > WORTH_S:
            break
    for player in players.values():
        player.close()
    if len(found) < len(todo):
        rest = todo[len(found) :]
        found += _elsewhere([(text, suite.game.label, case, seed) for text, case in rest], workers)
    rows = iter(found)
    return [
        Column(name, engine.text, tuple(next(rows) for _ in suite.cases))
        for name, engine in engines.items()
    ]


def _elsewhere(todo: Sequence[tuple[str, str, Case, int]], workers: int) -> Iterator[Answer]:
    """Yield the answers from worker processes, in order."""
    from joblib import Parallel, delayed

    plugins = plugin_files()
    jobs = (delayed(_with_plugins)(plugins, *one) for one in todo)
    yield from Parallel(n_jobs=workers)(jobs)


def _with_plugins(plugins: Sequence[str], text: str, game: str, case: Case, seed: int) -> Answer:
    for plugin in plugins:
        load_plugin(plugin)
    players: dict[str, Player] = {}
    try:
        return answer(text, game, case, seed, players)
    finally:
        for player in players.values():
            player.close()


def answer(text: str, game: str, case: Case, seed: int, players: dict[str, Player]) -> Answer:
    """Return the answer of an engine, by its text, to a case; `players` keeps its player."""
    engine = parse_engine(text, parse_game(game))
    position = parse_position(engine.game, case.position)
    begun = time.perf_counter()
    try:
        if text not in players:
            players[text] = engine.player()
        players[text].new_game(seed_of(seed, case.name), position.to_move)
        begun = time.perf_counter()
        choice = players[text].choose(position)
    except PlayerFailure as failure:
        return Answer(
            "", False, ms=_since(begun), failure=f"{failure.kind}: {_short(failure.text)}"
        )
    except (Exception, SystemExit) as error:
        return Answer("", False, ms=_since(begun), failure=f"crash: {_short(repr(error))}")
    ms, action = _since(begun), engine.game.action_text(choice.action)
    legal = position.is_legal(choice.action)
    return Answer(
        action,
        legal and case.passes(action),
        choice.value,
        choice.depth,
        choice.nodes,
        ms,
        "" if legal else f"illegal: {action}",
    )


def _since(begun: float) -> float:
    return (time.perf_counter() - begun) * 1e3


def _short(text: str) -> str:
    return " ".join(line.strip() for line in text.strip().splitlines()[:LINES])[:200]
