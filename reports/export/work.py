"""How much an engine works a move, and smaller versions of it that work less."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from joute.engines.check import LIMIT_RANGE
from joute.engines.engine import Engine
from joute.engines.errors import Refused
from joute.engines.kernels.random import below, stream
from joute.engines.player import Move
from joute.engines.position import Position, parse_position
from joute.reports.export.portable import portable_player

TIME = "milliseconds"
LOOK_S = 5.0  # at most so long is spent on finding out how much work positions need
Line = tuple[str, ...]  # the positions of one game in which a player was asked, as texts


def games(engine: Engine, count: int, seed: int, asked: int = 8) -> list[Line]:
    """Return `count` positions with a move to make, from random games in which one player is asked.

    They come by games of at most `asked`, each a line of play that begins after some plies.
    """
    game, S, lines = engine.game, stream(seed), list[Line]()
    while count > 0:
        position, texts = Position(game), list[str]()
        skipped = int(below(S, 1 + min(game.max_plies // 2, 24)))
        while not position.over and len(texts) < min(asked, count):
            here = (position.ply - skipped) % game.players == 0
            text = " ".join(["startpos", *_moves(position)])
            if position.ply >= skipped and here:
                texts.append(text)
            action = position.sample_action(S)
            position.play(action, position.draw_outcome(action, position.ply + 1))
        if texts:
            lines.append(tuple(texts))
            count -= len(texts)
    return lines


def _moves(position: Position) -> list[str]:
    texts = [position.game.action_text(action) for action in position.moves]
    return ["moves", *texts] if texts else []


def answers(
    engine: Engine,
    lines: Sequence[Line],
    guard_ms: float | None = None,
    by_library: bool = False,
) -> Iterator[Move]:
    """Yield the engine's own choices in the positions of some games; `guard_ms` cuts off a search.
    A network runs on numpy, as in the file, or `by_library`, as in our games.
    """
    player = engine.player() if by_library else portable_player(engine)
    player.guard_ms = guard_ms
    for line in lines:
        for i, text in enumerate(line):
            position = parse_position(engine.game, text)
            if i == 0:
                player.new_game(0, position.to_move)
            yield player.choose(position)


def knob(engine: Engine) -> str:
    """Return the setting that limits an engine's work, "" if there is none."""
    return engine.limit[0] if engine.limit else engine.search.work


def with_work(engine: Engine, amount: float, kind: str = "") -> Engine:
    """Return the engine with another amount of work, possibly under another kind of limit."""
    settings = {k: v for k, v in engine.settings.items() if k != knob(engine)}
    return Engine(engine.game, {**settings, kind or knob(engine): amount})


def with_short_ending(engine: Engine, amount: float) -> Engine:
    """Return the engine with at most so much work for its ending, if it has one."""
    name = engine.ending.work if engine.ending else ""
    if not name or float(engine.values[name]) <= amount:
        return engine
    return Engine(engine.game, {**engine.settings, name: amount})


def counted(engine: Engine, amount: float) -> Engine:
    """Return the engine with a fixed amount of work instead of a limit of time."""
    kinds = [kind for kind in engine.search.limits if kind != TIME]
    if not kinds:
        raise Refused(f"{engine.text}: a time limit alone cannot be proved; allowed: no time limit")
    return with_work(engine, amount, kinds[0])


def smaller(engine: Engine) -> list[float]:
    """Return the amounts of work up to the engine's own, rising; empty if nothing sets it."""
    name = knob(engine)
    if not name:
        return []
    if engine.limit is None:
        parameter = next(p for p in engine.parameters if p.name == name)
        return [float(n) for n in range(int(parameter.low), int(engine.values[name]) + 1)]
    own, low = engine.limit[1], LIMIT_RANGE[name].low
    round_ = [digit * 10.0**power for power in range(16) for digit in (1, 2, 5)]
    return [amount for amount in round_ if low <= amount < own] + [own]


def work(engine: Engine, lines: Sequence[Line]) -> list[int]:
    """Return the nodes or iterations of the search's moves, in as many positions as time allows; of
    an endless search those of LOOK_S seconds, which no target affords.
    """
    nodes, begun = list[int](), time.perf_counter()
    for choice in answers(engine, lines, 1e3 * LOOK_S):
        if by_search(engine, choice):
            nodes.append(choice.nodes)
        if time.perf_counter() - begun > LOOK_S:
            break
    return nodes


def by_search(engine: Engine, choice: Move) -> bool:
    """Whether the engine's search chose, and not its ending, whose work is counted apart."""
    return engine.ending is None or choice.value is not None


def reduced(engine: Engine, lines: Sequence[Line], mean: float) -> Engine:
    """Return the engine with the most work below `mean` a move, or else with the least."""
    best = None
    for amount in smaller(engine):
        tried = with_work(engine, amount)
        done = work(tried, lines)
        if best is not None and sum(done) > mean * len(done):
            break
        best = tried
    return best or engine
