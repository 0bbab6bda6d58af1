"""`json-lines`: one JSON object a line, for any game; see docs/json-lines.md."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from joute.engines.data import message_of
from joute.engines.engine import NO_CLOCK, parse_game
from joute.engines.errors import Refused, cut
from joute.engines.game import Game
from joute.engines.parameter import Value
from joute.engines.player import MOST_NODES, Move
from joute.engines.position import Position, parse_position
from joute.engines.protocol import LineSession, Playing, Protocol, Read, Write
from joute.engines.time_control import Clocks, share_of, told

RANGES = {"value": (-1e300, 1e300), "depth": (0, 1e9), "nodes": (0, MOST_NODES)}
KNOWN = 1024  # texts of actions, and answers, that are remembered
USUAL = 200  # characters of an answer that is remembered, at most
LISTED = 512  # most slots for which a game's legal actions are sent
dumps = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


class JsonLines(Protocol):
    """Messages `new`, `turn`, `over` and `quit`; every turn is answered by `{"action": "..."}`."""

    name = "json-lines"
    summary = "one JSON object per line, for any game; one process plays many games"
    turn_ms = 1000.0
    first_ms = 10_000.0
    many_games = True
    tells_parameters = True

    def talk(self, game: Game, parameters: Mapping[str, Value]) -> LineSession:
        """Return the referee's side."""
        return JsonSession(game, parameters)

    def serve(self, engine: Playing, read: Read, write: Write) -> None:
        """Play until the referee quits or its lines end."""
        follower = Follower(engine)
        try:
            while True:
                line = read()
                message = message_of(line)
                if message.get("type") == "quit":
                    return
                answer = follower.hear(message)
                if answer is not None:
                    write(dumps(answer))
        except EOFError:
            return
        finally:
            follower.close()


class JsonSession(LineSession):
    """Sends only news: the moves since this seat's last turn."""

    def __init__(self, game: Game, parameters: Mapping[str, Value]) -> None:
        self._game, self._parameters = game, dict(parameters)
        self._lists = game.listed and game.slots <= LISTED
        self._seat, self._seed, self._told = 0, 0, -1
        self._noted: set[str] = set()
        text = game.action_text
        self._json = lru_cache(maxsize=KNOWN)(lambda action: dumps(text(action)))
        self._read = lru_cache(maxsize=KNOWN)(self._answer)

    def new_game(self, seed: int, seat: int) -> None:
        """Begin a game."""
        self._seed = seed >> 11  # 53 bits: exact in every language
        self._seat, self._told = seat, -1

    def turn(self, position: Position, time_ms: float) -> str:
        """Return the message of a turn, before the first one that of the new game.

        It is put together from parts that are JSON already: a turn may last microseconds.
        """
        game, sent, before, start = self._game, self._told, "", ""
        if sent < 0:
            before = f"{dumps(self._new())}\n"
            start = f',"start":{dumps(position.start)}'
            sent = 0
        message = f'{before}{{"type":"turn"{start},"moves":{self._listed(position.moves[sent:])}'
        if game.chance:
            message += f',"outcomes":{dumps(position.outcomes[sent:])}'
        now = position.text()
        if now is not None:
            message += f',"position":{dumps(now)}'
        if self._lists:
            message += f',"actions":{self._listed(position.legal_actions())}'
        if (clocks := self.clocks) is not None:
            message += f',"clock":{dumps(clock_of(clocks))}'
        self._told = len(position.moves)
        return f'{message},"time_ms":{time_ms!r}}}\n'

    def _listed(self, actions: Iterable[int]) -> str:
        return f"[{','.join(map(self._json, actions))}]"

    def _new(self) -> dict[str, Any]:
        return {
            "type": "new",
            "game": self._game.label,
            "players": self._game.players,
            "player": self._seat,
            "seed": self._seed,
            "parameters": self._parameters,
        }

    def choice(self, position: Position, text: str) -> Move:
        """Return the bot's move: the action, and the work that it reports."""
        move = self._read(text) if len(text) <= USUAL else self._answer(text)
        if not position.is_legal(move.action):
            raise Refused("not legal")
        return move

    def _answer(self, text: str) -> Move:
        """Return the move of an answer, with its keys in any order."""
        answer = message_of(text)
        action = answer.get("action")
        if isinstance(action, int | float) and not isinstance(action, bool):
            raise Refused(f'"action": {action} is a number; put it in quotes: "action": "{action}"')
        if not isinstance(action, str):
            raise Refused('no "action": a text')
        if isinstance(announced := answer.get("parameters"), dict):
            self.announced = announced
        code = self._game.action_of(action)
        work = {key: self._number(key, answer.get(key)) for key in ("value", "depth", "nodes")}
        return Move(code, work["value"], int(work["depth"] or 0), int(work["nodes"] or 0))

    def _number(self, key: str, given: object) -> float | None:
        """Return a number reported by a bot; drop an impossible one, with a note the first time."""
        value, (low, high) = number(given), RANGES[key]
        if given is None or (value is not None and low <= value <= high):
            return value
        if key not in self._noted:
            self._noted.add(key)
            shown = cut(str(given), 40) if isinstance(given, int | float | str) else "no number"
            print(
                f"joute: a bot says {key} = {shown}: not counted; allowed: a number from "
                f"{low:g} to {high:g}",
                file=sys.stderr,
            )
        return None

    def over(self, position: Position) -> list[str]:
        """Send the returns; null after a failure."""
        if self._told < 0:  # never asked: it does not know of this game
            return []
        text = self._game.action_text
        message: dict[str, Any] = {
            "type": "over",
            "moves": [text(a) for a in position.moves[self._told :]],
            "returns": position.returns() if position.over else None,
        }
        return [dumps(message)]

    def quit(self) -> list[str]:
        """Send `quit`."""
        return ['{"type":"quit"}']


class Follower:
    """The bot's side: follows the messages of a referee and answers turns with an engine."""

    def __init__(self, engine: Playing) -> None:
        self._engine = engine
        engine.ready()  # before the referee's clock runs
        self._player = engine.player(clocks=True)
        self._usual_ms = self._player.guard_ms
        self._position = Position(engine.game)

    def hear(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        """Take one message; return the answer if one is due. Raises Refused for nonsense."""
        kind = message.get("type")
        if kind == "new":
            self._new_game(message)
        elif kind == "turn":
            self._follow(message)
            share = share_in(message.get("clock"), self._position.to_move, self._player.clock_moves)
            if share is None and self._engine.by_clock:
                raise Refused(f'a turn without a "clock": {self._engine.text}: {NO_CLOCK}')
            limits = [ms for ms in (share, self._usual_ms) if ms is not None]
            self._player.guard_ms = min(limits, default=None)
            choice = self._player.choose(self._position)
            answer: dict[str, Any] = {"action": self._engine.game.action_text(choice.action)}
            if choice.value is not None:
                answer["value"] = choice.value
            return answer | {"depth": choice.depth, "nodes": choice.nodes}
        elif kind == "over":
            self._player.game_over(self._position)
        else:
            raise Refused(f"a message of type {kind!r}; known: new, turn, over, quit")
        return None

    def close(self) -> None:
        """Let go of the player."""
        self._player.close()

    def _new_game(self, message: Mapping[str, Any]) -> None:
        label = message.get("game", self._engine.game.label)
        if label != self._engine.game.label:
            self._engine = self._engine.on(parse_game(str(label)))
            self._player.close()
            self._player = self._engine.player(clocks=True)
        self._position = Position(self._engine.game)
        self._player.new_game(int(message.get("seed", 0)), int(message.get("player", 0)))

    def _follow(self, message: Mapping[str, Any]) -> None:
        """Play the moves since the last turn; without any, take the position as it is."""
        game = self._engine.game
        if "start" in message:
            self._position = parse_position(game, str(message["start"]))
        if "moves" not in message:
            self._position = parse_position(game, str(message.get("position", "startpos")))
            return
        outcomes = message.get("outcomes")
        for i, text in enumerate(message["moves"]):
            action = game.action_of(str(text))
            failed = action in game.on_failure.values()
            if not failed and not self._position.is_legal(action):
                raise Refused(f"the move {text!r} is not legal in {self._position.line()}")
            self._position.play(action, int(outcomes[i]) if outcomes else 0)


def clock_of(clocks: Clocks) -> dict[str, Any]:
    """Return clocks as a message has them: by seat what is left, and the moves of a session."""
    message: dict[str, Any] = {
        "left_ms": told(clocks.left_ms),
        "increment_ms": clocks.control.increment_ms,
    }
    return {**message, "moves_to_go": clocks.to_go} if clocks.control.moves else message


def share_in(clock: object, seat: int, moves: float) -> float | None:
    """Return the milliseconds that a move may use by a message's clock; None without one."""
    if not isinstance(clock, dict):
        return None
    left, to_go = clock.get("left_ms"), clock.get("moves_to_go")
    if not isinstance(left, list) or len(left) <= seat:
        raise Refused('a "clock" needs "left_ms": the milliseconds of each player')
    more = number(clock.get("increment_ms", 0)) or 0.0
    going = to_go[seat] if isinstance(to_go, list) and len(to_go) > seat else 0
    return share_of(number(left[seat]) or 0.0, more, int(number(going) or 0), moves)


def number(value: object) -> float | None:
    """Return a value of a message that is a finite number."""
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if plain and abs(value) <= 1e300 else None  # type: ignore[arg-type]
