"""The referee's side: a program of Go is asked by GTP commands and answers each."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from joute.engines.errors import Refused, cut
from joute.engines.games.go.go import Go, score_text
from joute.engines.player import Move
from joute.engines.position import Position
from joute.engines.programs.process import Trouble
from joute.engines.protocol import DialogueSession, Lines
from joute.engines.record import AGREES, DIFFERS, SILENT, Claim
from joute.engines.time_control import TimeControl, told

NEEDED = ("boardsize", "clear_board", "komi", "play", "genmove")
RULES = ("kata-set-rules", "kgs-rules")  # commands that set them, the better first
SIGNS = "BW"
SCORE = re.compile(r"([BW])\+(\d{1,4}(?:\.\d{1,4})?)|0(?:\.0)?", re.IGNORECASE)
SHOWN = 100  # characters of an answer
LONGEST = 1000  # lines of an answer

_warned: set[str] = set()


class GtpSide(DialogueSession):
    """One program, over as many games as it lives.

    Its clock is set by `time_settings` where a turn lasts whole seconds. A program without a
    command for the rules must know them from its command line; a message says so once. `concedes`:
    whether it is asked which stones are dead.
    """

    def __init__(self, game: Go, concedes: bool = False) -> None:
        self._game, self._told = game, -1  # moves that it knows; -1: not of this game yet
        self._concedes = concedes
        self._known: frozenset[str] = frozenset()

    def greet(self, lines: Lines) -> None:
        """Ask for the commands that it knows."""
        self._known = frozenset(asked(lines, "list_commands").split())
        missing = [name for name in NEEDED if name not in self._known]
        if missing:
            raise Trouble("illegal", f"list_commands lacks {', '.join(missing)}")

    def new_game(self, lines: Lines, seed: int, seat: int) -> None:
        """Begin a game."""
        self._told = -1

    def turn(self, lines: Lines, position: Position, time_ms: float) -> Move:
        """Send the moves played, and ask for a move."""
        if self._told < 0:
            self._begin(lines, position, time_ms)
        self._tell(lines, position)
        self._tell_time(lines, position.to_move)
        answer = asked(lines, f"genmove {SIGNS[position.to_move]}")
        self._told = position.ply + 1  # its own move it has played by itself
        if answer.lower() == "resign":
            raise Refused("it resigns")
        action = self._game.action_of(answer)
        if not position.is_legal(action):
            raise Refused(position.why_illegal(action))
        return Move(action)

    def _tell_time(self, lines: Lines, seat: int) -> None:
        """Send what is left on the clock, in whole seconds."""
        if self.clocks is not None and "time_left" in self._known:
            left = told(self.clocks.left_ms)[seat] // 1000
            asked(lines, f"time_left {SIGNS[seat]} {left} {self.clocks.to_go[seat]}")

    def _tell(self, lines: Lines, position: Position) -> None:
        """Send the moves that it does not know yet."""
        first = Position(self._game, position.start).to_move
        for number in range(self._told, position.ply):
            text = self._game.action_text(position.moves[number])
            asked(lines, f"play {SIGNS[(first + number) % 2]} {text}")
        self._told = position.ply

    def concede(self, lines: Lines, position: Position) -> tuple[str, ...]:
        """Ask which stones are dead, where that was wanted and it knows; in the order of cells."""
        if self._told < 0 or not self._concedes or "final_status_list" not in self._known:
            return ()
        self._tell(lines, position)
        answer = asked(lines, "final_status_list dead")
        holds = self._game.cells(position.W, position.at)
        dead = {self._game.action_of(vertex) for vertex in answer.split()}
        for cell in dead:
            if cell >= len(holds) or not holds[cell]:
                vertex = self._game.action_text(cell)
                raise Refused(f"final_status_list dead names {vertex}, where no stone is")
        return tuple(self._game.action_text(cell) for cell in sorted(dead))

    def claim(self, lines: Lines, position: Position, conceded: Sequence[str]) -> Claim | None:
        """Ask for `final_score`, where it knows that, and compare it with ours."""
        if self._told < 0 or "final_score" not in self._known:
            return None
        dead = [self._game.action_of(vertex) for vertex in conceded]
        lead = self._game.lead(position.W, position.at, dead)
        ours = score_text(lead)
        try:
            self._tell(lines, position)
            answer = asked(lines, "final_score")
        except Declined as error:
            return Claim(SILENT, str(error), ours)
        match = SCORE.fullmatch(answer)
        if match is None:
            return Claim(SILENT, f"{cut(repr(answer), SHOWN)} is no score", ours)
        their_lead = float(match[2] or 0) * (-1 if answer[:1] in "wW" else 1)
        return Claim(AGREES if their_lead == lead else DIFFERS, answer, ours)

    def _begin(self, lines: Lines, position: Position, time_ms: float) -> None:
        game = self._game
        if game.columns == game.rows:
            asked(lines, f"boardsize {game.columns}")
        elif "rectangular_boardsize" in self._known:
            asked(lines, f"rectangular_boardsize {game.columns} {game.rows}")
        else:
            raise Trouble("illegal", f"knows no board of {game.columns} x {game.rows}")
        self._set_rules(lines)
        asked(lines, "clear_board")
        asked(lines, f"komi {float(game.values['komi']):g}")
        if "time_settings" in self._known and self.clocks is not None:
            asked(lines, f"time_settings {settings_of(self.clocks.control)}")
        elif "time_settings" in self._known and time_ms >= 1000:
            asked(lines, f"time_settings 0 {int(time_ms // 1000)} 1")
        start = Position(game, position.start)
        for cell, holds in enumerate(game.cells(start.W, start.at)):
            if holds:
                asked(lines, f"play {SIGNS[holds - 1]} {game.action_text(cell)}")
        self._told = 0

    def _set_rules(self, lines: Lines) -> None:
        command = next((name for name in RULES if name in self._known), "")
        rules = str(self._game.values["rules"])
        if command:
            asked(lines, f"{command} {rules}")
            return
        name = asked(lines, "name") if "name" in self._known else "the program"
        if name not in _warned:
            _warned.add(name)
            print(
                f"joute: {cut(name, 40)} has no command that sets the rules: its command line must "
                f"say {rules} ones, and that no stone is dead but what was captured",
                file=sys.stderr,
            )

    def quit(self) -> list[str]:
        """Send `quit`."""
        return ["quit"]

    def may_say(self, line: str) -> bool:
        """An empty line, which ends an answer, may come late or twice; and the answer to quit."""
        return line in ("", "=")


def settings_of(control: TimeControl) -> str:
    """Return main time, byo yomi time and stones; GTP has no increments, which `time_left` then holds."""
    base = max(1, int(control.base_ms // 1000))
    return f"0 {base} {control.moves}" if control.moves else f"{base} 0 0"


class Declined(Refused):
    """The program has answered `?`, and goes on."""


def asked(lines: Lines, command: str) -> str:
    """Return the answer to a command; raise Refused where the program answers nonsense, Declined
    where it answers `?`.
    """
    lines.send(command)
    text = ""
    while not text:
        (text,) = lines.receive()
    if text[0] not in "=?":
        raise Refused(f"{command} is answered by {cut(repr(text), SHOWN)}, not by = or ?")
    texts = [text[1:].lstrip("0123456789").strip()]
    for _ in range(LONGEST):
        (more,) = lines.receive()
        if not more:
            break
        texts.append(more)
    answer = "\n".join(texts).strip()
    if text[0] == "?":
        raise Declined(f"{command} is answered by ? {cut(answer, SHOWN)}")
    return answer
