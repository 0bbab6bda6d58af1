"""Which parameters of a program change no move: a misspelt name, or one that it does not read."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from joute.engines.engine import Engine
from joute.engines.parameter import Value, text_of
from joute.engines.player import PlayerFailure, brief
from joute.engines.position import Position
from joute.harness.openings import random_plies
from joute.studies.file.whole_game import whole_game

PLIES = (0, 1, 2, 4, 6, 8, 11, 14)  # random plies before each position that is asked
SECONDS = 15.0  # after which nobody is asked any more


def unmoved(
    engine: Engine, ends: Mapping[str, Sequence[Value]]
) -> tuple[dict[str, str], list[str]]:
    """Return the parameters with which the program plays the same moves at both ends of their ranges, in
    some early positions and in a game against itself, each with words for where, and what is wrong at an
    end where it fails. Parameters for which there is no time are left out.
    """
    positions = [
        position for plies in PLIES if (position := random_plies(engine.game, 1 + plies, plies))
    ]
    until, same, failed = time.monotonic() + SECONDS, dict[str, str](), list[str]()
    for name, values in ends.items():
        answers = []
        for value in values:
            one = Engine(engine.game, engine.settings | {name: value})
            try:
                moves = moves_of(one, positions, until)
            except PlayerFailure as failure:
                failed.append(f"{name} = {text_of(value)}: {failure.kind}: {brief(failure.text)}")
                break
            if moves is None:
                return same, failed
            answers.append(moves)
        if len(answers) < len(values) or any(moves != answers[0] for moves in answers):
            continue
        games = []
        for value in values:
            one = Engine(engine.game, engine.settings | {name: value})
            games.append(whole_game(one, until - time.monotonic()))
            if games[-1].failure:
                failed.append(f"{name} = {text_of(value)}: {games[-1].text}")
                break
        turns = min(len(game.moves) for game in games)
        if any(game.failure for game in games) or not turns:
            continue
        if all(game.moves[:turns] == games[0].moves[:turns] for game in games):
            whole = all(game.over for game in games)
            played = f"a whole game of {turns} turns" if whole else f"{turns} turns of a game"
            same[name] = f"{len(positions)} early positions and {played}"
    return same, failed


def moves_of(engine: Engine, positions: Sequence[Position], until: float) -> list[int] | None:
    """Return an engine's moves; None where time is over. Raises PlayerFailure."""
    player, moves = engine.player(), list[int]()
    try:
        for position in positions:
            if time.monotonic() > until:
                return None
            player.new_game(1, position.to_move)
            moves.append(player.choose(position).action)
    finally:
        player.close()
    return moves
