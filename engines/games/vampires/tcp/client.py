"""An engine of ours as a client of another's server; exported files hold this code as well.

The server is right: every turn is computed from its board, whatever ours was. A turn that took too
long is not sent, because a server would take it as the answer to its next question; and a question
is not answered when a newer one is there.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable

from joute.engines.errors import ProtocolError, Refused
from joute.engines.games.vampires import random_maps
from joute.engines.games.vampires.board import MOST_CELLS_A_SIDE, Cell, VampiresBoard
from joute.engines.games.vampires.tcp.wire import (
    Connection,
    Gone,
    Malformed,
    WireMove,
    clock,
    mov,
    nme,
)
from joute.engines.games.vampires.vampires import GroupMove, Vampires, action_of, fault, moves_of
from joute.engines.kernels.random import stream
from joute.engines.player import Player, PlayerFailure
from joute.engines.position import Position
from joute.engines.protocol import Playing, Tell

# Makes a player of a game with room for so many columns and rows.
Roomier = Callable[[int, int], tuple[Vampires, Player]]

PATIENCE = 5.0  # seconds in which a server may begin to listen
RETRY = 0.1
REST = 10.0  # seconds in which the rest of an order must come
GUARD = 0.9  # share of the turn's time after which a search is called off
NEIGHBOURS = [(u, v) for v in (-1, 0, 1) for u in (-1, 0, 1) if u or v]


def join(engine: Playing, host: str, port: int, name: str, turn_ms: float, tell: Tell) -> None:
    """Play at a server with an engine, on maps of any size: see `play`."""
    game = engine.game
    assert isinstance(game, Vampires)

    def roomier(columns: int, rows: int) -> tuple[Vampires, Player]:
        large = roomy(game, columns, rows)
        return large, engine.on(large).player()

    engine.ready()
    play(game, engine.player(), host, port, name, turn_ms, tell, roomier)


def play(
    game: Vampires,
    player: Player,
    host: str,
    port: int,
    name: str,
    turn_ms: float,
    tell: Tell,
    roomier: Roomier | None = None,
) -> None:
    """Play at a server until it says BYE, and close the player.

    Raises ProtocolError when the server leaves, makes no sense, or has too large a map for a game
    that cannot be enlarged.
    """
    follower = ServerFollower(game, player, turn_ms, tell, roomier)
    try:
        hello = nme(name)
        follower.prepare()  # compiles before the clock runs
        connection = connected(host, port)
        try:
            connection.send(hello, clock() + REST)
            follower.follow(connection)
        finally:
            connection.close()
    finally:
        follower.close()


def connected(host: str, port: int) -> Connection:
    """Return a connection to a server, which may need a moment to be there."""
    limit = clock() + PATIENCE
    while True:
        try:
            return Connection(socket.create_connection((host, port), PATIENCE))
        except (OSError, UnicodeError) as error:
            if clock() > limit or isinstance(error, socket.gaierror | UnicodeError):
                reason = getattr(error, "strerror", None) or str(error)
                raise ProtocolError(f"cannot connect to {host}:{port}: {reason}") from None
        time.sleep(RETRY)


class ServerFollower:
    """Keeps the board that the server sends, and asks the player at every turn."""

    def __init__(
        self, game: Vampires, player: Player, turn_ms: float, tell: Tell, roomier: Roomier | None
    ) -> None:
        self._game, self._player, self._roomier = game, player, roomier
        self._seconds, self._tell = turn_ms / 1e3, tell
        self._size: tuple[int, int] | None = None  # columns, rows
        self._home: Cell | None = None
        self._race: int | None = None  # known once the board and our home are
        self._cells: dict[Cell, tuple[int, int, int]] = {}  # humans, vampires, werewolves
        self._ended = False  # the last message was END
        self._dropped = 0.0  # when the question came that we did not answer; 0: all were answered

    def close(self) -> None:
        """Let go of the player."""
        self._player.close()

    def prepare(self) -> None:
        """Let the player look at the clock, and load the rules."""
        if self._player.guard_ms is None:  # the share of the turn that it may use is unknown
            self._player.guard_ms = GUARD * self._seconds * 1e3
        position = Position(self._game)
        position.is_legal(position.sample_action(stream(0)))

    def follow(self, connection: Connection) -> None:
        """Take orders until BYE."""
        while True:
            waited = not connection.waiting()
            connection.await_more()
            try:
                order = connection.order(clock() + REST)
            except Gone:
                if self._ended:
                    return
                raise ProtocolError("the server closed the connection before BYE") from None
            except ProtocolError as error:
                raise ProtocolError(f"the server: {error}") from None
            if order == "BYE":
                return
            try:
                self._take(order, connection, waited)
            except ProtocolError as error:
                raise ProtocolError(f"the server, in {order}: {error}") from None

    def _take(self, order: str, connection: Connection, waited: bool) -> None:
        limit = clock() + REST
        self._ended = order == "END"
        if order == "SET":
            rows, columns = connection.read(2, limit)
            self._begin(columns, rows)
        elif order == "HUM":
            connection.read(2 * connection.read(1, limit)[0], limit)  # MAP repeats them
        elif order == "HME":
            x, y = connection.read(2, limit)
            self._home = (x, y)
        elif order == "MAP":
            self._change(connection.fives(limit))
        elif order == "UPD":
            self._change(connection.fives(limit))
            came = clock()
            if not waited and self._dropped:  # it may have come while we overran our time:
                came = min(came, self._dropped + self._seconds)  # not before that was over
            self._answer(connection, came)
        elif order == "END":
            self._race = self._size = self._home = None
        else:
            raise Malformed("an order that servers do not give")

    def _begin(self, columns: int, rows: int) -> None:
        """Begin a game on an empty board of a size."""
        most = MOST_CELLS_A_SIDE
        if not (1 <= columns <= most and 1 <= rows <= most):
            raise Malformed(
                f"a map of {columns} columns and {rows} rows; allowed: 1 to {most} of each"
            )
        room = self._game.layout
        if columns > room.width or rows > room.height:
            if self._roomier is None:
                raise ProtocolError(
                    f"a map of {columns} columns and {rows} rows; this player has room for "
                    f"{room.width} and {room.height}"
                )
            self._player.close()
            self._game, self._player = self._roomier(columns, rows)
            self.prepare()
        self._size, self._home, self._race = (columns, rows), None, None
        self._cells, self._dropped = {}, 0.0

    def _change(self, cells: list[WireMove]) -> None:
        """Set the cells that the server sent."""
        if self._size is None:
            raise Malformed("cells before the size of the board (SET)")
        for x, y, *counts in cells:
            if not (x < self._size[0] and y < self._size[1]):
                raise Malformed(f"the cell {x},{y} is off the board")
            if sum(n > 0 for n in counts) > 1:
                raise Malformed(f"two species in the cell {x},{y}")
            self._cells[x, y] = (counts[0], counts[1], counts[2])

    def _answer(self, connection: Connection, came: float) -> None:
        """Send our turn, unless it would be late."""
        if self._race is None:
            self._race = self._learned()
            self._player.new_game(0, self._race)
        if connection.waiting():
            return  # asked again, or sent away
        action = self._thought(self._board())
        spent = clock() - came
        if not action:
            self._tell("we have no legal turn")
        elif spent > self._seconds or connection.waiting():
            self._dropped = came
            self._tell(f"took {spent * 1e3:.0f} ms: the turn is not sent")
        else:
            moves = [(x, y, n, u, v) for (x, y), n, (u, v) in moves_of(action)]
            connection.send(mov(moves), clock() + REST)
            self._dropped = 0.0

    def _learned(self) -> int:
        """Return our race: that of the units in our home."""
        if self._home is None:
            raise Malformed("asked for a turn before it told where our home is (HME)")
        _, vampires, werewolves = self._cells.get(self._home, (0, 0, 0))
        if not vampires and not werewolves:
            raise Malformed(f"nobody stands in our home {self._home}")
        return 0 if vampires else 1

    def _board(self) -> VampiresBoard:
        assert self._size is not None and self._race is not None
        humans, vampires, werewolves = (
            {c: n[kind] for c, n in self._cells.items() if n[kind]} for kind in range(3)
        )
        return VampiresBoard(*self._size, humans, vampires, werewolves, self._race)

    def _thought(self, board: VampiresBoard) -> int:
        """Return the engine's turn; any that is legal where it has none, else 0."""
        try:
            position = Position(self._game, board.text())
            if not position.over:
                action = self._player.choose(position).action
                if position.is_legal(action):
                    return action
        except (Refused, PlayerFailure) as error:
            self._tell(f"the engine has no turn: {error}")
        return any_turn(board)


def any_turn(board: VampiresBoard) -> int:
    """Return a turn of one unit that is legal; 0 if there is none."""
    for (x, y), _ in (board.vampires, board.werewolves)[board.turn].items():
        for u, v in NEIGHBOURS:
            moves = [GroupMove((x, y), 1, (x + u, y + v))]
            if not fault(board, moves):
                return action_of(moves)
    return 0


def roomy(game: Vampires, columns: int, rows: int) -> Vampires:
    """Return a game like this one, with room for boards of this size."""
    spec = f"{random_maps.PREFIX}twilight:{max(columns, 2)}x{max(rows, 2)}:0:1"
    return Vampires(**{**game.values, "map": spec})
