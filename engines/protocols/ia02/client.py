"""An engine of ours at the course's server, or at one that speaks as it does."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Sequence
from typing import Any

from joute.engines.data import loose_json
from joute.engines.engine import parse_game
from joute.engines.errors import ProtocolError, Refused, cut
from joute.engines.games.hexagons import HexagonGame
from joute.engines.player import Player, PlayerFailure
from joute.engines.position import Position
from joute.engines.protocol import Playing, Tell
from joute.engines.protocols.ia02.wire import GAMES, ILLEGAL, cell_text, state_of_grid
from joute.engines.protocols.ia02.words import cells_of_action, followed, hexagons

SHARE = 20  # of the clock that is left, a move takes at most one so-many-th
WAIT = 3600.0  # seconds for the other side to come, or to move
PATIENCE, RETRY = 5.0, 0.1  # seconds in which a server may begin to listen, and between two tries
SOON = 20.0  # seconds for an answer that does not depend on the other player
TRIES = 3  # attempts for a request with a lost answer, where repeating it changes nothing
AGAIN = {"register": SOON, "start": WAIT}  # such requests, and the seconds to wait for each
LARGEST = 1 << 20  # bytes of an answer
USUAL, ENDLESS = 180.0, 1e7  # seconds of a clock where the server gives none, and more than any


class Server:
    """The requests of one client. The address may hold Id and password: http://ID:PASSWORD@HOST:PORT."""

    def __init__(self, where: Sequence[str], name: str, game: str, tell: Tell) -> None:
        if len(where) != 1:
            raise Refused(
                f"give the server as its URL, http://HOST:PORT, not as {' '.join(where)!r}"
            )
        try:
            url = urllib.parse.urlsplit(where[0])
            port = url.port
        except ValueError as error:
            raise Refused(f"{where[0]!r}: {error}") from None
        if url.scheme not in ("http", "https") or not url.hostname:
            raise Refused(f"{where[0]!r} is no URL; as in http://127.0.0.1:8080")
        host = f"[{url.hostname}]" if ":" in url.hostname else url.hostname
        self.base = f"{url.scheme}://{host}{f':{port}' if port else ''}{url.path.rstrip('/')}"
        self.token, self._tell = "", tell
        self._said = {
            "PossibleGames": [GAMES.index(game)],
            "Id": urllib.parse.unquote(url.username or ""),
            "Members": name,
            "Password": urllib.parse.unquote(url.password or ""),
        }

    def ask(self, path: str, action: Sequence[str] = ()) -> dict[str, Any] | None:
        """Return the answer to a request; None: the action was illegal.

        A request that does not reach the server is repeated for some seconds. A lost answer is
        asked for again if the request has played nothing.
        """
        body = json.dumps({**self._said, "Token": self.token, "Action": list(action)}).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.base}/{path}", body, headers, method="POST")
        until, tries = time.monotonic() + PATIENCE, 1
        while True:
            try:
                return answered(request, AGAIN.get(path, WAIT))
            except Unheard as unheard:
                if time.monotonic() > until:
                    raise ProtocolError(f"{request.full_url}: {unheard}") from None
            except Lost as lost:
                if path not in AGAIN:
                    raise ProtocolError(
                        f"{request.full_url}: the answer was lost ({lost}) after "
                        f"{' '.join(action)} "
                        "had been sent; nobody can tell whether it was played, so it is not sent "
                        "again: this game ends here"
                    ) from None
                if tries == TRIES:
                    raise ProtocolError(
                        f"{request.full_url}: the answer was lost {TRIES} times ({lost})"
                    ) from None
                tries += 1
                self._tell(f"{path}: the answer was lost ({lost}), asked again")
            time.sleep(RETRY)


class Unheard(Exception):
    """A request that has not reached the server, which may begin to listen."""


class Lost(Exception):
    """An answer that has not come, or not whole, to a request that was sent."""


def answered(request: urllib.request.Request, seconds: float) -> dict[str, Any] | None:
    """Return the answer to a request, None to an illegal action; raise ProtocolError where the
    server refuses or makes no sense, Unheard and Lost where the request's fate is unknown.
    """
    where = request.full_url
    try:
        with urllib.request.urlopen(request, timeout=seconds) as answer:
            data = answer.read(LARGEST)
            if answer.length and len(data) < LARGEST:
                raise Lost(f"it ends {answer.length} bytes early")
            return object_of(data)
    except urllib.error.HTTPError as error:
        with error:
            if error.code == ILLEGAL:
                return None
            text = cut(beginning(error).strip(), 200)
        raise ProtocolError(f"{where}: status {error.code}: {text}") from None
    except urllib.error.URLError as error:
        if isinstance(error.reason, ConnectionError):
            raise Unheard(error.reason) from None
        raise ProtocolError(f"{where}: {error.reason}") from None
    except TimeoutError:
        raise Lost(f"nothing came in {seconds:g} s") from None
    except (OSError, http.client.IncompleteRead) as error:
        raise Lost(str(error)) from None
    except (ValueError, http.client.HTTPException) as error:
        raise ProtocolError(f"{where}: {error}") from None


def beginning(error: urllib.error.HTTPError) -> str:
    """Return how the text of a refusal begins, "" if it does not come."""
    try:
        return error.read(400).decode(errors="replace")
    except (OSError, http.client.HTTPException):
        return ""


def object_of(data: bytes) -> dict[str, Any]:
    """Return the object of an answer; raise ProtocolError for anything else."""
    try:
        answer = loose_json(data.decode() or "{}")
    except ValueError as error:
        raise ProtocolError(f"an answer that is not JSON: {cut(str(error), 80)}") from None
    if not isinstance(answer, dict):
        raise ProtocolError("an answer that is no JSON object")
    return answer


def play(engine: Playing, where: Sequence[str], name: str, tell: Tell) -> None:
    """Play one game and report the result."""
    game = hexagons(engine.game)
    server = Server(where, name, game.name, tell)
    engine.ready()  # before the clock runs
    server.token = str((server.ask("register") or {}).get("Token", ""))
    answer = server.ask("start") or {}
    server.token = str(answer.get("MatchToken") or server.token)
    seat = seat_of(answer)
    if str(answer.get("Game", game.name)).lower() not in (game.name, str(GAMES.index(game.name))):
        raise ProtocolError(
            f"the server plays {cut(repr(answer['Game']), 80)}, this client {game.name}"
        )
    seconds = answer.get("Clocktime")
    clock = USUAL
    if isinstance(seconds, int | float) and 0 < seconds < ENDLESS:
        clock = float(seconds)
    game = sized(game, answer)
    tell(f"playing as player {seat + 1} of {game.label}, {clock:g} s for the game")
    player = engine.on(game).player()
    try:
        player.new_game(0, seat)
        Seat(server, game, player, seat, clock, tell).play(answer)
    finally:
        player.close()


def seat_of(answer: dict[str, Any]) -> int:
    """Return our seat, 0 or 1; raise ProtocolError where the server gives none."""
    if answer.get("Player") not in (1, 2):
        shown = cut(repr(answer.get("Player")), 80)
        raise ProtocolError(f"the server gave no seat: Player is {shown}")
    return int(answer["Player"]) - 1


def sized(game: HexagonGame, answer: dict[str, Any]) -> HexagonGame:
    """Return the game with the side of the server's grid."""
    grid = answer.get("Grid")
    side = grid.get("Size") if isinstance(grid, dict) else None
    if side == game.side or not isinstance(side, int):
        return game
    return hexagons(parse_game(f"{game.name}[side={side}]"))


def outcome(winner: object, seat: int) -> str:
    """Return the winner in words."""
    if winner not in (1, 2):
        return (
            f"the game is over, and the server names no winner: Winner is {cut(repr(winner), 80)}"
        )
    return "we have won" if winner == seat + 1 else f"lost: player {winner} has won"


class Seat:
    """One game of ours."""

    def __init__(
        self, server: Server, game: HexagonGame, player: Player, seat: int, clock: float, tell: Tell
    ) -> None:
        self._server, self._game, self._player = server, game, player
        self._seat, self._left, self._tell = seat, clock, tell
        self._position: Position | None = None

    def play(self, news: dict[str, Any]) -> None:
        """Play until the game has ended; `news` is the server's message at our first turn."""
        while not news.get("Finished"):
            begun = time.perf_counter()
            state = state_of_grid(news.get("Grid"), self._game)
            position = followed(self._game, self._position, state, self._seat + 1)
            if position.over:
                raise ProtocolError(f"it is our turn in {position.text()}, where the game is over")
            action = self._action(position)
            self._left -= time.perf_counter() - begun
            answer = self._server.ask(
                "play", [*map(cell_text, cells_of_action(self._game, action))]
            )
            if answer is None:
                text = self._game.action_text(action)
                raise ProtocolError(f"the server calls {text} illegal in {position.text()}")
            position.play(action)
            self._position, news = position, answer
        self._tell(outcome(news.get("Winner"), self._seat))

    def _action(self, position: Position) -> int:
        self._player.guard_ms = max(1.0, 1e3 * self._left / SHARE)
        try:
            return self._player.choose(position).action
        except PlayerFailure as failure:
            raise ProtocolError(f"the engine failed: {failure}") from None
