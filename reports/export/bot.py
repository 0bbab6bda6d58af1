"""What an exported file plays with: an engine's player behind the texts of positions.

This module is used here and written out, by `joute.reports.export.source`, into every file that plays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.player import Move, Player
from joute.engines.position import Position, parse_position


class Bot:
    """A player that follows one game after the other by itself.

    A position that lies further along the last one's line of play belongs to the same game; any
    other begins a new one, with the stream of random numbers started by `seed`.
    """

    def __init__(self, game: Game, kind: type[Player], arguments: dict[str, Any]) -> None:
        self.game, self.kind, self.arguments = game, kind, arguments
        self.seed = 0
        self.player: Player | None = None
        self.start, self.moves = "", [0]

    def read(self, text: str) -> Position:
        """Return the position of a text in which there is a move to make; raises ValueError."""
        position = parse_position(self.game, text)
        if position.over:
            raise Refused("the game is over in this position, so there is no move")
        return position

    def ready(self) -> Player:
        """Return the player, which is made once: that takes time where it has a large memory."""
        if self.player is None:
            self.player = self.kind(**self.arguments)
        return self.player

    def answer(self, position: Position, start: str, guard_ms: float | None) -> Move:
        """Return the player's choice; `start` is the text of the position before its moves."""
        moves, known = list(position.moves), len(self.moves)
        player = self.ready()
        if start != self.start or len(moves) <= known or moves[:known] != self.moves:
            player.new_game(self.seed, position.to_move)
        self.start, self.moves = start, moves
        player.guard_ms = guard_ms
        return player.choose(position)

    def choose(self, text: str, guard_ms: float | None = None) -> Move:
        """Return the choice in the position of a text: `startpos moves 4 4 3`."""
        start = " ".join(text.split("moves")[0].split()) or "startpos"
        with np.errstate(over="ignore"):
            return self.answer(self.read(text), start, guard_ms)
