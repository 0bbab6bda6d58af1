"""A server as the course's: two clients register, start and play over HTTP; we are the referee.

A request waits for its answer: `start` until it is that seat's turn, `play` until the other side
has moved. A client that lost an answer sends `start` again for the game's state. Threads take
requests; the referee alone answers them.
"""

from __future__ import annotations

import json
import queue
import secrets
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from joute.engines.data import loose_json
from joute.engines.errors import Refused, cut
from joute.engines.games.hexagons import HexagonGame
from joute.engines.player import Move, Player, PlayerFailure
from joute.engines.position import Position
from joute.engines.protocol import GameServer, Tell
from joute.engines.protocols.ia02.wire import GAMES, ILLEGAL, grid_of

COLOURS = ("red", "blue")
LARGEST, DIGITS = 1 << 16, 9  # bytes of a request, and digits of their number
HEARING = 2.0  # seconds in which clients take the last answers
BODY_S = 30.0  # seconds in which the body of a request comes


@dataclass
class HttpRequest:
    """A request that waits for its answer."""

    what: str
    said: dict[str, Any]
    gone: Callable[[], bool]  # whether the client has left
    status: int = 200
    answer: dict[str, Any] = field(default_factory=dict)
    answered: threading.Event = field(default_factory=threading.Event)

    def reply(self, answer: dict[str, Any], status: int = 200) -> None:
        """Answer it."""
        self.answer, self.status = answer, status
        self.answered.set()


@dataclass
class Client:
    """A client that has registered."""

    token: str
    name: str
    requests: queue.SimpleQueue[HttpRequest] = field(default_factory=queue.SimpleQueue)
    waiting: HttpRequest | None = None  # that will be answered when there is news
    left: float = 0.0  # seconds of its clock

    def asks_again(self, request: HttpRequest) -> None:
        """Put a request in the place of the one before, whose answer may be lost."""
        if self.waiting is not None:
            self.waiting.reply({"Error": "you have asked again"}, 409)
        self.waiting = request

    def waiting_requests(self) -> Iterator[HttpRequest]:
        """Yield the requests in a game that are not taken yet."""
        while not self.requests.empty():
            yield self.requests.get()


class HttpTable(GameServer):
    """Two seats; the first client to send `start` is red, and moves first."""

    def __init__(self, game: HexagonGame, host: str, port: int, clock_s: float) -> None:
        self._game, self._clock = game, clock_s
        self.time = f"{clock_s:g} s a player for the game"
        self._guests: dict[str, Client] = {}
        self._coming: queue.SimpleQueue[tuple[Client, HttpRequest]] = queue.SimpleQueue()
        self._seated: list[Client] = []
        self._open, self._on = True, False  # the server, a game
        try:
            self._server = Listener((host, port), handler_of(self))
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise Refused(f"cannot listen at {host}:{port}: {reason}") from None
        self.address = f"http://{host}:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def take(self, request: HttpRequest) -> None:
        """Sort a request, in the thread that read it; one that has to wait is answered later."""
        if request.what == "register":
            token = secrets.token_hex(8)
            self._guests[token] = Client(token, name_of(request.said))
            return request.reply({"Token": token})
        guest = self._guests.get(str(request.said.get("Token")))
        if guest is None:
            return request.reply({"Error": "no such Token: register first"}, 403)
        if not self._open:
            return request.reply({"Error": "the series is over"}, 410)
        if request.what == "play" or (self._on and guest in self._seated):
            return guest.requests.put(request)
        games = request.said.get("PossibleGames")
        if isinstance(games, list) and games and GAMES.index(self._game.name) not in games:
            number = GAMES.index(self._game.name)
            return request.reply({"Error": f"this is {self._game.name}, game {number}"}, 400)
        return self._coming.put((guest, request))

    def gather(self, position: Position, tell: Tell) -> list[Player]:
        """Wait for two clients that send `start`."""
        self._seated = []
        while len(self._seated) < 2:
            guest, request = self._coming.get()
            for ghost in [one for one in self._seated if one.waiting and one.waiting.gone()]:
                tell(f"{ghost.name} has left")
                self._reply(ghost, {"Error": "you have left"})
                self._seated.remove(ghost)
            if request.gone():
                request.reply({"Error": "you have left"})
                continue
            if guest in self._seated:
                guest.asks_again(request)
                continue
            guest.waiting, guest.left = request, self._clock
            guest.requests = queue.SimpleQueue()
            self._seated.append(guest)
            tell(f"{guest.name} plays {COLOURS[len(self._seated) - 1]}")
        self._on = True
        return [ClientPlayer(self, seat) for seat in range(2)]

    def begin(self, position: Position) -> None:
        """Wait for two clients again: they register anew for a further game."""
        self.gather(position, lambda text: None)

    def ask(self, seat: int, position: Position) -> Move:
        """Tell a client that it is its turn, and take its legal action within its clock."""
        guest = self._seated[seat]
        for early in guest.waiting_requests():
            if early.what == "start":
                guest.asks_again(early)
            else:
                early.reply({"Error": "it was not your turn"}, 409)
        self._reply(guest, self._news(seat, position))
        begun = time.monotonic()
        while True:
            left = guest.left - (time.monotonic() - begun)
            try:
                request = guest.requests.get(timeout=max(0.0, left))
            except queue.Empty:
                guest.left = 0.0
                raise PlayerFailure("timeout", f"its {self._clock:g} s are over") from None
            if request.what == "start":  # it has lost the answer that it had
                request.reply(self._news(seat, position))
                continue
            try:
                action = self._action(request, position)
            except Refused as refused:
                request.reply({"Error": str(refused)}, ILLEGAL)
                continue
            guest.left -= time.monotonic() - begun
            guest.waiting = request
            return Move(action)

    def _action(self, request: HttpRequest, position: Position) -> int:
        cells = request.said.get("Action")
        if not (isinstance(cells, list) and all(isinstance(cell, str) for cell in cells)):
            raise Refused(f"Action is {cut(repr(cells), 80)}; it is a list of cells, as texts")
        action = self._game.action_of(" ".join(cells))
        if not position.is_legal(action):
            raise Refused(f"{' '.join(cells)} is not legal")
        return action

    def _news(self, seat: int, position: Position, winner: int = 0) -> dict[str, Any]:
        """Return the state of the game, for a seat; the winner is 1 or 2 where it has ended."""
        guest = self._seated[seat]
        return {
            "Game": GAMES.index(self._game.name),
            "Player": seat + 1,
            "Clocktime": max(0, int(guest.left)),
            "Grid": grid_of(position),
            "MatchToken": guest.token,
            "Finished": winner > 0,
            "Winner": winner,
            "FinalScore": (0, 1, -1)[winner],
        }

    @staticmethod
    def _reply(guest: Client, answer: dict[str, Any]) -> None:
        if guest.waiting is not None:
            guest.waiting.reply(answer)
            guest.waiting = None

    def end(self, position: Position, returns: Sequence[float]) -> None:
        """Send the winner to both."""
        winner = 1 if returns[0] > returns[1] else 2
        self._on = False
        for seat, guest in enumerate(self._seated):
            news = self._news(seat, position, winner)
            self._reply(guest, news)
            late = [*guest.waiting_requests()]
            for request in late:
                request.reply(news)
            until = time.monotonic() + (HEARING if guest.left <= 0.0 else 0.0)
            while not late and (left := until - time.monotonic()) > 0:  # the late one still asks
                try:
                    guest.requests.get(timeout=left).reply(news)
                    break
                except queue.Empty:
                    break

    def complete(self) -> bool:
        """Whether a further game can begin: its players register only then."""
        return True

    def state(self, position: Position) -> str:
        """Return the clocks."""
        return ", ".join(f"{c} {g.left:.1f} s" for c, g in zip(COLOURS, self._seated, strict=True))

    def names(self) -> list[str]:
        """Return colour and name of both."""
        return [f"{c} ({g.name})" for c, g in zip(COLOURS, self._seated, strict=True)]

    def close(self) -> None:
        """Stop listening; waiting clients get an answer."""
        self._open = False
        for guest in list(self._guests.values()):
            self._reply(guest, {"Error": "the server has closed"})
            for late in guest.waiting_requests():
                late.reply({"Error": "the series is over"}, 410)
        while not self._coming.empty():
            self._coming.get()[1].reply({"Error": "the series is over"}, 410)
        time.sleep(0.1)  # the answers go out
        self._server.shutdown()
        self._server.server_close()


class ClientPlayer(Player):
    """Whoever has a seat, as a player."""

    def __init__(self, table: HttpTable, seat: int) -> None:
        self._table, self._seat = table, seat

    def choose(self, position: Position) -> Move:
        """Ask the client."""
        return self._table.ask(self._seat, position)


def name_of(body: dict[str, Any]) -> str:
    """Return a client's name, cut and printable."""
    name = cut(str(body.get("Members") or "somebody"), 60)
    return "".join(c if c.isprintable() else "?" for c in name)


class Listener(ThreadingHTTPServer):
    """The HTTP server; a client that leaves during a request is no error."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a connection that broke."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def handler_of(table: HttpTable) -> type[BaseHTTPRequestHandler]:
    """Return the class that reads requests and writes their answers, in a thread each."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            """Read a request, hand it over and write the answer."""
            path = self.path.strip("/")
            length = self.headers.get("Content-Length", "")
            if path not in ("register", "start", "play"):
                self.close_connection = True  # its body is not read
                return self._write(404, {"Error": f"{self.path}: register, start or play"})
            if not (length.isascii() and length.isdigit()):
                self.close_connection = True  # the end of the body is unknown
                return self._write(411, {"Error": "a body needs a Content-Length"})
            if len(length) > DIGITS or int(length) > LARGEST:
                self.close_connection = True  # nor is it read
                return self._write(413, {"Error": f"a body of at most {LARGEST} bytes"})
            self.connection.settimeout(BODY_S)
            try:
                body = loose_json(self.rfile.read(int(length)).decode())
            except ValueError as error:
                return self._write(400, {"Error": f"not JSON: {error}"})
            finally:
                self.connection.settimeout(None)
            if not isinstance(body, dict):
                return self._write(400, {"Error": "not a JSON object"})
            request = HttpRequest(path, body, self._gone)
            table.take(request)
            request.answered.wait()
            return self._write(request.status, request.answer)

        def _gone(self) -> bool:
            """Whether the client has closed its connection."""
            try:
                flags = socket.MSG_PEEK | socket.MSG_DONTWAIT
                return not self.connection.recv(1, flags)
            except BlockingIOError:
                return False
            except OSError:
                return True

        def _write(self, status: int, answer: dict[str, Any]) -> None:
            body = json.dumps(answer).encode()
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                self.close_connection = True  # the client has left

        def log_message(self, *words: object) -> None:
            """Log nothing: the referee reports."""

    return Handler
