"""`ia02`: a student's Python file as an engine, and the course's server; see docs/dodo.md."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.parameter import Parameter, Value
from joute.engines.protocol import DialogueSession, GameServer, Playing, Protocol, Tell
from joute.engines.protocols.ia02.words import hexagons

HOST_FILE = Path(__file__).with_name("host.py")
CLOCKS = {"dodo": 360.0, "gopher": 180.0}  # seconds of a game, in one known year of the course


class Ia02(Protocol):
    """A program is a Python file with `initialize`, `strategy` and `final_result`."""

    name = "ia02"
    summary = "UTC's course IA02: a Python file with three functions, or its server over HTTP"
    turn_ms = 600_000.0
    first_ms = 600_000.0
    many_games = True
    games = ("dodo", "gopher")
    when_checked: ClassVar[Mapping[str, Value]] = {"clock_s": 60.0}
    port = 8080
    address = "a URL, http://127.0.0.1:{port}"

    def settings(self, game: Game | None) -> tuple[Parameter, ...]:
        """Return the clock."""
        usual = CLOCKS.get(game.name if game is not None else "", max(CLOCKS.values()))
        return (
            Parameter("clock_s", "float", usual, 0.01, 1e6,
                      meaning="seconds that a file has for a whole game"),
        )  # fmt: skip

    def started(self, command: str) -> str:
        """Return the command that runs a file: its own Python and words around ours."""
        words = shlex.split(command)
        files = [i for i, word in enumerate(words) if word.endswith(".py")]
        if not files:
            raise Refused(
                f"command: {command!r} names no Python file; ia02 runs one with initialize, "
                'strategy and final_result: command="bot.py"; any other program: protocol=json-lines'
            )
        if "{" not in (file := words[files[0]]) and not os.path.isfile(file):
            raise Refused(f"command: there is no file {file}")
        before, rest = words[: files[0]] or [sys.executable], words[files[0] :]
        return shlex.join([*before, str(HOST_FILE), *rest])

    def conversation(self, game: Game, parameters: Mapping[str, Value]) -> DialogueSession:
        """Return the referee's side of a file."""
        from joute.engines.protocols.ia02.side import FileSide

        return FileSide(hexagons(game), float(parameters["clock_s"]))

    def join(
        self, engine: Playing, where: Sequence[str], name: str, turn_ms: float, tell: Tell
    ) -> None:
        """Play a game at the course's server."""
        from joute.engines.protocols.ia02.client import play

        play(engine, where, name, tell)

    def table(
        self, game: Game, host: str, port: int, turn_ms: float, clock_s: float | None
    ) -> GameServer:
        """Return a server for two clients."""
        from joute.engines.protocols.ia02.server import HttpTable

        return HttpTable(hexagons(game), host, port, clock_s or CLOCKS[game.name])
