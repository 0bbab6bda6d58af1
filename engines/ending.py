"""An ending: plays the part of a game that a search is bad at, and hands the rest to the search.

| kernel | signature | meaning |
|---|---|---|
| choose(W, at, M, S, P) | i8(u8[::1], u8, i8[::1], u8[::1], f8[::1]) | the action for the player to move, or -1 where the search must play |

M is `memory` integers of the ending's own, zeros when a game begins; behind the state in W there are
as many words to work in. S is a stream of random numbers, P the engine's parameter vector, the
ending's own from `base` on. M[0] takes the work done (nodes), M[1] the plies that it has planned.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from engines.game import Game
from engines.kernels import Kernel
from engines.parameter import Parameter
from engines.position import Position
from engines.random import seed_of, stream
from engines.search import Choice, Player


class Ending(ABC):
    """A way to play some positions of some games without the engine's search."""

    name: ClassVar[str]
    summary: ClassVar[str]
    games: ClassVar[tuple[str, ...]]
    parameters: ClassVar[tuple[Parameter, ...]] = ()

    @abstractmethod
    def kernel(self, game: Game, base: int) -> Kernel:
        """Return the kernel `choose`."""

    def compiled(self, game: Game, base: int) -> Kernel:
        """Return the kernel, built once a process."""
        key = (type(self), game.label, base)
        if key not in _compiled:
            _compiled[key] = self.kernel(game, base)
        return _compiled[key]

    @abstractmethod
    def memory(self, game: Game) -> int:
        """Return how many integers of its own the kernel needs."""


_compiled: dict[tuple[type[Ending], str, int], Kernel] = {}


class EndingPlayer(Player):
    """Asks the ending first, then the player of the search (`kind` made with `arguments`)."""

    def __init__(
        self,
        choose: Kernel,
        words: int,
        memory: int,
        values: tuple[float, ...],
        kind: type[Player],
        arguments: dict[str, object],
    ) -> None:
        self._choose, self._player = choose, kind(**arguments)
        self._words = words
        self._W = np.zeros(words + memory, np.uint64)
        self._M = np.zeros(memory, np.int64)
        self._P = np.array(values, np.float64)
        self._S = stream(0)

    def new_game(self, seed: int, seat: int) -> None:
        """Forget the last game."""
        self._M[:] = [0] * len(self._M)
        self._S = stream(seed_of(seed, "ending"))
        self._player.new_game(seed, seat)

    def choose(self, position: Position) -> Choice:
        """Return the ending's action where it has one, else the search's."""
        words = self._words
        self._W[:words] = position.W[position.at : position.at + words]
        action = int(self._choose(self._W, 0, self._M, self._S, self._P))
        if action >= 0:
            plies = int(self._M[1])
            return Choice(action, None, plies, int(self._M[0]))
        self._player.guard_ms = self.guard_ms
        return self._player.choose(position)

    def close(self) -> None:
        """Let go of what the search's player holds."""
        self._player.close()
