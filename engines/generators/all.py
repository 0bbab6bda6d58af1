"""`all`: every legal action, in the game's canonical order."""

from __future__ import annotations

from engines.errors import Refused
from engines.game import Game, GameKernels
from engines.generator import Generator


class All(Generator):
    """The default: nothing is left out."""

    name = "all"
    summary = "every legal action, in the game's canonical order"

    def check(self, game: Game) -> None:
        """Refuse games that have no list of actions."""
        if not game.listed:
            raise Refused(f"the actions of {game.name} cannot be listed; choose a generator=...")

    def assumes(self, game: Game) -> bool:
        """Whether the game itself tells."""
        return not game.chance or game.kernels().outcomes is not None

    def kernels(self, game: Game, stride: int, base: int) -> GameKernels:
        """Return the game's own kernels."""
        return game.kernels(stride)
