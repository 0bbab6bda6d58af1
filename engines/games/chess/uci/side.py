"""The referee's side: an engine is asked by UCI."""

from __future__ import annotations

import re
from collections.abc import Mapping

from joute.engines.errors import Refused, cut
from joute.engines.game import Game
from joute.engines.games.chess.uci.options import checked, options_in
from joute.engines.parameter import Value
from joute.engines.player import Move
from joute.engines.position import Position
from joute.engines.programs.option import settings_in
from joute.engines.programs.process import Trouble
from joute.engines.protocol import DialogueSession, Lines
from joute.engines.record import WIN
from joute.engines.time_control import told as told_ms

NONE = ("(none)", "0000", "NULL", "none")  # moves of an engine that sees none
NUMBER = re.compile(r"\b(depth|nodes) (\d{1,15})\b")
SCORE = re.compile(r"\bscore (cp|mate) (-?\d{1,9})\b(?! (?:lowerbound|upperbound))")
FREELY = "UCI_Chess960"
MARGIN_MS = 50.0  # beyond `movetime`


class UciSide(DialogueSession):
    """One engine, over as many games as it lives. `values` are its settings: `options`, the limit of
    a move (`depth`, `nodes` or `movetime`), and what fills the options' placeholders.
    """

    def __init__(self, game: Game, values: Mapping[str, Value]) -> None:
        self._game, self._values = game, values
        self._limit_name, self._amount = limit_of(values)
        self._sent, self._line = -1, ""  # moves in the line of play that was sent last; the line
        self._seat = 0

    def greet(self, lines: Lines) -> None:
        """Shake hands, and set the options."""
        lines.send("uci")
        said = lines.receive(lambda line: line.strip() == "uciok")
        self.name = next((line[8:] for line in said if line.startswith("id name ")), "")
        self.options = options_in(said)
        wanted = settings_in(str(self._values.get("options", "")), self._values)
        if self._game.values.get("chess960") == "on":
            if FREELY not in self.options:
                raise Trouble("illegal", f"does not play Chess960: it has no option {FREELY}")
            wanted = {**wanted, FREELY: "true"}
        try:
            pairs = checked(wanted, self.options)
        except Refused as error:
            raise Trouble("illegal", str(error)) from None
        for name, value in pairs:
            button = self.options[name].kind == "button"
            lines.send(f"setoption name {name}" + ("" if button else f" value {value}"))
        ready(lines)

    def new_game(self, lines: Lines, seed: int, seat: int) -> None:
        """Begin a game."""
        self._sent, self._seat = -1, seat
        lines.send("ucinewgame")
        ready(lines)

    def turn(self, lines: Lines, position: Position, time_ms: float) -> Move:
        """Send the line of play, and ask for a move."""
        lines.send(self._position(position), f"go {self._limit()}")
        said = lines.receive(is_answer, self._time_ms())
        words = said[-1].split()
        text = words[1] if len(words) > 1 else ""
        if text in NONE or not text:
            raise Refused("it says that it has no move; there are: " + some_of(position))
        action = self._game.action_of(text)
        if not position.is_legal(action):
            raise Refused(position.why_illegal(action))
        return told(action, said)

    def halt(self, lines: Lines) -> bool:
        """Stop an engine whose time is over."""
        lines.send("stop")
        lines.receive(is_answer)
        return True

    def _position(self, position: Position) -> str:
        """Return the command that sets a position up; the texts of earlier moves are kept."""
        if self._sent < 0 or self._sent > position.ply:
            text = position.start
            self._line = f"position {text if text == 'startpos' else f'fen {text}'}"
            self._sent = 0
        for action in position.moves[self._sent :]:
            self._line += (" " if self._sent else " moves ") + self._game.action_text(action)
            self._sent += 1
        return self._line

    def _limit(self) -> str:
        """Return what limits a move: the clocks, the engine's own limit, or both."""
        words = [f"{self._limit_name} {self._amount}"] if self._limit_name else []
        if (clocks := self.clocks) is not None:
            white, black = told_ms(clocks.left_ms)
            more = int(clocks.control.increment_ms)
            words.append(f"wtime {white} btime {black} winc {more} binc {more}")
            if clocks.control.moves:
                words.append(f"movestogo {clocks.to_go[self._seat]}")
        return " ".join(words)

    def _time_ms(self) -> float | None:
        """Return the time of a move that has one, with a margin; None: that of a turn."""
        return self._amount + MARGIN_MS if self._limit_name == "movetime" else None

    def quit(self) -> list[str]:
        """Send the engine away."""
        return ["quit"]

    def may_say(self, line: str) -> bool:
        """Engines tell things when they like; only moves must be asked for."""
        return not line.startswith("bestmove")


def ready(lines: Lines) -> None:
    """Wait until the engine has done what it was told."""
    lines.send("isready")
    lines.receive(lambda line: line.strip() == "readyok")


def limit_of(values: Mapping[str, Value]) -> tuple[str, int]:
    """Return the limit of a move, ("depth", 4), or ("", 0): the clock. Raise Refused for several."""
    given = [(name, int(values.get(name, 0))) for name in ("depth", "nodes", "movetime")]
    given = [(name, amount) for name, amount in given if amount]
    if len(given) > 1:
        many = " and ".join(name for name, _ in given)
        raise Refused(f"uci: at most one limit of a move, not {many}")
    return given[0] if given else ("", 0)


def is_answer(line: str) -> bool:
    """Whether a line ends a search."""
    return line.startswith("bestmove")


def told(action: int, said: list[str]) -> Move:
    """Return a move with what the engine's last lines say of it: centipawns or a win, depth, nodes."""
    value: float | None = None
    numbers: dict[str, int] = {}
    for line in reversed(said[:-1]):
        if not line.startswith("info") or (" multipv " in line and " multipv 1 " not in line):
            continue
        for name, number in NUMBER.findall(line.partition(" pv ")[0]):
            numbers.setdefault(name, int(number))
        score = SCORE.search(line)
        if value is None and score is not None:
            value = float(score[2])
            if score[1] == "mate":
                moves = int(score[2])
                value = WIN - (2 * moves - 1) if moves > 0 else -WIN - 2 * moves
        if value is not None and len(numbers) == 2:
            break
    return Move(action, value, numbers.get("depth", 0), numbers.get("nodes", 0))


def some_of(position: Position, most: int = 5) -> str:
    """Return some legal moves."""
    texts = [position.game.action_text(action) for action in position.legal_actions()]
    return cut(" ".join(texts[:most]) + (" ..." if len(texts) > most else ""), 80)
