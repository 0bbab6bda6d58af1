"""`all`: every legal action, in the game's canonical order."""

from __future__ import annotations

from engines.game import Game, GameKernels
from engines.generator import Generator


class All(Generator):
    """The default: nothing is left out."""

    name = "all"
    summary = "every legal action, in the game's canonical order"

    def kernels(self, game: Game, stride: int, base: int) -> GameKernels:
        """Return the game's own kernels."""
        return game.kernels(stride)
