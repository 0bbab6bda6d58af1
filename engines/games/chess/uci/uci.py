"""`uci`: the Universal Chess Interface, both ways; see docs/uci.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from joute.engines.game import Game
from joute.engines.parameter import Parameter, Value, Values
from joute.engines.protocol import DialogueSession, Playing, Protocol, Read, Write


def given(name: str) -> Callable[[Values], bool]:
    """Return whether a setting has a value other than none."""
    return lambda values: values.get(name) not in (0, "", None)


LIMITS = (
    Parameter(
        "depth", "int", 0, 0, 200, active=given("depth"),
        meaning="plies that the engine searches a move; 0: another limit",
    ),
    Parameter(
        "nodes", "int", 0, 0, 10**12, active=given("nodes"),
        meaning="nodes that it searches a move; 0: another limit",
    ),
    Parameter(
        "movetime", "int", 0, 0, 10**7, active=given("movetime"),
        meaning="milliseconds that it has a move; 0: another limit",
    ),
)  # fmt: skip
OPTIONS = Parameter(
    "options", "text", "", active=given("options"),
    meaning="its UCI options, Threads=1; Hash=16; Mobility={mobility}",
)  # fmt: skip


class Uci(Protocol):
    """A program that speaks UCI plays many games; it gets the line of play and a limit a move."""

    name = "uci"
    summary = "the Universal Chess Interface: for engines such as Stockfish, and for their programs"
    turn_ms = 60_000.0
    first_ms = 60_000.0
    many_games = True
    games = ("chess",)
    texts = ("options",)
    introduces = True
    usual_limit: ClassVar[Mapping[str, Value]] = {"depth": 4}

    def settings(self, game: Game | None) -> tuple[Parameter, ...]:
        """Return the engine's options and the limits of a move."""
        return (OPTIONS, *LIMITS)

    def check_settings(self, values: Mapping[str, Value]) -> None:
        """Refuse two limits, and options that set nothing."""
        from joute.engines.games.chess.uci.side import limit_of
        from joute.engines.programs.option import settings_in

        limit_of(values)
        settings_in(str(values.get("options", "")), values)

    def by_clock(self, values: Mapping[str, Value]) -> bool:
        """Whether an engine has no limit of a move."""
        from joute.engines.games.chess.uci.side import limit_of

        return not limit_of(values)[0]

    def conversation(self, game: Game, parameters: Mapping[str, Value]) -> DialogueSession:
        """Return the referee's side."""
        from joute.engines.games.chess.uci.side import UciSide

        return UciSide(game, parameters)

    def serve(self, engine: Playing, read: Read, write: Write) -> None:
        """Answer a program's commands until `quit` or the end of its lines."""
        from joute.engines.games.chess.uci.controller import Controller

        Controller(engine, read, write).run()
