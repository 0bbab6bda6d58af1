"""Whole games of an engine against itself, as one seat reads and answers them line by line."""

from __future__ import annotations

from typing import NamedTuple

from engines.engine import Engine
from engines.position import Position
from engines.protocol import Dialogue

GAMES = 2


class Talk(NamedTuple):
    """What a seat is told in a game, all lines of it, and what it answers."""

    lines: list[str]
    answers: list[str]


def talks_of(engine: Engine, dialogue: type[Dialogue], games: int = GAMES) -> list[Talk]:
    """Return what the seats of some games read and answer, a game from each of so many openings."""
    return [talk for seed in range(games) for talk in game_of(engine, dialogue, seed)]


def game_of(engine: Engine, dialogue: type[Dialogue], seed: int) -> list[Talk]:
    """Return the talk of every seat in a game that begins from an opening.

    The position in which a seat decides is the one that it reads, as under a foreign referee.
    """
    game = engine.game
    position = Position(game, game.start_text(seed))
    talks = [Talk([], []) for _ in range(game.players)]
    players = [engine.player() for _ in talks]
    told, heard = [dialogue(game) for _ in talks], [dialogue(game) for _ in talks]
    while not position.over:
        mover = position.to_move
        lines = told[mover].lines(position, mover).splitlines()
        waiting = lines[::-1]
        seen = heard[mover].read(waiting.pop)
        if not talks[mover].answers:
            players[mover].new_game(0, seen.to_move)
        text = heard[mover].answer(players[mover].choose(seen).action)
        talks[mover].lines.extend(lines)
        talks[mover].answers.append(text)
        action = told[mover].action(position, text)
        position.play(action, position.draw_outcome(action, position.ply + 1))
    return talks
