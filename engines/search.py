"""A search: how an engine picks its action; and the player that it becomes at the board."""

from __future__ import annotations

import hashlib
import inspect
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from engines.errors import Refused
from engines.evaluation import Evaluation
from engines.game import Game
from engines.generator import Generator
from engines.parameter import Parameter, Value
from engines.position import Position

if TYPE_CHECKING:
    from engines.engine import Engine

LIMITS = ("nodes", "iterations", "milliseconds")
WIN = float(1 << 40)  # a win now; a win n plies later is worth WIN - n


class Choice(NamedTuple):
    """A player's answer: the action, its value for the player who acts, and the work done.

    `value` is in the evaluation's units (alpha-beta), an expected return (UCT), or None.
    """

    action: int
    value: float | None = None
    depth: int = 0
    nodes: int = 0


class PlayerFailure(Exception):
    """A player that cannot answer: `kind` is illegal, timeout or crash; the text tells why."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind, self.text = kind, text


class Player(ABC):
    """Somebody at the board. One player plays many games, one after the other.

    With `guard_ms` a player that searches answers within about that time, whatever its limit: with
    its last finished iteration, if its own work could not be done.
    """

    guard_ms: float | None = None

    def new_game(self, seed: int, seat: int) -> None:
        """Forget the last game; all chance in the coming one follows from the seed."""

    @abstractmethod
    def choose(self, position: Position) -> Choice:
        """Return the action for the player to move; `position` is not to be changed."""

    def game_over(self, position: Position) -> None:
        """Hear that the game has ended, maybe by somebody's failure."""

    def close(self) -> None:
        """Let go of processes and files."""


Recipe = tuple[type[Player], dict[str, Any]]


class Search(ABC):
    """A family of players, made from a game, an evaluation and parameter values.

    `work` names the parameter that says how much a player works where it has no limit.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    limits: ClassVar[tuple[str, ...]] = ()
    needs_limit: ClassVar[bool] = False
    reproducible: ClassVar[bool] = True  # the same seed gives the same game; outside: who knows
    evaluation: ClassVar[str] = "never"  # or "always", or "optional"
    lists: ClassVar[bool] = False  # whether it needs a list of actions
    work: ClassVar[str] = ""

    def check(self, game: Game, evaluation: Evaluation | None) -> None:
        """Raise Refused when this search cannot play this game with this evaluation."""
        if self.evaluation == "always" and evaluation is None:
            raise Refused(f"{self.name} needs an evaluation")
        if self.evaluation == "never" and evaluation is not None:
            raise Refused(f"{self.name} uses no evaluation")
        if evaluation is not None and game.name not in evaluation.games:
            fit = ", ".join(evaluation.games)
            raise Refused(f"evaluation {evaluation.name} is for {fit}, not for {game.name}")

    def check_generator(self, game: Game, generator: Generator) -> None:
        """Raise Refused when this search has not from a generator what it needs."""
        if self.lists or generator.name != "all":
            generator.check(game)

    def check_values(self, game: Game, values: Mapping[str, Value]) -> None:
        """Raise Refused when values that are allowed one by one do not fit together."""

    def parameters_for(
        self, settings: Mapping[str, Any], game: Game | None = None
    ) -> tuple[Parameter, ...]:
        """Return the parameters of an engine with these settings; most searches always have the same."""
        return self.parameters

    def recipe(self, engine: Engine) -> Recipe | None:
        """Return the class of this engine's player and the arguments that make one.

        The arguments are kernels, a game, numbers, texts, and tuples of these: then the player can
        be written to a file of its own. None for players that are made otherwise.
        """
        return None

    def player(self, engine: Engine) -> Player:
        """Return a new player, for a search that gives no recipe."""
        raise NotImplementedError(f"{self.name} gives neither a recipe nor a player")

    def digest(self, engine: Engine) -> str:
        """Return the digest of the code that decides this engine's moves: by default of its file."""
        source = inspect.getsource(sys.modules[type(self).__module__])
        return hashlib.sha256(source.encode()).hexdigest()
