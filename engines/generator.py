"""A generator: the actions that a search considers, in the order it tries them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from engines.game import Game, GameKernels
from engines.parameter import Parameter


class Generator(ABC):
    """Gives a search the kernels `nth` or `actions` of a game; rules stay the game's own."""

    name: ClassVar[str]
    summary: ClassVar[str]
    games: ClassVar[tuple[str, ...] | None] = None  # None: any game
    parameters: ClassVar[tuple[Parameter, ...]] = ()

    @abstractmethod
    def kernels(self, game: Game, stride: int, base: int) -> GameKernels:
        """Return the game's kernels with `actions` and `nth` as this generator lists them."""
