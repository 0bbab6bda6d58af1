"""`vampires-tcp`: the binary protocol of the course's server, over TCP; see docs/vampires.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from engines.game import Game
from engines.parameter import Value
from engines.protocol import Client, Protocol, Table, Tell
from engines.search import Player

if TYPE_CHECKING:
    from engines.engine import Engine


class VampiresTcp(Protocol):
    """A program is a client: `./player {host} {port}` connects, and the referee is its server."""

    name = "vampires-tcp"
    summary = "the course's orders over TCP: SET, HUM, HME, MAP, UPD, MOV; a process a game"
    turn_ms = 2000.0
    first_ms = 10_000.0
    games = ("vampires",)
    fills = ("host", "port")
    port = 5555

    def player(
        self, game: Game, values: Mapping[str, Value], own: Mapping[str, Value]
    ) -> Player | None:
        """Return the player that starts a client and is its server."""
        from engines.vampires.program_player import ProgramPlayer

        return ProgramPlayer(game, values)

    def join(
        self, engine: Engine, host: str, port: int, name: str, turn_ms: float, tell: Tell
    ) -> None:
        """Be a client, with room for every map."""
        from engines.vampires import guest

        guest.join(engine, host, port, name, turn_ms, tell)

    def client(self) -> Client:
        """Return what is a client, for a game of a fixed size."""
        from engines.vampires.guest import play

        return play

    def table(self, game: Game, host: str, port: int, turn_ms: float) -> Table:
        """Return a server for two clients."""
        from engines.games.vampires import Vampires
        from engines.vampires.lobby import Lobby

        assert isinstance(game, Vampires)
        return Lobby(game, host, port, turn_ms)
