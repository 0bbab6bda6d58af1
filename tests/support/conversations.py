"""Two toy protocols in which either side says any number of lines, in the manners of GTP and of UCI."""

from __future__ import annotations

from collections.abc import Mapping

from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.parameter import Value
from joute.engines.player import Move
from joute.engines.position import Position
from joute.engines.protocol import DialogueSession, Lines, Protocol


class ToyGtp(Protocol):
    """Commands, each answered by `= ...` or `? ...`, maybe some lines more, and an empty line."""

    name = "toy-gtp"
    summary = "commands, each answered by lines and an empty one"
    turn_ms, first_ms, many_games = 1000.0, 5000.0, True

    def conversation(self, game: Game, parameters: Mapping[str, Value]) -> DialogueSession:
        return GtpSide(game)


class GtpSide(DialogueSession):
    """Tells every move once."""

    def __init__(self, game: Game) -> None:
        self.game, self.told, self.known = game, 0, list[str]()

    def ask(self, lines: Lines, command: str) -> list[str]:
        """Return the lines of an answer."""
        lines.send(command)
        first, *more = lines.receive(lambda line: line == "")
        if not first.startswith("="):
            raise Refused(f"{command!r} failed")
        return [first[1:].strip(), *more[:-1]]

    def greet(self, lines: Lines) -> None:
        self.known = self.ask(lines, "list_commands")

    def new_game(self, lines: Lines, seed: int, seat: int) -> None:
        self.ask(lines, "clear_board")
        self.told = 0

    def turn(self, lines: Lines, position: Position, time_ms: float) -> Move:
        for action in position.moves[self.told :]:
            self.ask(lines, f"play {self.game.action_text(action)}")
        assert not self.known or "genmove" in self.known
        choice = Move(self.game.parse_action(self.ask(lines, "genmove")[0]))
        self.told = len(position.moves) + 1
        return choice

    def quit(self) -> list[str]:
        return ["quit"]


class ToyUci(Protocol):
    """`go` is answered by any number of `info` lines and one `bestmove`."""

    name = "toy-uci"
    summary = "go, then info lines, then bestmove"
    turn_ms, first_ms, many_games = 1000.0, 5000.0, True

    def conversation(self, game: Game, parameters: Mapping[str, Value]) -> DialogueSession:
        return UciSide(game, parameters)


class UciSide(DialogueSession):
    """Sets the program's own parameters as its options."""

    def __init__(self, game: Game, parameters: Mapping[str, Value]) -> None:
        self.game, self.parameters = game, parameters

    def greet(self, lines: Lines) -> None:
        lines.send("uci")
        told = lines.receive(lambda line: line == "uciok")
        options = {line.split()[2] for line in told if line.startswith("option name")}
        wanted = {k: v for k, v in self.parameters.items() if k in options}
        lines.send(*(f"setoption name {k} value {v}" for k, v in wanted.items()))
        self.ready(lines)

    def ready(self, lines: Lines) -> None:
        lines.send("isready")
        lines.receive(lambda line: line == "readyok")

    def new_game(self, lines: Lines, seed: int, seat: int) -> None:
        lines.send("ucinewgame")
        self.ready(lines)

    def turn(self, lines: Lines, position: Position, time_ms: float) -> Move:
        lines.send(f"position {position.line()}", f"go movetime {int(time_ms)}")
        *told, best = lines.receive(lambda line: line.startswith("bestmove"))
        nodes = sum(int(line.split()[-1]) for line in told if " nodes " in line)
        return Move(self.game.parse_action(best.split()[1]), nodes=nodes)

    def quit(self) -> list[str]:
        return ["quit"]

    def may_say(self, line: str) -> bool:
        return line.startswith("info")
