"""Whole games of an engine against itself, as one seat reads and answers them line by line."""

from __future__ import annotations

from typing import NamedTuple

from joute.engines.engine import Engine
from joute.engines.position import Position
from joute.engines.protocol import Dialogue

GAMES = 2


class Transcript(NamedTuple):
    """All lines that a seat reads in a game, and its answers."""

    lines: list[str]
    answers: list[str]


def transcripts_of(
    engine: Engine, dialogue: type[Dialogue], games: int = GAMES
) -> list[Transcript]:
    """Return the transcripts of all seats, of one game from each of so many openings."""
    return [transcript for seed in range(games) for transcript in game_of(engine, dialogue, seed)]


def game_of(engine: Engine, dialogue: type[Dialogue], seed: int) -> list[Transcript]:
    """Return the transcript of every seat in a game from an opening.

    A seat decides in the position that it reads, as under a foreign referee.
    """
    game = engine.game
    position = Position(game, game.start_text(seed))
    transcripts = [Transcript([], []) for _ in range(game.players)]
    players = [engine.player() for _ in transcripts]
    referees, bots = [dialogue(game) for _ in transcripts], [dialogue(game) for _ in transcripts]
    while not position.over:
        mover = position.to_move
        lines = referees[mover].lines(position, mover).splitlines()
        waiting = lines[::-1]
        seen = bots[mover].read(waiting.pop)
        if not transcripts[mover].answers:
            players[mover].new_game(0, seen.to_move)
        text = bots[mover].answer(players[mover].choose(seen).action)
        transcripts[mover].lines.extend(lines)
        transcripts[mover].answers.append(text)
        action = referees[mover].action(position, text)
        position.play(action, position.draw_outcome(action, position.ply + 1))
    return transcripts
