"""The server's side of one client: sends it the board, asks for its turn, takes its answer.

A late turn is skipped and the client lives on. A late or second turn left in its socket is thrown
away when it is asked again. An order that makes no sense, a turn against the rules and a closed
connection lose the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from joute.engines.errors import Refused
from joute.engines.games.vampires.board import Cell, VampiresBoard, row_by_row
from joute.engines.games.vampires.tcp import wire
from joute.engines.games.vampires.tcp.wire import (
    Connection,
    Gone,
    Late,
    Malformed,
    WireCell,
    WireMove,
    clock,
)
from joute.engines.games.vampires.vampires import GroupMove, Vampires, action_of, fault, moves_of
from joute.engines.player import Move
from joute.engines.position import Position
from joute.engines.programs.process import Trouble

GOODBYE = 0.5  # seconds in which the last orders must go out
SHOWN = 80  # characters of a turn that a message shows


class ClientSeat:
    """The seat of a client that has sent its name. Deadlines are those of `wire.clock`."""

    def __init__(self, connection: Connection, deadline: float) -> None:
        self.connection = connection
        self.name = connection.name(deadline)
        self.alive = True  # whether it can be talked to
        self._board: VampiresBoard | None = None  # the last board that it was sent
        self._ply = 0  # number of the game's moves that it was sent

    def begin(self, game: Vampires, position: Position, seat: int, deadline: float) -> None:
        """Send the start of a game; `position` may have moved on."""
        first = Position(game, position.start)
        board = game.board(first.W, first.at)
        home = next(iter((board.vampires, board.werewolves)[seat]), (0, 0))
        orders = (
            wire.set_(board.rows, board.columns),
            wire.hum(board.humans),
            wire.hme(*home),
            wire.map_(wire_cells(board, cells_of(board))),
        )
        self.connection.send(b"".join(orders), deadline)
        self._board, self._ply = board, 0

    def ask(self, cells: Iterable[WireCell], deadline: float) -> list[WireMove]:
        """Send the cells that changed and return the one turn that is answered."""
        self.connection.discard()
        self.connection.send(wire.upd(cells), deadline)
        return self.connection.moves(deadline)

    def turn(self, position: Position, deadline: float) -> Move:
        """Return the client's legal turn in a game that has begun; raise Trouble if there is none.

        It is sent the current content of the cells that turns have touched since its last message.
        """
        game = position.game
        assert isinstance(game, Vampires) and self._board is not None
        board = game.board(position.W, position.at)
        touched = changed(self._board, board)
        for action in position.moves[self._ply :]:
            for start, _, end in moves_of(action):
                touched |= {start, end}
        self._board, self._ply = board, len(position.moves)
        try:
            return Move(action_in(board, self.ask(wire_cells(board, touched), deadline)))
        except Late as late:
            raise Trouble("timeout", f"no turn in time: {late}") from None
        except Malformed as malformed:
            raise Trouble("illegal", str(malformed)) from None
        except Gone as gone:
            self.alive = False
            raise Trouble("crash", str(gone)) from None

    def end(self) -> None:
        """Send the end of the game."""
        self._say(wire.END)

    def bye(self, seconds: float = 0.0) -> None:
        """Send the client away, giving it time to hear it, and close."""
        self._say(wire.BYE)
        self.connection.finish(seconds)
        self.alive = False

    def _say(self, order: bytes) -> None:
        if not self.alive:
            return
        try:
            self.connection.send(order, clock() + GOODBYE)
        except Gone:
            self.alive = False


def action_in(board: VampiresBoard, wire_moves: Sequence[WireMove]) -> int:
    """Return the action of a turn on a board; raise Trouble where it is against the rules."""
    moves = [GroupMove((x, y), n, (u, v)) for x, y, n, u, v in wire_moves]
    try:
        action = action_of(moves)
        why = fault(board, moves)
    except Refused as refused:
        why = str(refused)
    if why:
        text = "+".join(f"({x},{y})>({u},{v}):{n}" for x, y, n, u, v in wire_moves)
        text = text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."
        raise Trouble("illegal", f"answered {text}: {why}")
    return action


def cells_of(board: VampiresBoard) -> set[Cell]:
    """Return the cells that are not empty."""
    return {*board.humans, *board.vampires, *board.werewolves}


def changed(before: VampiresBoard, after: VampiresBoard) -> set[Cell]:
    """Return the cells with different content."""
    return {
        cell
        for was, now in zip(species(before), species(after), strict=True)
        for cell, _ in was.items() ^ now.items()
    }


def species(board: VampiresBoard) -> tuple[dict[Cell, int], ...]:
    """Return humans, vampires and werewolves, in the order of the protocol."""
    return dict(board.humans), dict(board.vampires), dict(board.werewolves)


def wire_cells(board: VampiresBoard, cells: Iterable[Cell]) -> list[WireCell]:
    """Return cells with their content, row by row."""
    kinds = species(board)
    return [
        WireCell(x, y, *(kind.get((x, y), 0) for kind in kinds))
        for x, y in sorted(cells, key=row_by_row)
    ]
