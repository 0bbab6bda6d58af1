"""A search: how an engine picks its action; and the player that it becomes at the board."""

from __future__ import annotations

import hashlib
import inspect
import sys
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from engines.errors import Refused
from engines.evaluation import Evaluation
from engines.game import Game
from engines.parameter import Parameter
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
    """Somebody at the board. One player plays many games, one after the other."""

    def new_game(self, seed: int, seat: int) -> None:
        """Forget the last game; all chance in the coming one follows from the seed."""

    @abstractmethod
    def choose(self, position: Position) -> Choice:
        """Return the action for the player to move; `position` is not to be changed."""

    def close(self) -> None:
        """Let go of processes and files."""


class Search(ABC):
    """A family of players, made from a game, an evaluation and parameter values."""

    name: ClassVar[str]
    summary: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    limits: ClassVar[tuple[str, ...]] = ()
    needs_limit: ClassVar[bool] = False
    evaluation: ClassVar[str] = "never"  # or "always", or "optional"

    def check(self, game: Game, evaluation: Evaluation | None) -> None:
        """Raise Refused when this search cannot play this game with this evaluation."""
        if self.evaluation == "always" and evaluation is None:
            raise Refused(f"{self.name} needs an evaluation")
        if self.evaluation == "never" and evaluation is not None:
            raise Refused(f"{self.name} uses no evaluation")
        if evaluation is not None and game.name not in evaluation.games:
            fit = ", ".join(evaluation.games)
            raise Refused(f"evaluation {evaluation.name} is for {fit}, not for {game.name}")

    @abstractmethod
    def player(self, engine: Engine) -> Player:
        """Return a new player; compiles what is not in the kernel cache."""

    def digest(self, engine: Engine) -> str:
        """Return the digest of the code that decides this engine's moves: by default of its file."""
        source = inspect.getsource(sys.modules[type(self).__module__])
        return hashlib.sha256(source.encode()).hexdigest()
