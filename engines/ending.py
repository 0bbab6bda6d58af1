"""An ending: plays the part of a game that a search is bad at, and hands the rest to the search.

| kernel | meaning |
|---|---|
| choose(W, at, M, S, P) | the action for the player to move, or -1 where the search must play |

M is `memory` integers of the ending's own, zeros when a game begins; behind the state in W there are
as many words to work in. S is a stream of random numbers, P the engine's parameter vector, the
ending's own from `base` on. M[0] takes the work done (nodes), M[1] the plies that it has planned;
M[2] is the most work that it may do, 0 if only its parameters say.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from joute.engines.clock import Clock
from joute.engines.game import Game
from joute.engines.kernels.compile import Kernel, prepare
from joute.engines.kernels.contract import collect
from joute.engines.kernels.random import seed_of, stream
from joute.engines.parameter import Parameter
from joute.engines.player import Move, Player
from joute.engines.position import Position
from joute.engines.registry import Member

WORK, PLIES, MOST = 0, 1, 2  # in M
PROBE = 32  # work after which the time that it takes is known
SHARE = 0.6  # of the guard's time
TRUST = (
    8.0  # of a turn that was faster than believed: it is asked once a turn, and the probe is short
)


class Ending(Member, ABC, kind="ending"):
    """A way to play some positions of some games without the engine's search.

    `work` names the parameter that says how much it may work at a turn.
    """

    games: ClassVar[tuple[str, ...]]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    work: ClassVar[str] = ""

    @abstractmethod
    def build(self, game: Game, base: int) -> Iterable[Kernel]:
        """Return the kernel `choose`, the parameters at P[base..]."""

    def kernel(self, game: Game, base: int) -> Kernel:
        """Return the kernel, built once a process."""
        key = (type(self), game.label, base)
        if key not in _compiled:
            _compiled[key] = collect("ending", self.build(game, base))["choose"]
            prepare(_compiled[key])
        return _compiled[key]

    @abstractmethod
    def memory(self, game: Game) -> int:
        """Return the number of integers that the kernel keeps in M."""


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
        self._clock = Clock(trust=TRUST)

    def new_game(self, seed: int, seat: int) -> None:
        """Forget the last game."""
        self._M[:] = [0] * len(self._M)
        self._S = stream(seed_of(seed, "ending"))
        self._player.new_game(seed, seat)

    def choose(self, position: Position) -> Move:
        """Return the ending's action where it has one, else the search's."""
        words = self._words
        self._W[:words] = position.W[position.at : position.at + words]
        self._M[MOST] = 0 if self.guard_ms is None else self._most(self.guard_ms)
        self._clock.start()
        action = self._ask()
        spent = self._clock.spent()
        if action >= 0:
            work = int(self._M[WORK])
            if work >= PROBE:
                self._clock.learn(work, spent)
            return Move(action, None, int(self._M[PLIES]), work)
        self._player.guard_ms = None if self.guard_ms is None else self.guard_ms - spent
        return self._player.choose(position)

    def _ask(self) -> int:
        return int(self._choose(self._W, 0, self._M, self._S, self._P))

    def _most(self, guard_ms: float) -> int:
        # The work that the guard's time allows, once it is known how long some takes.
        clock = self._clock
        if not clock.rate:
            memory, stream_ = self._M.copy(), self._S.copy()
            self._M[MOST] = PROBE
            clock.start()
            if self._ask() >= 0:
                spent = clock.spent()
                clock.learn(max(int(self._M[WORK]), 1), spent)
                guard_ms -= spent
            self._M[:], self._S[:] = memory, stream_
        return max(PROBE, int(clock.rate * SHARE * guard_ms))

    def close(self) -> None:
        """Release the resources of the search's player."""
        self._player.close()
