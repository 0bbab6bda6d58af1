"""A program that speaks the course's protocol, as a player: it connects to a separate server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from joute.engines.errors import ProtocolError, Refused
from joute.engines.game import Game
from joute.engines.games.vampires.tcp.seat import ClientSeat
from joute.engines.games.vampires.tcp.wire import Connection, Listener, clock
from joute.engines.games.vampires.vampires import Vampires
from joute.engines.parameter import Value
from joute.engines.player import Move, PlayerFailure
from joute.engines.position import Position
from joute.engines.programs.process import GRACE, Trouble
from joute.engines.programs.program_player import OutsidePlayer

HOST = "127.0.0.1"


class ProgramPlayer(OutsidePlayer):
    """Starts the program with the address of a free port of this machine, and is its server.

    The time of the first turn includes starting and connecting. A program that has not connected
    and sent its name by then has lost; later a late turn is a failure that the program outlives.
    """

    lines = False

    def __init__(self, game: Game, values: Mapping[str, Value]) -> None:
        super().__init__(values)
        assert isinstance(game, Vampires)
        self._game, self._seat = game, 0
        self._listener: Listener | None = None
        self._client: ClientSeat | None = None

    def new_game(self, seed: int, seat: int) -> None:
        """Listen, and start the program."""
        self.close()
        self._seat = seat
        self._listener = Listener(HOST)
        try:
            self._start(host=HOST, port=self._listener.port)
        except PlayerFailure:
            self.close()
            raise
        first_line = self._filled("first_line", host=HOST, port=self._listener.port)
        if first_line and self._program is not None:
            self._program.tell(f"{first_line}\n".encode())

    def choose(self, position: Position) -> Move:
        """Send the changes and take the turn; the first time, accept the client before."""
        program = self._program
        if program is None:
            raise PlayerFailure("crash", f"{self._command}: does not run any more")
        if self._pauses:
            program.resume()
        try:
            time_ms = self._first_ms if self._client is None else self._turn_ms
            begun = clock()
            deadline = begun + time_ms / 1e3
            program.begin_turn(begun, time_ms / 1e3)
            client = self._client or self._let_in(position, deadline)
            choice = client.turn(position, deadline)
        except Trouble as trouble:
            if trouble.kind != "timeout":
                self._lose(trouble)
            if how := program.ended():
                self._lose(Trouble("crash", f"{how}, and a child process of it is still running"))
            raise self._late(trouble) from None
        except Refused as refused:  # a board that the protocol cannot express
            self._lose(Trouble("crash", str(refused)))
        program.hear()
        if self._pauses:
            program.pause()
        return choice

    def _let_in(self, position: Position, deadline: float) -> ClientSeat:
        """Return the client, which knows where the game starts; raise Trouble if there is none."""
        assert self._listener is not None
        connection: Connection | None = None
        try:
            connection = self._listener.accept(deadline, self._alive)
            connection.meanwhile = self._hear
            self._client = ClientSeat(connection, deadline)
            self._client.begin(self._game, position, self._seat, deadline)
        except ProtocolError as error:
            if connection is not None:
                connection.close()
            kind = "illegal" if connection is not None else "crash"
            raise Trouble(kind, f"before its first turn: {error}") from None
        finally:
            self._listener.close()
        return self._client

    def _hear(self) -> None:
        if self._program is not None:
            self._program.hear()

    def _alive(self) -> None:
        """Raise Trouble if the program has ended before it connected."""
        self._hear()
        if self._program is not None and (how := self._program.ended()):
            raise Trouble("crash", f"{how} before it connected")

    def _late(self, trouble: Trouble) -> PlayerFailure:
        """Return the failure of one turn; the program lives on."""
        program = self._program
        self._hear()
        if program is not None and self._pauses:
            program.pause()
        failure = self._failure(trouble, program)
        owed = program.owed(self._turn_ms / 1e3) if program is not None else 0.0
        failure.waited_ms = 1e3 * owed
        return failure

    def _lose(self, trouble: Trouble) -> NoReturn:
        """End the program and the server, and fail; with its exit status if the program has ended."""
        program = self._program
        how = program.ended(GRACE) if program is not None and trouble.kind == "crash" else ""
        if how and how not in trouble.text:
            trouble = Trouble(trouble.kind, f"{trouble.text}; the program {how}")
        self._hang_up()
        self._fail(trouble)

    def game_over(self, position: Position) -> None:
        """Send the end of the game, and kill the program."""
        if self._client is not None:
            self._client.end()
        self.close()

    def close(self) -> None:
        """Hang up and kill the program."""
        self._hang_up()
        self._kill()

    def _hang_up(self) -> None:
        if self._client is not None:
            self._client.bye()
        if self._listener is not None:
            self._listener.close()
        self._client = self._listener = None
