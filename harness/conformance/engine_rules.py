"""Rules for every engine, checked in whole games."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from joute.engines.engine import Engine, parse_engine
from joute.engines.errors import Refused
from joute.engines.first_turn import UNREAD, USUAL_CLOCK, first_turn
from joute.engines.game import Game
from joute.engines.kernels.compile import Floats
from joute.engines.kernels.random import stream
from joute.engines.player import RESIGNED, Player, brief
from joute.engines.position import Position, parse_position
from joute.engines.registry import find
from joute.harness.conformance.findings import LATE, Fatal, Note, OutOfBounds
from joute.harness.conformance.game_rules import random_games, symmetries_hold
from joute.harness.match import Rules, Starved, Tally, play_game, returns_of

WHOLE_GAMES = 4
MIRRORED = 3  # games that are played beside their mirror images
POSITIONS, DIFFERENT = 100, 10  # positions tried; different values without which nothing is known
MOVERS = (("X", "O"), ("B", "W"), ("b", "w"))  # names of the players in texts of positions
RULES = Rules(void_starved=True)

DIFFER = "three runs with one seed differ"


def player_is_made(engine: Engine) -> str:
    """The search compiles for the game and the evaluation."""
    if isinstance(engine.search, find("search", "process")):
        return ""  # a program starts with its first game
    engine.player(clocks=True).close()
    return ""


def looks_back(game: Game) -> bool:
    """Whether more than a game's end depends on the line of play."""
    return game.path_dependent and not game.repeats


def keeps_to_its_words(engine: Engine) -> str:
    """The evaluation's kernels touch the words of a state, their own, and no others."""
    game, evaluation = engine.game, engine.evaluation
    if evaluation is None or evaluation.path_dependent or looks_back(game):
        return ""
    kernels = evaluation.kernels(game, engine.search.base)
    P, R, S = engine.vector, np.zeros(game.players), stream(6)
    at, size = kernels.scratch, game.words + kernels.words
    position = Position(game)
    while not position.over:
        W = np.zeros(at + size, np.uint64)
        W[at : at + game.words] = position.words()
        calls: dict[str, tuple[Any, ...]] = {"init": (W, at, P), "value": (W, at, P)}
        if game.players > 2:
            calls = {"init": (W, at, P), "values": (W, at, P, R, 0)}
        for name, arguments in calls.items():
            if (kernel := getattr(kernels, name)) is None:
                continue
            with within_its_words(engine, name, kernels.words):
                kernel(*arguments)
        action = position.sample_action(S)
        position.play(action, position.draw_outcome(action, position.ply))
    return ""


@contextmanager
def within_its_words(engine: Engine, name: str, words: int) -> Iterator[None]:
    """Report in plain words that a kernel of the evaluation left its arrays; that ends the check."""
    try:
        yield
    except IndexError:
        evaluation = engine.evaluation.name if engine.evaluation else ""
        raise OutOfBounds(
            f"the kernel {name} of the evaluation {evaluation} reads or writes outside its "
            f"arrays: a state has {engine.game.words} words, followed by {words} of the evaluation"
        ) from None


def keeps_its_words_up_to_date(engine: Engine) -> str:
    """After every action `update` leaves in the evaluation's own words what `init` would compute.

    Games whose turns are not listed are left out: there only a generator gives actions a code.
    """
    game, evaluation = engine.game, engine.evaluation
    if evaluation is None or evaluation.path_dependent or looks_back(game) or not game.listed:
        return ""
    kernels = evaluation.kernels(game, engine.search.base)
    P, S, size = engine.vector, stream(8), game.words + kernels.words
    position, at = Position(game), kernels.scratch
    W = np.zeros(at + 2 * size, np.uint64)
    W[at : at + game.words] = position.words()
    kernels.init(W, at, P)
    while True:
        action = position.sample_action(S)
        position.play(action, position.draw_outcome(action, position.ply))
        if position.over:
            return ""
        to = kernels.scratch + (size if at == kernels.scratch else 0)
        W[to : to + game.words] = position.words()
        with within_its_words(engine, "update", kernels.words):
            kernels.update(W, at, to, action, P)
        afresh = W.copy()
        kernels.init(afresh, to, P)
        wrong = np.flatnonzero(W[to : to + size] != afresh[to : to + size]) - game.words
        if len(wrong):
            which = f"word {wrong[0]} of its own" if wrong[0] >= 0 else "a word of the game's"
            return (
                f"ply {position.ply}, after {game.action_text(action)}: update leaves a different "
                f"value in {which} than init computes"
            )
        at = to


def values_follow_keys(engine: Engine) -> str:
    """Positions with equal keys have equal values, so that a search may take them from a table.

    A random game is played beside a second one, as different as equal keys allow: its mirror image.
    """
    game, evaluation = engine.game, engine.evaluation
    if evaluation is None or not evaluation.symmetric or evaluation.path_dependent:
        return ""
    if looks_back(game) or game.chance or not game.listed:
        return ""
    S = stream(10)
    for _ in range(MIRRORED):
        one, other = Position(game), Position(game)
        while not one.over:
            values = [values_of(engine, position) for position in (one, other)]
            if not np.isfinite(values).all():
                return f"{one.line()} has the value {values[0]}; allowed: a finite number"
            if values[0] != values[1]:
                return symmetries_hold(game) or (
                    f"{one.line()} and {other.line()} have the same key, and the values "
                    f"{values[0]} and "
                    f"{values[1]}; declare symmetric = False"
                )
            one.play(one.sample_action(S))
            images = [after for after in followers(other) if after.key() == one.key()]
            if not images:
                break  # a rule for the game reports the fault
            other = images[-1]
    return ""


def values_follow_own_parameters(engine: Engine) -> str:
    """A value does not change with a parameter of the search, or of another part of the engine."""
    game, evaluation = engine.game, engine.evaluation
    if evaluation is None or evaluation.path_dependent or looks_back(game):
        return ""
    own = slice(engine.search.base, engine.search.base + len(evaluation.parameters))
    others = [*range(own.start), *range(own.stop, len(engine.vector))]

    def depends(position: Position, *changed: int) -> bool:
        P = engine.vector.copy()
        P[[*changed]] = 3.0 * P[[*changed]] + 5.0
        return values_of(engine, position, P) != values_of(engine, position)

    for position in islice(random_games(game), POSITIONS):
        if others and not position.over and depends(position, *others):
            read = [
                name
                for i, name in enumerate(engine.numbers)
                if i in others and depends(position, i)
            ]
            return (
                f"its values change with {', '.join(read) or 'others'}, no parameter of its own; say where "
                "those begin: places(self.parameters, base)"
            )
    return ""


def values_are_the_movers(engine: Engine) -> str:
    """A value is that of the player to move: where the other one is to move on the same board, it is
    another, at least somewhere in random games. Asked where a position's text names who is to move.
    """
    game, evaluation = engine.game, engine.evaluation
    if evaluation is None or game.players != 2 or evaluation.path_dependent or looks_back(game):
        return ""
    seen: set[float] = set()
    for position in islice(random_games(game), POSITIONS):
        other = None if position.over else with_other_mover(position)
        if other is None or other.over:
            continue
        value = values_of(engine, position)[0]
        if value != values_of(engine, other)[0]:
            return ""
        seen.add(value)
    if len(seen) < DIFFERENT:
        return ""
    return (
        "its values do not depend on the side to move, on any board tried; a value must be for "
        "the player to move"
    )


def with_other_mover(position: Position) -> Position | None:
    """Return the same board with the other player to move, None where its text cannot say that."""
    words = (position.text() or "").split()
    for one, two in MOVERS:
        for number, word in enumerate(words[1:], 1):
            if word not in (one, two):
                continue
            after = [two if word == one else one]
            if words[number + 1 : number + 2] and words[number + 1].isdigit():
                after.append(str(int(words[number + 1]) + 1))
            text = " ".join([*words[:number], *after, *words[number + len(after) :]])
            try:
                other = parse_position(position.game, text)
            except Refused:
                continue
            if other.to_move != position.to_move and other.draw() == position.draw():
                return other
    return None


def followers(position: Position) -> Iterator[Position]:
    """Yield the positions that each legal action leads to."""
    for action in position.legal_actions():
        after = position.copy()
        after.play(action)
        yield after


def values_of(engine: Engine, position: Position, vector: Floats | None = None) -> list[float]:
    """Return the evaluation's value for the player to move; for more than two players, of each. `vector`:
    the parameters, if not the engine's.
    """
    assert engine.evaluation is not None
    kernels = engine.evaluation.kernels(engine.game, engine.search.base)
    P = engine.vector if vector is None else vector
    at, words = kernels.scratch, engine.game.words
    W, R = np.zeros(at + words + kernels.words, np.uint64), np.zeros(engine.game.players)
    W[at : at + words] = position.words()
    kernels.init(W, at, P)
    if kernels.values is None:
        return [float(kernels.value(W, at, P))]
    kernels.values(W, at, P, R, 0)
    return [float(r) for r in R]


def plays_legally(engine: Engine) -> str:
    """Against a random opponent in every seat, whole games end without a failure; a single late turn
    in all of them is a note. A program that was late twice is asked no more: it may hang.
    """
    game = engine.game
    opponent = parse_engine(f"{game.label}/random")
    rules = replace(RULES, clock=USUAL_CLOCK) if engine.by_clock else RULES
    late: list[str] = []
    for number in range(WHOLE_GAMES):
        position, players = Position(game), []
        for seat in range(game.players):
            seated = engine if seat == number % game.players else opponent
            player = seated.player(clocks=True)
            player.new_game(100 * number + seat, seat)
            players.append(player)
        tallies = [Tally() for _ in players]
        try:
            failures = play_game(position, players, lambda ply: ply, rules, tallies)
        except Starved as starved:
            return Note(f"this machine is too busy to tell whether the engine is late: {starved}")
        finally:
            for player in players:
                player.game_over(position)
                player.close()
        for failed in (one for one in failures if one.kind != RESIGNED):
            finding = f"seat {failed.seat}, ply {failed.ply}: {failed.kind}: {brief(failed.text)}"
            if failed.kind != "timeout":
                return finding
            late.append(finding)
        if len(late) > 1 and engine.search.starts:
            games = f"{len(late)} turns of {number + 1} games were late"
            return Fatal(f"{games}, the first: {late[0]}")
        if abs(sum(returns_of(position, failures)[0]) - game.players / 2) > 1e-9:
            return "returns do not sum to players / 2"
    if len(late) == 1:
        return Note(f"{LATE}: {late[0]}")
    return (
        f"{len(late)} turns of {WHOLE_GAMES} games were late, the first: {late[0]}" if late else ""
    )


def opens_its_file(engine: Engine) -> str:
    """A program with a parameter file reads it before its first answer."""
    unread = first_turn(engine).opened is False
    return UNREAD.format(file=engine.values["file"]) if unread else ""


def reproducible(engine: Engine) -> str:
    """The same seed gives the same game twice, move for move, also by a player used before."""
    used, other = engine.player(), engine.player()
    with closing(used), closing(other):
        return same_lines(engine, (used, other, used))


def same_lines(engine: Engine, players: Sequence[Player]) -> str:
    """Let each player play the same game; return whether the lines of play are equal."""
    lines = []
    for player in players:
        player.new_game(12, 0)
        position, S = Position(engine.game), stream(5)
        while not position.over and position.ply < 30:
            if position.to_move == 0:
                action = player.choose(position).action
                if not position.is_legal(action):  # the kernels do not check: it must not be played
                    return (
                        f"ply {position.ply}: played {engine.game.action_text(action)!r}, not legal"
                    )
            else:
                action = position.sample_action(S)
            position.play(action, position.draw_outcome(action, position.ply))
        player.game_over(position)
        lines.append(position.moves)
    return "" if lines[0] == lines[1] == lines[2] else DIFFER


def text_round_trips(engine: Engine) -> str:
    """The canonical text reads back as the same engine."""
    again = parse_engine(engine.text)
    return "" if again.text == engine.text and again.id == engine.id else f"became {again.text}"


ENGINE_RULES: dict[str, Callable[[Engine], str]] = {
    "its evaluation stays within its words": keeps_to_its_words,
    "its evaluation keeps its words up to date": keeps_its_words_up_to_date,
    "its evaluation follows keys": values_follow_keys,
    "its evaluation reads its own parameters": values_follow_own_parameters,
    "its evaluation values the player to move": values_are_the_movers,
    "plays whole games legally": plays_legally,
    "opens its parameter file": opens_its_file,
    "fixed work is reproducible": reproducible,
    "its text reads back": text_round_trips,
}
