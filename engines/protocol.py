"""A protocol: how a program that is not ours and a referee talk, both directions.

Most talk line by line: a turn is some lines, its answer is one (`LineSession`). Where either side says any
number of lines, and a program is greeted before its games, the referee's side is a `DialogueSession`.

A protocol that says the same in every game needs nothing of a game but its texts. In the others, a
game says what its lines are: a `Dialogue`, a member of its own, names the protocol and the games; or
the protocol is one game's own, and says so in its `games`. One that is spoken over TCP has a usual
port, players of its own for outside programs, and a server.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar
from typing import Protocol as Interface

from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.parameter import Parameter, Value
from joute.engines.player import Move, Player
from joute.engines.position import Position
from joute.engines.programs.option import Option
from joute.engines.record import Claim
from joute.engines.registry import Entry, Member, entries, make
from joute.engines.time_control import Clocks

Read = Callable[[], str]  # returns the next line without its end; EOFError where there is none
Write = Callable[[str], None]  # sends one line at once
Tell = Callable[[str], None]  # prints a message for the user


# A player's side at a server: (game, player, host, port, name, turn_ms, tell). It plays until it is
# sent away, and raises ProtocolError when the server leaves or makes no sense.
Client = Callable[[Any, Player, str, int, str, float, Tell], None]


class Dialogue(Member, ABC, kind="dialogue"):
    """The lines of some games in a line protocol. An object lasts one game, on one side.

    The referee's side uses `lines` and `action`, the bot's side `read` and `answer`.
    """

    protocol: ClassVar[str]
    games: ClassVar[tuple[str, ...]]

    def __init__(self, game: Game) -> None:
        self.game = game

    def variants(self) -> list[Game]:
        """Return the games that the referee's first lines may mean."""
        return [self.game]

    @abstractmethod
    def lines(self, position: Position, player: int) -> str:
        """Return the referee's lines for a player at its turn, each with its end."""

    @abstractmethod
    def action(self, position: Position, text: str) -> int:
        """Return the legal action of a bot's line; raise Refused with what is allowed."""

    @abstractmethod
    def read(self, read: Read) -> Position:
        """Read the referee's lines at our turn; return their position."""

    @abstractmethod
    def answer(self, action: int) -> str:
        """Return the line that names an action."""


class LineSession(ABC):
    """The referee's side of one seat, over as many games as the bot lives.

    `announced`: the parameters that the bot has said it takes, by name. `clocks`: those of the game,
    to be told to the bot.
    """

    announced: Mapping[str, Any] = {}
    clocks: Clocks | None = None

    @abstractmethod
    def new_game(self, seed: int, seat: int) -> None:
        """Begin a game; nothing is sent before the seat's first turn."""

    @abstractmethod
    def turn(self, position: Position, time_ms: float) -> str:
        """Return the lines that ask for an action, each with its end."""

    @abstractmethod
    def choice(self, position: Position, text: str) -> Move:
        """Return the move of a bot's line; raise Refused when it is no legal action."""

    def over(self, position: Position) -> list[str]:
        """Return the lines that announce the end of the game to a bot that lives on."""
        return []

    def quit(self) -> list[str]:
        """Return the lines that send a bot away."""
        return []


class Lines(Interface):
    """The lines to and from one program, as a conversation sees them (`programs/session.py`)."""

    def send(self, *lines: str) -> None:
        """Send lines, without their ends."""

    def receive(
        self, until: Callable[[str], bool] | int = 1, time_ms: float | None = None
    ) -> list[str]:
        """Return the next lines, up to the first at which `until` holds, or so many.

        They come within the turn's time, and within `time_ms`; else the program has failed.
        """

    def begin(self, time_ms: float) -> None:
        """Begin a turn anew, with so much time for all its answers."""


class DialogueSession(ABC):
    """The referee's side of one seat where a turn is any number of lines both ways, over as many games
    as the program lives.

    Greeting and new game belong to the program's first turn, and to its time. Refused means that it
    has answered what it may not. `name` and `options` are what the program says of itself. `clocks`:
    those of the game, to be told to the program.
    """

    clocks: Clocks | None = None
    name: str = ""
    options: Mapping[str, Option] = {}

    def own_of(self, words: list[str]) -> list[str]:
        """Return the owner's words of the command, without those that `Protocol.started` added."""
        return words

    def greet(self, lines: Lines) -> None:
        """Shake hands with a program that has just started, at its first turn."""

    def new_game(self, lines: Lines, seed: int, seat: int) -> None:
        """Begin a game, at the seat's first turn in it."""

    @abstractmethod
    def turn(self, lines: Lines, position: Position, time_ms: float) -> Move:
        """Ask for an action and return it; raise Refused when it is no legal one."""

    def halt(self, lines: Lines) -> bool:
        """Stop a program whose time is over; return whether it can play another game."""
        return False

    def concede(self, lines: Lines, position: Position) -> tuple[str, ...]:
        """Ask what is lost to its owner in a game played to its end (`Player.concede`).

        Raises Refused for an answer that makes no sense.
        """
        return ()

    def claim(self, lines: Lines, position: Position, conceded: Sequence[str]) -> Claim | None:
        """Ask for the result; None if it gives none. Ours is without the concessions.

        Raises Refused for an answer after which the program is of no more use.
        """
        return None

    def over(self, position: Position) -> list[str]:
        """Return the lines that announce the end of the game to a program that lives on."""
        return []

    def quit(self) -> list[str]:
        """Return the lines that send a program away."""
        return []

    def may_say(self, line: str) -> bool:
        """Whether the program may send a line between its turns; it is dropped."""
        return False


class GameServer(ABC):
    """A server at which clients sit down and stay for a series of games."""

    address: str  # where it listens, HOST:PORT
    time: str  # that players have, in words

    @abstractmethod
    def gather(self, position: Position, tell: Tell) -> list[Player]:
        """Wait for a client for every seat; return them as players, and turn all others away."""

    @abstractmethod
    def begin(self, position: Position) -> None:
        """Announce a further game to the clients."""

    @abstractmethod
    def end(self, position: Position, returns: Sequence[float]) -> None:
        """Announce the end of a game to the clients, and the returns of the seats."""

    @abstractmethod
    def complete(self) -> bool:
        """Whether every client can still be talked to."""

    @abstractmethod
    def state(self, position: Position) -> str:
        """Return the state of a game in a few words."""

    @abstractmethod
    def names(self) -> list[str]:
        """Return the names of the players, by seat."""

    @abstractmethod
    def close(self) -> None:
        """Send everybody away and stop listening."""


class Playing(Interface):
    """An engine, as a protocol needs it."""

    @property
    def game(self) -> Game:
        """Its game."""

    def player(self, clocks: bool = False) -> Player:
        """Return a new player; `clocks`: whether its games have clocks."""

    def on(self, game: Game) -> Playing:
        """Return the same engine on another game."""

    def ready(self) -> None:
        """Load all that a first move needs."""

    @property
    def by_clock(self) -> bool:
        """Whether only the clock of its game limits its moves."""

    @property
    def text(self) -> str:
        """Its canonical text."""


class Protocol(Member, kind="protocol"):
    """A way to talk, with the times that are usual in it, in milliseconds.

    `many_games`: whether a bot can play one game after the other without being started anew.
    `games`: the only games it is for; empty for one that needs dialogues, or fits every game.
    `fills`: placeholders of a program's command that the protocol fills. `port`: where servers
    usually listen; 0 if it is spoken by lines, on stdin and stdout. `address`: how a server is
    named. `texts`: settings of its own with placeholders. `introduces`: whether a program says first which
    settings it takes. `tells_parameters`: whether it hands a program its parameters. `when_checked`: settings that `joute check` gives to a program whose text has none of
    them. `usual_limit`: the limit of a move in a new study, where the lines of a program name none. `disputes`: the usual reason why a program claims other results than ours, and the remedy.
    """

    turn_ms: ClassVar[float]
    first_ms: ClassVar[float]
    many_games: ClassVar[bool] = False
    games: ClassVar[tuple[str, ...]] = ()
    fills: ClassVar[tuple[str, ...]] = ()
    port: ClassVar[int] = 0
    address: ClassVar[str] = "HOST and PORT, 127.0.0.1 {port}"
    disputes: ClassVar[str] = ""
    tells_parameters: ClassVar[bool] = False
    texts: ClassVar[tuple[str, ...]] = ()
    introduces: ClassVar[bool] = False
    when_checked: ClassVar[Mapping[str, Value]] = {}
    usual_limit: ClassVar[Mapping[str, Value]] = {}

    def check(self, game: Game) -> None:
        """Raise Refused when this game cannot be played so."""
        if self.games and game.name not in self.games:
            fit = ", ".join(self.games)
            raise Refused(f"protocol {self.name} is for {fit}, not for {game.name}")

    def settings(self, game: Game | None) -> tuple[Parameter, ...]:
        """Return the parameters that every program has here, beside its own."""
        return ()

    def check_settings(self, values: Mapping[str, Value]) -> None:
        """Raise Refused for settings of a program that make no sense together."""

    def by_clock(self, values: Mapping[str, Value]) -> bool:
        """Whether a program with these settings has no limit but the clock of its game."""
        return False

    def started(self, command: str) -> str:
        """Return the command that starts a program; raise Refused for one that cannot be one."""
        return command

    def player(
        self, game: Game, values: Mapping[str, Value], own: Mapping[str, Value]
    ) -> Player | None:
        """Return the player that runs a program, or None where it is asked by lines.

        `values` are those of the engine, `own` the program's among them.
        """
        return None

    def talk(self, game: Game, parameters: Mapping[str, Value]) -> LineSession:
        """Return the referee's side of a protocol of lines; `parameters` are the bot's own."""
        raise NotImplementedError(f"{self.name} does not work by lines on stdin and stdout")

    def conversation(self, game: Game, parameters: Mapping[str, Value]) -> DialogueSession | None:
        """Return the referee's side where it is a conversation; None: see `talk`."""
        return None

    def serve(self, engine: Playing, read: Read, write: Write) -> None:
        """Play as that engine under a referee on stdin and stdout, until it quits."""
        where = self.address.format(port=self.port)
        raise Refused(f"{self.name} works over TCP: give {where}")

    def join(
        self, engine: Playing, where: Sequence[str], name: str, turn_ms: float, tell: Tell
    ) -> None:
        """Play as that engine at a server, until it ends the session.

        `where` are the words of its address, as in `address`. Raises Refused for words that are
        none, and ProtocolError when the server leaves or makes no sense.
        """
        raise Refused(f"{self.name} works on stdin and stdout, not with a server")

    def client(self) -> Client | None:
        """Return a function of ours that plays at a server and can be written to a file, or None."""
        return None

    def table(
        self, game: Game, host: str, port: int, turn_ms: float, clock_s: float | None
    ) -> GameServer:
        """Return a server for clients that play each other; `clock_s`, the seconds of a player for a
        whole game, is for protocols that have such clocks.
        """
        raise Refused(f"{self.name} works on stdin and stdout, so it cannot be served")


def dialogue_of(game: Game, protocol: str) -> type[Dialogue]:
    """Return the dialogue of a game in a protocol; raise Refused where it has none."""
    dialogues = dialogues_of(game)
    if protocol not in dialogues:
        known = ", ".join(dialogues) or "json-lines"
        raise Refused(f"{game.name} has no lines for the protocol {protocol}; use {known}")
    dialogue: type[Dialogue] = dialogues[protocol].load()
    return dialogue


def dialogues_of(game: Game | type[Game]) -> dict[str, Entry]:
    """Return the dialogues of a game (or of its class), by protocol."""
    every = entries("dialogue").values()
    return {e.fact("protocol"): e for e in every if game.name in e.fact("games")}


def protocols_of(game: Game | type[Game]) -> list[str]:
    """Return the protocols that have lines for a game (or its class), by name."""
    limited = (e.name for e in entries("protocol").values() if game.name in (e.fact("games") or ()))
    return sorted({*dialogues_of(game), *limited})


def protocol_over_tcp(game: Game | type[Game]) -> Protocol | None:
    """Return the protocol over TCP that is a game's own, or None."""
    protocols: list[Protocol] = [make("protocol", name) for name in protocols_of(game)]
    return next((protocol for protocol in protocols if protocol.port), None)


def host_and_port(where: Sequence[str]) -> tuple[str, int]:
    """Return the address that two words name; raise Refused for anything else."""
    if len(where) != 2:
        raise Refused(f"give the server as HOST and PORT, not as {' '.join(where)!r}")
    host, port = where
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and 1 <= int(port) <= 0xFFFF):
        raise Refused(f"port {port!r}; allowed: 1 to 65535")
    return host, int(port)
