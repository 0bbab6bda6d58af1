"""The course's orders as bytes, and a connection that is read with deadlines.

An order is three letters, then unsigned bytes. A list is its length in one byte, then its members:
houses (x, y), cells (x, y, humans, vampires, werewolves), moves (x, y, units, x to, y to).
"""

from __future__ import annotations

import selectors
import socket
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

from joute.engines.errors import ProtocolError, Refused

ORDER = 3  # bytes of an order's name
CELL = 5  # bytes of a cell, and of a move
MOST = 255  # members of a list, and the largest byte
CHUNK = 1 << 14  # bytes thrown away at once
FLOOD = 1 << 20  # bytes that may lie unread before a turn
SLICE = 0.02  # seconds waited at once where something else is to be looked after

clock = time.monotonic


class Malformed(ProtocolError):
    """The peer sent something that is no order here."""


class Late(ProtocolError):
    """The peer did not send everything in time."""


class Gone(ProtocolError):
    """The peer closed the connection."""


class WireCell(NamedTuple):
    """A cell as MAP and UPD send it."""

    x: int
    y: int
    humans: int
    vampires: int
    werewolves: int


WireMove = tuple[int, int, int, int, int]  # a move as MOV sends it: x, y, units, x to, y to


def nme(name: str) -> bytes:
    """Return our name, a client's first order; raise Refused if the protocol cannot express it."""
    if not (name.isascii() and name.isprintable() and 1 <= len(name) <= MOST):
        raise Refused(f"name {name[:40]!r}; allowed: 1 to {MOST} characters of ASCII")
    return b"NME" + bytes([len(name)]) + name.encode()


def set_(rows: int, columns: int) -> bytes:
    """Return the size of the board, rows first."""
    return b"SET" + bytes([rows, columns])


def hum(houses: Iterable[tuple[int, int]]) -> bytes:
    """Return where humans live at first."""
    return b"HUM" + listed(houses, "houses")


def hme(x: int, y: int) -> bytes:
    """Return the cell in which the client starts."""
    return b"HME" + bytes([x, y])


def map_(cells: Iterable[WireCell]) -> bytes:
    """Return the board: all cells that are not empty."""
    return b"MAP" + listed(cells, "cells")


def upd(cells: Iterable[WireCell]) -> bytes:
    """Return the order UPD with the changes: it is the client's turn."""
    return b"UPD" + listed(cells, "cells")


def mov(moves: Iterable[WireMove]) -> bytes:
    """Return a turn."""
    return b"MOV" + listed(moves, "moves")


END, BYE = b"END", b"BYE"


def listed(members: Iterable[tuple[int, ...]], what: str) -> bytes:
    """Return a list; raise Refused if it has more members than a byte counts."""
    packed = [bytes(member) for member in members]
    if len(packed) > MOST:
        raise Refused(f"{len(packed)} {what} cannot be told by this protocol; at most {MOST} can")
    return bytes([len(packed)]) + b"".join(packed)


class Connection:
    """A socket that is read and written in whole orders, each by a deadline of `clock`.

    No more is read than is asked for, so that what is sent in excess stays in the socket, where its room is limited. `meanwhile`, if
    there is one, is called again and again while we wait; it may raise.
    """

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._socket = sock
        self.meanwhile: Callable[[], None] | None = None

    def read(self, size: int, deadline: float) -> bytes:
        """Return exactly so many bytes, in however many parts they come."""
        data = b""
        while len(data) < size:
            try:
                part = self._socket.recv(size - len(data))
            except BlockingIOError:
                if not wait(self._socket, selectors.EVENT_READ, deadline, self.meanwhile):
                    so_far = f" (only {len(data)} of {size} bytes)" if data else ""
                    raise Late(f"nothing more came in time{so_far}") from None
                continue
            except OSError as error:
                raise broke(error) from None
            if not part:
                within = " within an order" if data else ""
                raise Gone(f"closed the connection{within}")
            data += part
        return data

    def order(self, deadline: float) -> str:
        """Return the name of the next order."""
        name = self.read(ORDER, deadline)
        if not (name.isalpha() and name.isupper()):
            raise Malformed(f"sent {name!r}, which is no order")
        return name.decode("ascii")

    def name(self, deadline: float) -> str:
        """Return the name in the client's first order."""
        self._expect("NME", deadline)
        size = self.read(1, deadline)[0]
        if not size:
            raise Malformed("sent a name of 0 letters")
        name = self.read(size, deadline)
        if not name.isascii() or not name.decode("ascii").isprintable():
            raise Malformed(f"sent the name {name[:40]!r}; allowed: printable ASCII")
        return name.decode("ascii")

    def moves(self, deadline: float) -> list[WireMove]:
        """Return the moves of the one turn that is read."""
        self._expect("MOV", deadline)
        moves = self.fives(deadline)
        if not moves:
            raise Malformed("sent MOV with n = 0; allowed: 1 move or more")
        return moves

    def fives(self, deadline: float) -> list[WireMove]:
        """Return a list of members of five bytes: cells or moves."""
        data = self.read(self.read(1, deadline)[0] * CELL, deadline)
        return [
            (data[i], data[i + 1], data[i + 2], data[i + 3], data[i + 4])
            for i in range(0, len(data), CELL)
        ]

    def _expect(self, wanted: str, deadline: float) -> None:
        if (name := self.order(deadline)) != wanted:
            raise Malformed(f"sent the order {name}; {wanted} was due")

    def send(self, data: bytes, deadline: float) -> None:
        """Send all of it."""
        while data:
            try:
                data = data[self._socket.send(data) :]
            except BlockingIOError:
                if not wait(self._socket, selectors.EVENT_WRITE, deadline, self.meanwhile):
                    raise Gone("does not read what it is sent") from None
            except OSError as error:
                raise broke(error) from None

    def waiting(self) -> bool:
        """Whether something can be read at once: bytes, or the end of the connection."""
        return wait(self._socket, selectors.EVENT_READ, clock())

    def await_more(self) -> None:
        """Wait, however long, until something can be read."""
        wait(self._socket, selectors.EVENT_READ, None, self.meanwhile)

    def broken(self) -> bool:
        """Whether the other side has closed the connection, as far as we can see."""
        try:
            return self.closed or not self._socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True

    @property
    def closed(self) -> bool:
        """Whether we have closed it."""
        return self._socket.fileno() < 0

    def discard(self) -> None:
        """Throw away the bytes that lie in the socket; raise Malformed if they do not end."""
        for _ in range(FLOOD // CHUNK):
            try:
                part = self._socket.recv(CHUNK)
            except BlockingIOError:
                return
            except OSError as error:
                raise broke(error) from None
            if not part:
                raise Gone("closed the connection")
        raise Malformed(f"sent more than {FLOOD} bytes between its turns")

    def finish(self, seconds: float) -> None:
        """Shut down our side, wait so long for the other side to close, and close.

        To close at once with bytes unread would reset the connection, and lose our last message.
        """
        deadline = clock() + seconds
        try:
            self.discard()
            self._socket.shutdown(socket.SHUT_WR)
            while wait(self._socket, selectors.EVENT_READ, deadline):
                self.discard()
        except (ProtocolError, OSError):
            pass
        self.close()

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


def broke(error: OSError) -> Gone:
    """Return the Gone error for a failure of a socket."""
    if isinstance(error, ConnectionError):  # reset: closed with bytes of ours unread
        return Gone("closed the connection")
    return Gone(f"the connection broke: {error.strerror}")


class Listener:
    """A listening socket; port 0 is any free one. Closing it turns away whoever still waits."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        try:
            self._socket = socket.create_server((host, port))
        except OSError as error:
            raise Refused(f"cannot listen at {host}:{port}: {error.strerror or error}") from None
        self._socket.setblocking(False)
        self.host, self.port = self._socket.getsockname()[:2]

    def accept(
        self, deadline: float | None, meanwhile: Callable[[], None] | None = None
    ) -> Connection:
        """Return the connection of the next client; raise Late if none comes."""
        while wait(self._socket, selectors.EVENT_READ, deadline, meanwhile):
            try:
                return Connection(self._socket.accept()[0])
            except OSError:  # came and went
                continue
        raise Late("nobody connected in time")

    def close(self) -> None:
        """Stop listening."""
        self._socket.close()


def wait(
    sock: socket.socket,
    event: int,
    deadline: float | None,
    meanwhile: Callable[[], None] | None = None,
) -> bool:
    """Wait until the socket can be read or written; return whether it can before the deadline."""
    # Not every system has poll; select takes no more than 1024 files.
    waiting = getattr(selectors, "PollSelector", selectors.SelectSelector)()
    waiting.register(sock, event)
    while True:
        left = None if deadline is None else max(0.0, deadline - clock())
        pause = left
        if meanwhile is not None:
            pause = SLICE if left is None else min(left, SLICE)
        if waiting.select(pause):
            return True
        if deadline is not None and clock() >= deadline:
            return False
        if meanwhile is not None:
            meanwhile()
