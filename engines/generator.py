"""A generator: the actions that a search considers, in the order it tries them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

from joute.engines.errors import Refused
from joute.engines.game import Game, GameKernels
from joute.engines.kernels.compile import Kernel
from joute.engines.kernels.contract import collect
from joute.engines.parameter import Parameter
from joute.engines.registry import Member


class Generator(Member, ABC, kind="generator"):
    """Gives a search the actions of a game, in a code of its own if it likes (`Game.decode`).

    It may keep its parameters in the state: `prepare(W, root, P)` is called before a search; they
    stand at P[base..]. `guess(W, at, A, count, P, F, to)` writes at F[to + i] what it thinks of the
    i-th of the actions at A[0..count) before any search: a return in [0, 1] for who moves.
    """

    games: ClassVar[tuple[str, ...] | None] = None  # None: any game
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    guesses: ClassVar[bool] = False  # whether it gives the kernel `guess`
    symmetric: ClassVar[bool] = False  # whether positions of one key have one value through it
    branches: ClassVar[int] = 64  # most outcomes of an action, if it lists them

    def check(self, game: Game) -> None:
        """Raise Refused when a search cannot have this game's actions from here."""
        if self.games is not None and game.name not in self.games:
            fit = ", ".join(self.games)
            raise Refused(f"generator {self.name} is for {fit}, not for {game.name}")

    def assumes(self, game: Game) -> bool:
        """Whether it lists the chance outcomes of a game's actions (`outcomes`)."""
        return not game.chance

    @abstractmethod
    def build(self, game: Game, stride: int, base: int) -> Iterable[Kernel]:
        """Return the kernels in which this generator differs from the game, parameters at P[base..]."""

    def kernels(self, game: Game, stride: int, base: int) -> GameKernels:
        """Return the game's kernels as a search sees them through this generator."""
        kernels: dict[str, Kernel | None] = {**collect("generator", self.build(game, stride, base))}
        if "actions" in kernels:
            kernels.setdefault("nth", None)  # the game's own would list others
            kernels.setdefault("forcing", None)
        if "sample" in kernels:
            kernels.setdefault("playout", None)
        return replace(game.kernels(stride), **kernels)  # type: ignore[arg-type]
