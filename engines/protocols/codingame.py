"""`codingame`: the game's lines on stdin at every turn, one line with the action on stdout."""

from __future__ import annotations

from collections.abc import Mapping

from joute.engines.game import Game
from joute.engines.parameter import Value
from joute.engines.player import Move
from joute.engines.position import Position
from joute.engines.protocol import (
    Dialogue,
    LineSession,
    Playing,
    Protocol,
    Read,
    Write,
    dialogue_of,
)


class CodinGame(Protocol):
    """The protocol of codingame.com: a process plays one game; its lines depend on the game.

    A game offers it by a `Dialogue`.
    """

    name = "codingame"
    summary = "as on codingame.com: the game's own lines, one process per game"
    turn_ms = 100.0
    first_ms = 1000.0

    def check(self, game: Game) -> None:
        """Refuse games without lines in this protocol."""
        dialogue_of(game, self.name)

    def talk(self, game: Game, parameters: Mapping[str, Value]) -> LineSession:
        """Return the referee's side."""
        return CodinGameSession(game, dialogue_of(game, self.name))

    def serve(self, engine: Playing, read: Read, write: Write) -> None:
        """Play one game; the referee ends it by closing our input."""
        dialogue = dialogue_of(engine.game, self.name)(engine.game)
        engines = {game.label: engine.on(game) for game in dialogue.variants()}
        for one in engines.values():
            one.ready()  # before the referee's clock runs
        player = None
        try:
            while True:
                position = dialogue.read(read)
                if player is None:  # the first lines give the number of players
                    game = position.game
                    player = (engines.get(game.label) or engine.on(game)).player()
                    player.new_game(0, position.to_move)
                write(dialogue.answer(player.choose(position).action))
        except EOFError:
            return
        finally:
            if player is not None:
                player.close()


class CodinGameSession(LineSession):
    """Asks by the game's lines."""

    def __init__(self, game: Game, kind: type[Dialogue]) -> None:
        self._game, self._kind = game, kind
        self._dialogue, self._seat = kind(game), 0
        self._choices = [Move(a) for a in range(game.slots)]

    def new_game(self, seed: int, seat: int) -> None:
        """Begin a game; the seed is not sent."""
        self._dialogue, self._seat = self._kind(self._game), seat

    def turn(self, position: Position, time_ms: float) -> str:
        """Return the game's lines."""
        return self._dialogue.lines(position, self._seat)

    def choice(self, position: Position, text: str) -> Move:
        """Return the action that the line names."""
        return self._choices[self._dialogue.action(position, text)]
