"""Conformance: what every game and every engine must do, checked on whatever there is.

`joute check` runs it on anything, plugins included; the tests run it on every member, which is thus
tested by existing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from engines.engine import Engine, parse_engine, parse_game
from engines.engine_text import is_file, names_game
from engines.errors import JouteError, Refused
from engines.game import Game
from engines.kernels.compile import Words
from engines.kernels.random import next_word, stream
from engines.player import Player, PlayerFailure
from engines.position import Position, parse_position
from engines.registry import find, names
from engines.search import Search
from harness.match import Rules, Tally, play_game, returns_of

GAMES = 20
WHOLE_GAMES = 4


@dataclass(frozen=True)
class Checked:
    """One rule on one thing; `fault` is empty when it holds, `note` says what else was seen."""

    thing: str
    rule: str
    fault: str
    note: str = ""


class Note(str):
    """A finding that is no fault of the thing, or not surely one."""


DIFFER = "three runs with one seed differ"
LATE = "one turn was late, by a hiccup of this machine or by the engine; check again"


def check_all(things: list[str], start: bool = True) -> list[Checked]:
    """Check the named games and engines, or every game with every search that plays it.

    Without `start`, of engines that are programs no more than that their settings are allowed.
    """
    if not things:
        things = []
        for game in names("game"):
            things += [game, *engines_of(parse_game(game))]
    found: list[Checked] = []
    for thing in things:
        if not (names_game(thing) or is_file(thing)):
            found += check_game(parse_game(thing))
            continue
        engine = parse_engine(thing)
        if engine.search.starts and not start:
            found.append(Checked(engine.text, "its settings are allowed", "", "it was not started"))
        else:
            found += check_engine(engine)
    return found


def engines_of(game: Game) -> list[str]:
    """Return a quick engine of every search and evaluation that plays a game."""
    found = []
    fitting = [n for n in names("evaluation") if game.name in find("evaluation", n).games]
    limits = {"nodes": "nodes=200", "iterations": "iterations=50", "milliseconds": "milliseconds=5"}
    for search in names("search"):
        if search == "human":
            continue
        kind = find("search", search)
        limit = [limits[kind.limits[0]]] if kind.limits and kind.needs_limit else []
        uses: dict[str, list[str | None]] = {
            "never": [None],
            "always": [*fitting],
            "optional": [None, *fitting],
        }
        for evaluation in uses[kind.evaluation]:
            arguments = ([f"evaluation={evaluation}"] if evaluation else []) + limit
            text = f"{game.label}/{search}" + (f":{','.join(arguments)}" if arguments else "")
            try:
                parse_engine(text)
            except Refused:
                continue
            found.append(text)
    hands = [
        t for t in found if ":" in t and type(parse_engine(t).search).recipe is not Search.recipe
    ]
    endings = [n for n in names("ending") if game.name in find("ending", n).games]
    return found + [f"{hands[-1]},ending={ending}" for ending in endings if hands]


def check_game(game: Game) -> list[Checked]:
    """Check the rules of GAME_RULES on random games."""
    made = checked(game.label, "its rules can be made", guarded(rules_are_made, game))
    rules = {} if made.fault else GAME_RULES  # one mistake is told once
    return [made, *(checked(game.label, n, guarded(rule, game)) for n, rule in rules.items())]


def rules_are_made(game: Game) -> str:
    """Kernels compile, and there are all that are needed."""
    return "" if game.rules else "there are none"


def check_engine(engine: Engine) -> list[Checked]:
    """Check the rules of ENGINE_RULES."""
    timed = engine.limit is not None and engine.limit[0] == "milliseconds"
    rules = {n: r for n, r in ENGINE_RULES.items() if r is not reproducible or not timed}
    found = []
    for name, rule in rules.items():
        finding = guarded(rule, engine)
        if rule is reproducible and not engine.search.reproducible:  # told, but no fault
            seen = {"": "yes", DIFFER: "no"}.get(finding, "not seen")
            name, finding = f"{name}: {seen}", Note(finding)
        found.append(checked(engine.text, name, finding))
    return found


def checked(thing: str, rule: str, finding: str) -> Checked:
    """Return a rule's finding as a fault or as a note."""
    return Checked(thing, rule, *(("", finding) if isinstance(finding, Note) else (finding, "")))


def guarded(rule: Callable[..., str], thing: Game | Engine) -> str:
    """Return a rule's finding; an exception is a finding too."""
    try:
        return rule(thing)
    except PlayerFailure as failure:
        finding = f"{failure.kind}: {failure.text}"
        return Note(f"{LATE}: {finding}") if failure.kind == "timeout" else finding
    except JouteError as error:
        return str(error)
    except Exception as error:
        return f"raised {error!r}"


def random_games(game: Game) -> Iterator[Position]:
    """Yield every position of some random games; the one object moves on."""
    S = stream(2026)
    for _ in range(GAMES):
        position = Position(game)
        yield position
        while not position.over:
            if game.listed and not position.legal_actions():
                break  # nothing can be drawn there; a rule says so
            action = position.sample_action(S)
            position.play(action, position.draw_outcome(action, int(next_word(S))))
            yield position


def some_actions(position: Position, S: Words) -> list[int]:
    """Return the legal actions, or some drawn ones in a game that cannot list them."""
    if position.over or position.game.listed:
        return position.legal_actions()
    return [position.sample_action(S) for _ in range(4)]


def legal_actions_agree(game: Game) -> str:
    """The list, is_legal and sample name the same actions; at least one while the game goes on."""
    S = stream(7)
    for position in random_games(game):
        if not game.listed:
            if not all(position.is_legal(a) for a in some_actions(position, S)):
                return f"ply {position.ply}: a sampled action is not legal"
            if position.is_legal(-1) or position.is_legal(0):
                return f"ply {position.ply}: nonsense is legal"
            continue
        listed = position.legal_actions()
        if position.over:
            continue
        if not listed:
            return f"ply {position.ply}: the game goes on without a legal action"
        if len(set(listed)) != len(listed) or (game.compiled and len(listed) > game.slots):
            return f"ply {position.ply}: {listed} has doubles or more than {game.slots} actions"
        if any(not position.is_legal(a) for a in listed):
            return f"ply {position.ply}: a listed action is not legal"
        if position.sample_action(S) not in listed:
            return f"ply {position.ply}: a sampled action is not listed"
        if position.is_legal(-1) or position.is_legal(1 << 40):
            return f"ply {position.ply}: nonsense is legal"
    return ""


def action_texts_round_trip(game: Game) -> str:
    """Every action's text reads back as the action."""
    S = stream(8)
    for position in random_games(game):
        for action in some_actions(position, S):
            if game.parse_action(game.action_text(action)) != action:
                return f"{game.action_text(action)!r} does not read back as {action}"
    return ""


def apply_leaves_its_source(game: Game) -> str:
    """apply does not change the state it starts from, and the player to move is a player."""
    S = stream(9)
    for position in random_games(game):
        if not 0 <= position.to_move < game.players:
            return f"ply {position.ply}: player {position.to_move} is to move"
        for action in some_actions(position, S)[:4]:
            before, other = position.words(), position.copy()
            at = other.at
            other.play(action, other.draw_outcome(action, 1))
            if not np.array_equal(other.W[at : at + game.words], before):
                return f"ply {position.ply}: apply changed its source"
            if game.alternating and not other.over and other.to_move == position.to_move:
                return f"ply {position.ply}: nobody else is to move; declare alternating = False"
    return ""


def returns_are_shares(game: Game) -> str:
    """Every game ends within max_plies, with returns in [0, 1] that sum to players / 2."""
    for position in random_games(game):
        if position.ply > game.max_plies:
            return f"a game lasted more than max_plies = {game.max_plies}"
        if position.over:
            returns = position.returns()
            if abs(sum(returns) - game.players / 2) > 1e-9 or min(returns) < 0 or max(returns) > 1:
                return f"returns {returns}"
            if game.listed and position.legal_actions():
                return "a finished game has legal actions"
    return ""


def keys_tell_positions_apart(game: Game) -> str:
    """Keys are stable, and the positions of a game rarely share one."""
    seen, states = set(), set()
    for position in random_games(game):
        if position.key() != position.copy().key():
            return "the key of a copy differs"
        seen.add(position.key())
        states.add(tuple(position.words().tolist()))
    # A symmetry may map up to 16 states on each other, no more.
    return "" if 16 * len(seen) >= len(states) else f"{len(seen)} keys for {len(states)} states"


def position_text_round_trips(game: Game) -> str:
    """A position's text, where there is one, sets up the same state."""
    for position in random_games(game):
        text = position.text()
        if text is not None and not np.array_equal(
            parse_position(game, text).words(), position.words()
        ):
            return f"{text!r} sets up another state"
    return ""


def draws(game: Game) -> str:
    """The drawing is some text, and differs once something was played."""
    drawings = [position.draw() for position in random_games(game)][:2]
    return "" if drawings[0].strip() and drawings[0] != drawings[-1] else "nothing is drawn"


def plays_legally(engine: Engine) -> str:
    """Against a random opponent in every seat, whole games end without a failure; a single late turn
    in all of them is a note.
    """
    game = engine.game
    opponent = parse_engine(f"{game.label}/random")
    late: list[str] = []
    for number in range(WHOLE_GAMES):
        position, players = Position(game), []
        for seat in range(game.players):
            who = engine if seat == number % game.players else opponent
            player = who.player()
            player.new_game(100 * number + seat, seat)
            players.append(player)
        tallies = [Tally() for _ in players]
        failures = play_game(position, players, lambda ply: ply, Rules(), tallies)
        for player in players:
            player.game_over(position)
            player.close()
        for failed in failures:
            finding = f"seat {failed.seat}, ply {failed.ply}: {failed.kind}: {failed.text}"
            if failed.kind != "timeout":
                return finding
            late.append(finding)
        if abs(sum(returns_of(position, failures)[0]) - game.players / 2) > 1e-9:
            return "returns do not sum to players / 2"
    if len(late) == 1:
        return Note(f"{LATE}: {late[0]}")
    return (
        f"{len(late)} turns of {WHOLE_GAMES} games were late, the first: {late[0]}" if late else ""
    )


def reproducible(engine: Engine) -> str:
    """The same seed gives the same game twice, move for move, also by a player used before."""
    used, other = engine.player(), engine.player()
    with closing(used), closing(other):
        return same_lines(engine, (used, other, used))


def same_lines(engine: Engine, players: Sequence[Player]) -> str:
    """Let each player play the same game; say whether they did."""
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


GAME_RULES: dict[str, Callable[[Game], str]] = {
    "legal actions agree": legal_actions_agree,
    "action texts read back": action_texts_round_trip,
    "apply leaves its source alone": apply_leaves_its_source,
    "games end with fair returns": returns_are_shares,
    "keys tell positions apart": keys_tell_positions_apart,
    "position texts read back": position_text_round_trips,
    "positions are drawn": draws,
}
ENGINE_RULES: dict[str, Callable[[Engine], str]] = {
    "plays whole games legally": plays_legally,
    "fixed work is reproducible": reproducible,
    "its text reads back": text_round_trips,
}
