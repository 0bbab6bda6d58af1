"""Rules for every game, checked in random games."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from joute.engines.board_game import BoardGame
from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.kernels.compile import Words
from joute.engines.kernels.random import next_word, stream
from joute.engines.position import Position, parse_position

GAMES = 20


def rules_are_made(game: Game) -> str:
    """Kernels compile, and there are all that are needed."""
    return "" if game.rules else "there are none"


def random_games(game: Game) -> Iterator[Position]:
    """Yield every position of some random games; the one object moves on."""
    S = stream(2026)
    for _ in range(GAMES):
        position = Position(game)
        yield position
        while not position.over and position.ply <= game.max_plies:
            if game.listed and not position.legal_actions():
                break  # nothing can be drawn there; another rule reports that
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
                return f"ply {position.ply}: a nonsense action is legal"
            continue
        listed = position.legal_actions()
        if position.over:
            continue
        if not listed:
            return f"ply {position.ply}: the game goes on without a legal action"
        if len(set(listed)) != len(listed):
            return f"ply {position.ply}: an action is listed twice: {listed}"
        if game.compiled and len(listed) > game.slots:
            return f"ply {position.ply}: {len(listed)} actions, more than slots = {game.slots}"
        if any(not position.is_legal(a) for a in listed):
            return f"ply {position.ply}: a listed action is not legal"
        if wrong := not_first(position, listed):
            return f"ply {position.ply}: {wrong}"
        if position.sample_action(S) not in listed:
            return f"ply {position.ply}: a sampled action is not listed"
        if position.is_legal(-1) or position.is_legal(1 << 40):
            return f"ply {position.ply}: a nonsense action is legal"
    return ""


def not_first(position: Position, listed: list[int]) -> str:
    """Return what is wrong with the forcing actions, if the game lists them: all actions begin with them."""
    if position.game.compiled and (forcing := position.game.rules.forcing) is not None:
        A = np.zeros(position.game.slots, np.int64)
        count = int(forcing(position.W, position.at, A, 0))
        if A[: abs(count)].tolist() != listed[: abs(count)]:
            return "the list of actions does not begin with the forcing ones"
        if count < 0 and -count != len(listed):
            return "a threat must be answered, and not all actions are listed for it"
    return ""


def action_texts_round_trip(game: Game) -> str:
    """Every action's text reads back as the action."""
    S = stream(8)
    for position in random_games(game):
        for action in some_actions(position, S):
            if game.parse_action(game.action_text(action)) != action:
                return f"{game.action_text(action)!r} does not read back as {action}"
    return ""


NONSENSE = ("nonsense", "", "-1", "0", "1e3", "99999999999999999999", "\u2659", "a" * 300)


def nonsense_is_no_action(game: Game) -> str:
    """Texts that are no action are refused in one line, or name nothing that is legal."""
    position = Position(game)
    texts = {game.action_text(action) for action in some_actions(position, stream(8))}
    for text in (text for text in NONSENSE if text not in texts):
        try:
            action = game.parse_action(text)
        except Refused:
            continue
        except Exception as error:
            return (
                f"parse_action({text[:40]!r}) raises {error!r}; it must raise Refused, with what "
                "is allowed"
            )
        if fits(game, action) and position.is_legal(action):
            return f"parse_action({text[:40]!r}) is the legal action {game.action_text(action)!r}"
    return ""


def fits(game: Game, action: int) -> bool:
    """Whether an action can be handed to the game's kernels."""
    return not game.compiled or not game.listed or abs(action) < 1 << 62


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
                return (
                    f"ply {position.ply}: the same player moves again; declare alternating = False"
                )
    return ""


def returns_are_shares(game: Game) -> str:
    """Every game ends within max_plies, with returns in [0, 1] that sum to players / 2."""
    for position in random_games(game):
        if position.ply > game.max_plies:
            return f"a game lasted more than max_plies = {game.max_plies}"
        if position.over:
            R = np.full(game.players, np.nan)
            game.rules.returns(position.W, position.at, R, 0)
            returns = [float(r) for r in R]
            if any(r != r for r in returns):
                return f"returns lacks a player: {returns}"
            if returns != position.returns():
                return (
                    f"returns {returns}, but by the status {position.status} they are "
                    f"{position.returns()}"
                )
            if abs(sum(returns) - game.players / 2) > 1e-9 or min(returns) < 0 or max(returns) > 1:
                return f"returns {returns}; allowed: each from 0 to 1, their sum players / 2"
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


def symmetries_hold(game: Game) -> str:
    """An image of a position under the board's symmetries has the same status, returns, and
    followers, up to symmetry. Where the rules look back an image has no history: nothing is asked.
    """
    if not isinstance(game, BoardGame) or not game.symmetries or game.path_dependent:
        return ""
    maps = game.board.maps(*game.symmetries)
    for number, position in enumerate(random_games(game)):
        cells = game.cells(position.W, position.at)
        text = game.position_text(position.W, position.at)
        image = maps[number % len(maps)]
        mapped = [0] * len(cells)
        for cell, holds in enumerate(cells):
            mapped[image[cell]] = holds
        other = " ".join([game.board.text(mapped), *text.split()[1:]])
        one, two = parse_position(game, text), parse_position(game, other)
        if ends_of(one) != ends_of(two):
            return (
                f"{text!r} and its image {other!r} continue differently: symmetries = "
                f"{game.symmetries} includes one that the rules do not have"
            )
    return ""


def ends_of(position: Position) -> tuple[int, list[float], list[int]]:
    """Return what symmetries must not change: status, returns, and the sorted keys of followers."""
    if position.over:
        return position.status, position.returns(), []
    keys = []
    for action in position.legal_actions():
        after = position.copy()
        after.play(action, after.draw_outcome(action, 1))
        keys.append(after.key())
    return position.status, [], sorted(keys)


def position_text_round_trips(game: Game) -> str:
    """A position's text, if it has one, sets up the same state. Where the rules look back the
    history may be lost: then text and key are the same; where only the end looks back, so is what is legal.
    """
    for position in random_games(game):
        text = position.text()
        if text is None:
            continue
        again = parse_position(game, text)
        same = np.array_equal(again.words(), position.words())
        if game.path_dependent:
            same = (again.text(), again.key()) == (text, position.key())
        if game.repeats and not (again.over or position.over):
            same = same and again.legal_actions() == position.legal_actions()
        if not same:
            return f"{text!r} sets up another state"
    return ""


def draws(game: Game) -> str:
    """The drawing is some text, and differs once something was played."""
    drawings = [position.draw() for position in random_games(game)][:2]
    return "" if drawings[0].strip() and drawings[0] != drawings[-1] else "nothing is drawn"


GAME_RULES: dict[str, Callable[[Game], str]] = {
    "legal actions agree": legal_actions_agree,
    "action texts read back": action_texts_round_trip,
    "nonsense is no action": nonsense_is_no_action,
    "apply does not change its source": apply_leaves_its_source,
    "games end with fair returns": returns_are_shares,
    "keys tell positions apart": keys_tell_positions_apart,
    "its symmetries hold": symmetries_hold,
    "position texts read back": position_text_round_trips,
    "positions are drawn": draws,
}
