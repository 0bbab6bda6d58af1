"""The referee's side of a student's file: one question a turn, and one clock a game."""

from __future__ import annotations

import json
import time
from typing import Any

from engines.data import message_of
from engines.errors import Refused, cut
from engines.games.hexagons import HexagonGame
from engines.player import Choice
from engines.position import Position
from engines.programs.process import Trouble
from engines.protocol import Conversation, Lines
from engines.protocols.ia02.words import state_of, text_of_cells


class FileSide(Conversation):
    """Asks `strategy` for every action; the file's clock, in seconds, is for a whole game."""

    def __init__(self, game: HexagonGame, clock_s: float) -> None:
        self._game, self._clock = game, clock_s
        self._left, self._seat, self._new = clock_s, 0, True

    def new_game(self, lines: Lines, seed: int, seat: int) -> None:
        """Begin a game with a full clock."""
        self._left, self._seat, self._new = self._clock, seat, True

    def turn(self, lines: Lines, position: Position, time_ms: float) -> Choice:
        """Ask for an action."""
        message: dict[str, Any] = {
            "type": "turn",
            "state": wire(position),
            "player": self._seat + 1,
            "time_left": int(self._left),
        }
        if self._new:
            message["new"] = {
                "game": self._game.name,
                "state": wire(Position(self._game, position.start)),
                "hex_size": self._game.side,
                "total_time": int(self._clock),
            }
            self._new = False
        begun = time.perf_counter()
        lines.send(json.dumps(message, separators=(",", ":")))
        (text,) = lines.receive(1, self._left * 1e3)
        self._left -= time.perf_counter() - begun
        return Choice(self._action(message_of(text)))

    def _action(self, answer: dict[str, Any]) -> int:
        if "error" in answer:
            raise Trouble("crash", f"raised {cut(str(answer['error']))}")
        if "nonsense" in answer:
            raise Refused(
                f"{cut(str(answer['nonsense']), 80)} is not (environment, action); an action is "
                f"{FORMS[self._game.named]}"
            )
        action = answer.get("action")
        cells = [action] if self._game.named == 1 else action
        if not (isinstance(cells, list) and len(cells) == self._game.named and all(
                isinstance(c, list) and len(c) == 2 and all(isinstance(v, int) for v in c)
                for c in cells)):  # fmt: skip
            raise Refused(f"{cut(repr(action), 80)} is no action; it is {FORMS[self._game.named]}")
        return self._game.action_of(text_of_cells(cells))

    def over(self, position: Position) -> list[str]:
        """Tell the result; nothing after a failure."""
        if not position.over:
            return []
        winner = 1 if position.returns()[0] == 1.0 else 2
        message = {
            "type": "over",
            "state": wire(position),
            "score": 1 if winner == 1 else -1,
            "player": winner,
        }
        return [json.dumps(message, separators=(",", ":"))]


FORMS = {1: "a cell, (x, y)", 2: "two cells, ((x, y), (x, y))"}


def wire(position: Position) -> list[tuple[int, int, int]]:
    """Return what each cell holds, flat."""
    return [(x, y, holder) for (x, y), holder in state_of(position)]
