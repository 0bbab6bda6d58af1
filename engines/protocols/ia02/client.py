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

from engines.data import loose_json
from engines.engine import parse_game
from engines.errors import ProtocolError, Refused, cut
from engines.games.hexagons import HexagonGame
from engines.player import Player, PlayerFailure
from engines.position import Position
from engines.protocol import Playing, Tell
from engines.protocols.ia02.wire import GAMES, ILLEGAL, cell_text, state_of_grid
from engines.protocols.ia02.words import cells_of_action, followed, hexagons

SHARE = 20  # of the clock that is left, a move takes at most one so-many-th
WAIT = 3600.0  # seconds for the other side to come, or to move
PATIENCE, RETRY = 5.0, 0.1  # seconds in which a server may begin to listen
LARGEST = 1 << 20  # bytes of an answer
USUAL, ENDLESS = 180.0, 1e7  # seconds of a clock where the server gives none, and more than any


class Server:
    """The requests of one client. The address may hold Id and password: http://ID:PASSWORD@HOST:PORT."""

    def __init__(self, where: Sequence[str], name: str, game: str) -> None:
        if len(where) != 1:
            raise Refused(
                f"the server is named by its URL, http://HOST:PORT, not {' '.join(where)!r}"
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
        self.token, self._until = "", time.monotonic() + PATIENCE
        self._said = {
            "PossibleGames": [GAMES.index(game)],
            "Id": urllib.parse.unquote(url.username or ""),
            "Members": name,
            "Password": urllib.parse.unquote(url.password or ""),
        }

    def ask(self, what: str, action: Sequence[str] = ()) -> dict[str, Any] | None:
        """Return the answer to a request; None: the action was illegal."""
        body = json.dumps({**self._said, "Token": self.token, "Action": list(action)}).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.base}/{what}", body, headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=WAIT) as answer:
                return object_of(answer.read(LARGEST))
        except urllib.error.HTTPError as error:
            with error:
                if error.code == ILLEGAL:
                    return None
                said = cut(error.read(400).decode(errors="replace").strip(), 200)
            raise ProtocolError(f"{self.base}/{what}: status {error.code}: {said}") from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            if isinstance(reason, ConnectionRefusedError) and time.monotonic() < self._until:
                time.sleep(RETRY)
                return self.ask(what, action)
            raise ProtocolError(f"{self.base}/{what}: {reason}") from None


def object_of(data: bytes) -> dict[str, Any]:
    """Return the object of an answer; raise ProtocolError for anything else."""
    try:
        found = loose_json(data.decode() or "{}")
    except ValueError as error:
        raise ProtocolError(f"an answer that is not JSON: {cut(str(error), 80)}") from None
    if not isinstance(found, dict):
        raise ProtocolError("an answer that is no JSON object")
    return found


def play(engine: Playing, where: Sequence[str], name: str, tell: Tell) -> None:
    """Play one game; the result is told."""
    game = hexagons(engine.game)
    server = Server(where, name, game.name)
    engine.ready()  # before the clock runs
    server.token = str((server.ask("register") or {}).get("Token", ""))
    said = server.ask("start") or {}
    server.token = str(said.get("MatchToken") or server.token)
    seat = seat_of(said)
    if str(said.get("Game", game.name)).lower() not in (game.name, str(GAMES.index(game.name))):
        raise ProtocolError(f"the server plays {cut(repr(said['Game']), 80)}, and we {game.name}")
    seconds = said.get("Clocktime")
    clock = USUAL
    if isinstance(seconds, int | float) and 0 < seconds < ENDLESS:
        clock = float(seconds)
    game = sized(game, said)
    tell(f"we are player {seat + 1} of {game.label}, {clock:g} s for the game")
    player = engine.on(game).player()
    try:
        player.new_game(0, seat)
        Seat(server, game, player, seat, clock, tell).play(said)
    finally:
        player.close()


def seat_of(said: dict[str, Any]) -> int:
    """Return our seat, 0 or 1; raise ProtocolError where the server gives none."""
    if said.get("Player") not in (1, 2):
        shown = cut(repr(said.get("Player")), 80)
        raise ProtocolError(f"the server gives us no seat: Player is {shown}")
    return int(said["Player"]) - 1


def sized(game: HexagonGame, said: dict[str, Any]) -> HexagonGame:
    """Return the game with as many cells a side as the server's grid says."""
    grid = said.get("Grid")
    side = grid.get("Size") if isinstance(grid, dict) else None
    if side == game.side or not isinstance(side, int):
        return game
    return hexagons(parse_game(f"{game.name}[side={side}]"))


class Seat:
    """One game of ours."""

    def __init__(
        self, server: Server, game: HexagonGame, player: Player, seat: int, clock: float, tell: Tell
    ) -> None:
        self._server, self._game, self._player = server, game, player
        self._seat, self._left, self._tell = seat, clock, tell
        self._position: Position | None = None

    def play(self, said: dict[str, Any]) -> None:
        """Answer until the game has ended; `said` is what the server says at our first turn."""
        while not said.get("Finished"):
            begun = time.perf_counter()
            state = state_of_grid(said.get("Grid"), self._game)
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
            self._position, said = position, answer
        won = said.get("Winner") == self._seat + 1
        self._tell(f"{'won' if won else 'lost'}, score {cut(repr(said.get('FinalScore')), 80)}")

    def _action(self, position: Position) -> int:
        self._player.guard_ms = max(1.0, 1e3 * self._left / SHARE)
        try:
            return self._player.choose(position).action
        except PlayerFailure as failure:
            raise ProtocolError(f"our engine fails: {failure}") from None
