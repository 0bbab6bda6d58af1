"""Engines at the board: asked for one move at a time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from joute.door import door
from joute.engines.errors import Refused, whole
from joute.engines.player import valued
from joute.engines.search import value_text
from joute.plugging import plug
from joute.positions import GamePosition, GameRules

if TYPE_CHECKING:
    from joute.engines.engine import Engine
    from joute.engines.player import Player


@door
def engine(spec: str | Path, plugins: Sequence[str | Path] = ()) -> Bot:
    """Return the engine of a text, GAME/SEARCH:NAME=VALUE,..., or of a file that `run.export("toml")` or
    "json" wrote; raise Refused with every fault. Exports that play ("python", ...) are no such files.
    """
    from joute.engines.engine import parse_engine

    plug(plugins)
    return Bot(parse_engine(str(spec)))


@dataclass(frozen=True)
class BestMove:
    """An engine's move: the action's text, its value for the player to move (in the evaluation's
    units, or an expected return in [0, 1]; None: unknown), plies and nodes searched, milliseconds.
    """

    move: str
    value: float | None
    depth: int
    nodes: int
    time_ms: float

    def __str__(self) -> str:
        fields = {
            name: getattr(self, name) for name in ("move", "value", "depth", "nodes", "time_ms")
        }
        if self.value is not None:
            fields["value"] = value_text(self.value)
        return "  ".join(f"{name} {value}" for name, value in fields.items() if value is not None)


class Bot:
    """An engine that answers with moves. `close`, or the end of a `with`, ends a program that it started."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._player: Player | None = None

    @property
    def text(self) -> str:
        """Its canonical text: every parameter that has an effect."""
        return self.engine.text

    @property
    def game(self) -> GameRules:
        """The game that it plays."""
        return GameRules(self.engine.game)

    @property
    def parameters(self) -> dict[str, float | int | str]:
        """Its settings by name, search and evaluation included."""
        return dict(self.engine.settings)

    def choose(self, position: str | GamePosition = "startpos", seed: int = 0) -> BestMove:
        """Return its move in a position, as in a game that begins there; `seed` decides all chance.
        Raise Refused if the game is over, PlayerFailure if a program fails.
        """
        seed = whole(seed, "seed")
        if self._player is None:
            self.engine.compiled()
        state = (
            position if isinstance(position, GamePosition) else self.game.position(position)
        ).state
        if state.game is not self.engine.game:
            raise Refused(f"a position of {state.game.label}; {self.text} plays another game")
        if state.over:
            raise Refused("the game is over in this position, so there is no move")
        if self._player is None:
            self._player = self.engine.player()
        self._player.new_game(seed, state.to_move)
        begun = time.perf_counter()
        move = self._player.choose(state)
        spent = round((time.perf_counter() - begun) * 1e3, 3)
        action = self.engine.game.action_text(move.action)
        return BestMove(action, valued(move.value), move.depth, move.nodes, spent)

    def close(self) -> None:
        """End the programs and release the memory of the engine."""
        if self._player is not None:
            self._player.close()
            self._player = None

    def __enter__(self) -> Bot:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<engine {self.text}>"
