"""`vampires-tcp`: the binary protocol of the course's server, over TCP; see docs/vampires.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.parameter import Value
from joute.engines.player import Player
from joute.engines.protocol import Client, GameServer, Playing, Protocol, Tell, host_and_port


class VampiresTcp(Protocol):
    """A program is a client: `./player {host} {port}` connects, and the referee is its server."""

    name = "vampires-tcp"
    summary = "the course's protocol over TCP: SET, HUM, HME, MAP, UPD, MOV; one process per game"
    turn_ms = 2000.0
    first_ms = 10_000.0
    games = ("vampires",)
    fills = ("host", "port")
    port = 5555

    def player(
        self, game: Game, values: Mapping[str, Value], own: Mapping[str, Value]
    ) -> Player | None:
        """Return the player that starts a client and is its server."""
        from joute.engines.games.vampires.tcp.program import ProgramPlayer

        return ProgramPlayer(game, values)

    def join(
        self, engine: Playing, where: Sequence[str], name: str, turn_ms: float, tell: Tell
    ) -> None:
        """Be a client, with room for every map."""
        from joute.engines.games.vampires.tcp import client

        host, port = host_and_port(where)
        client.join(engine, host, port, name, turn_ms, tell)

    def client(self) -> Client:
        """Return the client, for a game of a fixed size."""
        from joute.engines.games.vampires.tcp.client import play

        return play

    def table(
        self, game: Game, host: str, port: int, turn_ms: float, clock_s: float | None
    ) -> GameServer:
        """Return a server for two clients."""
        from joute.engines.games.vampires.tcp.server import TwoClientServer
        from joute.engines.games.vampires.vampires import Vampires

        assert isinstance(game, Vampires)
        if clock_s is not None:
            raise Refused(
                f"{self.name} has no clock for a whole game: --turn-ms is the time of a turn"
            )
        return TwoClientServer(game, host, port, turn_ms)
