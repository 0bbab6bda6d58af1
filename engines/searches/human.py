"""`human`: a person at the terminal."""

from __future__ import annotations

import sys

from joute.engines.errors import Refused
from joute.engines.player import Move, Player, PlayerFailure
from joute.engines.position import Position
from joute.engines.search import Search, Setup


class Human(Search):
    """Asks for every action on stderr and reads it from stdin."""

    name = "human"
    summary = "a person at the terminal, for `joute play`"

    def player(self, setup: Setup) -> Player:
        """Return a player that asks."""
        return HumanPlayer()


class HumanPlayer(Player):
    """Reads actions from stdin until one is legal; the end of the input is a crash of this seat."""

    def choose(self, position: Position) -> Move:
        """Ask until the answer is legal."""
        game = position.game
        known = "a turn, (x,y)>(x,y):n+..."
        if game.listed:
            known = " ".join(game.action_text(a) for a in sorted(position.legal_actions()))
        while True:
            print(f"your move ({known}): ", end="", file=sys.stderr, flush=True)
            line = sys.stdin.readline()
            if not line:
                raise PlayerFailure("crash", "the person left (end of input)")
            try:
                action = game.action_of(line.strip())
            except Refused as error:
                print(error, file=sys.stderr)
                continue
            if position.is_legal(action):
                return Move(action)
            why = "" if game.listed else f": {position.why_illegal(action)}"
            print(f"{line.strip()} is not legal now{why}", file=sys.stderr)
