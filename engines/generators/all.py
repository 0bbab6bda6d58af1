"""`all`: every legal action, in the game's canonical order."""

from __future__ import annotations

from collections.abc import Iterable

from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.generator import Generator
from joute.engines.kernels.compile import Kernel


class All(Generator):
    """The default: nothing is left out."""

    name = "all"
    summary = "every legal action, in the game's canonical order"
    symmetric = True

    def check(self, game: Game) -> None:
        """Refuse games that have no list of actions."""
        if not game.listed:
            raise Refused(f"the actions of {game.name} cannot be listed; choose a generator=...")

    def assumes(self, game: Game) -> bool:
        """Whether the game itself lists them."""
        return not game.chance or game.kernels().outcomes is not None

    def build(self, game: Game, stride: int, base: int) -> Iterable[Kernel]:
        """Return nothing: the game's own kernels serve."""
        return ()
