"""A protocol: how a program that is not ours and a referee talk, line by line, both directions.

A protocol that says the same in every game needs nothing of a game but its texts. In the others, a
game says what its lines are: it names a `Dialogue` for the protocol in its `dialogues`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar

from engines.errors import Refused
from engines.game import Game
from engines.parameter import Value
from engines.position import Position
from engines.search import Choice

if TYPE_CHECKING:
    from engines.engine import Engine

Read = Callable[[], str]  # returns the next line without its end; EOFError where there is none
Write = Callable[[str], None]  # sends one line at once


class Dialogue(ABC):
    """What a line protocol says in one game. An object lasts one game, on one side of the table.

    The referee's side uses `lines` and `action`, the bot's side `read` and `answer`.
    """

    def __init__(self, game: Game) -> None:
        self.game = game

    @abstractmethod
    def lines(self, position: Position, player: int) -> str:
        """Return what the referee tells a player at its turn: lines, each with its end."""

    @abstractmethod
    def action(self, position: Position, text: str) -> int:
        """Return the legal action that a bot's line names; raise Refused with what is allowed."""

    @abstractmethod
    def read(self, read: Read) -> Position:
        """Read what the referee tells at our turn; return the position that it means."""

    @abstractmethod
    def answer(self, action: int) -> str:
        """Return the line that names an action."""


class Talk(ABC):
    """The referee's side of one seat, over as many games as the bot lives."""

    @abstractmethod
    def new_game(self, seed: int, seat: int) -> None:
        """Begin a game; nothing is said before the seat's first turn."""

    @abstractmethod
    def turn(self, position: Position, time_ms: float) -> str:
        """Return the lines that ask for an action, each with its end."""

    @abstractmethod
    def choice(self, position: Position, text: str) -> Choice:
        """Return what a line of the bot means; raise Refused when it names no legal action."""

    def over(self, position: Position) -> list[str]:
        """Return the lines that tell a bot which lives on that the game has ended."""
        return []

    def quit(self) -> list[str]:
        """Return the lines that send a bot away."""
        return []


class Protocol(ABC):
    """A way to talk, with the times that are usual in it, in milliseconds.

    `many_games`: whether a bot can play one game after the other without being started anew.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    turn_ms: ClassVar[float]
    first_ms: ClassVar[float]
    many_games: ClassVar[bool] = False

    def check(self, game: Game) -> None:
        """Raise Refused when this game cannot be played so."""

    @abstractmethod
    def talk(self, game: Game, parameters: Mapping[str, Value]) -> Talk:
        """Return the referee's side; `parameters` are the bot's own."""

    @abstractmethod
    def serve(self, engine: Engine, read: Read, write: Write) -> None:
        """Be that engine under somebody's referee, until it sends us away or its lines end."""


def dialogue_of(game: Game, protocol: str) -> type[Dialogue]:
    """Return what a game says in a protocol; raise Refused where it says nothing."""
    found: type[Dialogue] | None = getattr(game, "dialogues", {}).get(protocol)
    if found is None:
        known = ", ".join(getattr(game, "dialogues", {})) or "json-lines"
        raise Refused(f"{game.name} has no lines for the protocol {protocol}; use {known}")
    return found
