"""A server for two clients, like the course's: the first to come is vampires and moves first."""

from __future__ import annotations

from collections.abc import Sequence

from joute.engines.errors import ProtocolError, Refused
from joute.engines.games.vampires.tcp.seat import ClientSeat
from joute.engines.games.vampires.tcp.wire import Gone, Listener, clock
from joute.engines.games.vampires.vampires import Vampires
from joute.engines.player import Move, Player, PlayerFailure
from joute.engines.position import Position
from joute.engines.programs.process import Trouble
from joute.engines.protocol import GameServer, Tell

NAME_SECONDS = 10.0  # seconds for a client to send its name
HEARING_SECONDS = 0.5  # in which a client may close by itself when it was sent away
RACES = ("vampires", "werewolves")


class TwoClientServer(GameServer):
    """Listens until both seats are taken, and not longer."""

    def __init__(self, game: Vampires, host: str, port: int, turn_ms: float) -> None:
        self._game, self._turn = game, turn_ms / 1e3
        self._listener = Listener(host, port)
        self.address = f"{self._listener.host}:{self._listener.port}"
        self.time = f"{turn_ms:g} ms a turn"
        self._clients: list[ClientSeat] = []

    def gather(self, position: Position, tell: Tell) -> list[Player]:
        """Accept clients, in the order in which they connect, and send each the start of the game.

        A client that sends no name, or leaves before the other has come, loses its seat.
        """
        while len(self._clients) < len(RACES):
            try:
                self._let_in(position, tell)
            except ProtocolError as error:
                tell(f"a client {error}: it has no seat")
                for client in self._clients:
                    if client.connection.broken():
                        client.connection.close()
                self._clients = [c for c in self._clients if not c.connection.closed]
        self._listener.close()
        return [SeatPlayer(client, self._turn) for client in self._clients]

    def _let_in(self, position: Position, tell: Tell) -> None:
        connection = self._listener.accept(None, self._all_here)
        try:
            client = ClientSeat(connection, clock() + NAME_SECONDS)
            race = len(self._clients)
            client.begin(self._game, position, race, clock() + NAME_SECONDS)
        except BaseException:
            connection.close()
            raise
        self._clients.append(client)
        tell(f"{client.name} plays {RACES[race]}")

    def _all_here(self) -> None:
        if any(client.connection.broken() for client in self._clients):
            raise Gone("has left")

    def begin(self, position: Position) -> None:
        """Send both the start of the next game."""
        for race, client in enumerate(self._clients):
            try:
                client.begin(self._game, position, race, clock() + NAME_SECONDS)
            except ProtocolError:
                client.alive = False  # it fails at its turn

    def end(self, position: Position, returns: Sequence[float]) -> None:
        """Send END to both."""
        for client in self._clients:
            client.end()

    def complete(self) -> bool:
        """Whether both can still be talked to."""
        return all(client.alive and not client.connection.broken() for client in self._clients)

    def state(self, position: Position) -> str:
        """Return the totals."""
        board = self._game.board(position.W, position.at)
        counts = (sum(kind.values()) for kind in (board.vampires, board.werewolves, board.humans))
        return ", ".join(f"{name} {n}" for name, n in zip((*RACES, "humans"), counts, strict=True))

    def names(self) -> list[str]:
        """Return race and name of both."""
        return [
            f"{race} ({client.name})" for race, client in zip(RACES, self._clients, strict=True)
        ]

    def close(self) -> None:
        """Send BYE to both and close everything."""
        self._listener.close()
        for client in self._clients:
            client.bye(HEARING_SECONDS)


class SeatPlayer(Player):
    """A client as a player: it has its turn's time to answer."""

    def __init__(self, client: ClientSeat, seconds: float) -> None:
        self._client, self._seconds = client, seconds

    def choose(self, position: Position) -> Move:
        """Ask the client."""
        try:
            return self._client.turn(position, clock() + self._seconds)
        except Trouble as trouble:
            raise PlayerFailure(trouble.kind, trouble.text) from None
        except Refused as refused:  # a board that the protocol cannot express
            raise PlayerFailure("crash", str(refused)) from None
