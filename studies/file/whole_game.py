"""A whole game of a program against itself, before a study of it is played: does it fail later than at its first turn?"""

from __future__ import annotations

import time
from typing import NamedTuple

from joute.engines.engine import Engine
from joute.engines.errors import cut
from joute.engines.first_turn import LONG, USUAL_CLOCK
from joute.engines.player import Move, Player, PlayerFailure, brief
from joute.engines.position import Position
from joute.engines.record import RESIGNED
from joute.harness.match import Failed, Rules, Starved, Tally, play_game

SEED = 1
SECONDS = 10.0  # after which a game is broken off


class OutOfTime(Exception):
    """A game is broken off."""


class WholeGame(NamedTuple):
    """A game: its actions; how a player failed in it, "" if none did; whether it was played to its end."""

    moves: list[int]
    failure: str = ""
    over: bool = True

    @property
    def text(self) -> str:
        """Say what came of it."""
        turns = f"{len(self.moves)} turns"
        if self.failure:
            return f"a game against itself: failed at turn {len(self.moves) + 1}: {self.failure}"
        if not self.over:
            return f"the first {turns} of a game against itself, without a failure"
        return f"a game against itself: {turns}, without a failure"


def whole_game(engine: Engine, seconds: float = SECONDS) -> WholeGame:
    """Play a game of an engine against itself, for so long at most; a turn that is late only because it
    waited for a processor breaks it off, too.
    """
    game, until = engine.game, time.monotonic() + seconds
    position, players = Position(game, game.start_text(SEED)), list[Player]()

    def watch(position: Position, move: Move) -> None:
        """Break the game off when time is over."""
        if time.monotonic() > until:
            raise OutOfTime

    rules = Rules(void_starved=True, clock=USUAL_CLOCK if engine.by_clock else None)
    failed: list[Failed] = []
    try:
        for seat in range(game.players):
            players.append(engine.player(clocks=True))
            players[-1].new_game(SEED, seat)
        tallies = [Tally() for _ in players]
        failed = play_game(position, players, lambda ply: SEED + ply, rules, tallies, watch=watch)
    except PlayerFailure as failure:
        return WholeGame(position.moves, failure_text(failure.kind, failure.text))
    except (OutOfTime, Starved):
        return WholeGame(position.moves, over=position.over)
    finally:
        for player in players:
            player.close()
    first = next((one for one in failed if one.kind != RESIGNED), None)
    if first is None:
        return WholeGame(position.moves)
    return WholeGame(position.moves[: first.ply], failure_text(first.kind, first.text))


def failure_text(kind: str, text: str) -> str:
    """Return a failure in a line."""
    return cut(f"{kind}: {brief(text)}", LONG)
