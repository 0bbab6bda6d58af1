"""The referee's side of a student's file: one question a turn, and one clock a game."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from joute.engines.data import message_of
from joute.engines.errors import Refused, cut
from joute.engines.games.hexagons import HexagonGame
from joute.engines.player import RESIGNED, Move
from joute.engines.position import Position
from joute.engines.programs.process import Trouble
from joute.engines.programs.program_player import RESIGNS
from joute.engines.protocol import DialogueSession, Lines
from joute.engines.protocols.ia02 import host
from joute.engines.protocols.ia02.words import cells_of_action, state_of, text_of_cells


class FileSide(DialogueSession):
    """Asks `strategy` for every action; the file's clock, in seconds, is for a whole game.

    As the course's client does, it calls `initialize` with the state of the first `strategy`.
    """

    def __init__(self, game: HexagonGame, clock_s: float) -> None:
        self._game, self._clock = game, clock_s
        self._left, self._seat, self._new = clock_s, 0, True

    def own_of(self, words: list[str]) -> list[str]:
        """Return the owner's words, without our host and a Python that the owner did not name."""
        at = words.index(host.__file__)
        return ([] if words[:at] == [sys.executable] else words[:at]) + words[at + 1 :]

    def new_game(self, lines: Lines, seed: int, seat: int) -> None:
        """Begin a game with a full clock."""
        self._left, self._seat, self._new = self._clock, seat, True

    def turn(self, lines: Lines, position: Position, time_ms: float) -> Move:
        """Ask for an action."""
        first, self._new = self._new, False
        message: dict[str, Any] = {
            "type": "turn",
            "state": wire(position),
            "player": self._seat + 1,
            "time_left": int(self._left),
        }
        if first:
            message["new"] = {
                "game": self._game.name,
                "hex_size": self._game.side,
                "total_time": int(self._clock),
            }
        begun = time.perf_counter()
        lines.send(json.dumps(message, separators=(",", ":")))
        try:
            (text,) = lines.receive(1, self._left * 1e3)
        except Trouble as trouble:
            raise self._late(trouble, first) from None
        self._left -= time.perf_counter() - begun
        return Move(self._action(message_of(text), position, first))

    def _late(self, trouble: Trouble, first: bool) -> Trouble:
        """Return the trouble in the words of the course, if it is that the clock has run out."""
        if trouble.kind != "timeout":
            return trouble
        asked = "import, initialize and strategy" if first else "strategy"
        return Trouble(
            "timeout",
            f"{asked} gave no answer in {self._left:.3g} s, all that was left of the {self._clock:g} s "
            "for the game (clock_s)",
        )

    def _action(self, answer: dict[str, Any], position: Position, first: bool) -> int:
        """Return the action of an answer, maybe the first of a game; raise Trouble, in the file's own
        words, for any other.
        """
        if "error" in answer:
            raise Trouble("crash", cut(str(answer["error"])))
        form = FORMS[self._game.named]
        if "nonsense" in answer:
            raise wrong(
                f"{answer['nonsense']}; it returns (environment, action), and an action is {form}"
            )
        action = answer.get("action")
        cells = as_sent(action)
        if not (isinstance(cells, list) and len(cells) == self._game.named and all(
                isinstance(c, list) and len(c) == 2 and all(isinstance(v, int) for v in c)
                for c in cells)):  # fmt: skip
            shown = answer["no action"] if "no action" in answer else cut(tuples(action), 80)
            raise wrong(f"the action {shown}; an action is {form}")
        for x, y in cells:
            if (x, y) not in self._game.cell_at:
                raise wrong(f"the action {cut(tuples(action), 80)}; {self._game.label} has no cell "
                            f"{cut(f'({x}, {y})', 60)}")  # fmt: skip
        try:
            code = self._game.action_of(text_of_cells(cells))
        except Refused:
            code = -1
        if not position.is_legal(code):
            hint = FIXED if first and opened(position, self._seat) else ""
            raise wrong(f"the action {tuples(action)}, which is not legal; {legal(position)}{hint}")
        return code

    def over(self, position: Position) -> list[str]:
        """Send the result; nothing after a failure."""
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


def wrong(text: str) -> Trouble:
    """Return the Trouble of an answer that is no legal action: illegal, or a resignation."""
    return Trouble(
        RESIGNED if RESIGNS.search(text.partition(";")[0]) else "illegal",
        f"strategy returned {text}",
    )


def as_sent(action: object) -> object:
    """Return the cells that the course's client sends for an action: a cell alone is a list of one,
    and None is left out.
    """
    if not isinstance(action, list) or not action:
        return action
    kept = [one for one in action if one is not None]
    return [kept] if isinstance(action[0], int) else kept


def opened(position: Position, seat: int) -> bool:
    """Whether a seat's first turn comes after more than the other's first move."""
    return position.ply > seat or position.start != "startpos"


def tuples(cells: object) -> str:
    """Return nested lists as the course writes them, as tuples."""
    if not isinstance(cells, list):
        return str(cells)
    return f"({', '.join(map(tuples, cells))}{',' * (len(cells) == 1)})"


def legal(position: Position) -> str:
    """Return the first legal actions of a position, as the course writes them."""
    every = position.legal_actions()
    game: Any = position.game
    shown = [[[*cell] for cell in cells_of_action(game, action)] for action in every[:SHOWN]]
    texts = ", ".join(tuples(cells if game.named > 1 else cells[0]) for cells in shown)
    more = f", ... ({len(every)} in all)" if len(every) > SHOWN else ""
    return f"legal: {texts}{more}"


SHOWN = 3  # legal actions
FIXED = "; the game began with an opening, and a bot with a fixed first move needs --plies 0"
FORMS = {1: "a cell, (x, y)", 2: "two cells, ((x, y), (x, y))"}


def wire(position: Position) -> list[tuple[int, int, int]]:
    """Return the content of each cell, flat."""
    return [(x, y, holder) for (x, y), holder in state_of(position)]
