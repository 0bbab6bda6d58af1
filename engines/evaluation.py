"""An evaluation: a number for a position, and the contract of its kernels.

The value is a float64 for the side to move, zero-sum between two players. An evaluation may keep
`words` words of its own behind the game's in each state, to be cheap to update; what it keeps must
be exact (integers, fixed point), so that the order of play never changes a value.

| kernel | signature | meaning |
|---|---|---|
| init(W, at, P) | void(u8[::1], u8, f8[::1]) | compute the own words of the state at `at` from scratch |
| update(W, src, dst, action, P) | void(u8[::1], u8, u8, i8, f8[::1]) | the same at dst, from those at src and the action just applied |
| value(W, at, P) | f8(u8[::1], u8, f8[::1]) | the value for the side to move |
| after(W, src, action, P) | f8(u8[::1], u8, i8, f8[::1]) | optional: the value after the action, for the side to move then, without writing anything |

P is the engine's parameter vector; the parameters of an evaluation start at `base` in their order.
A choice travels as its index.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engines.game import Game
from engines.kernels import Floats, Kernel, Words, kernel
from engines.parameter import Parameter


@dataclass(frozen=True)
class EvaluationKernels:
    """The compiled evaluation; see this module's table."""

    words: int
    value: Kernel
    init: Kernel
    update: Kernel
    after: Kernel | None = None


class Evaluation(ABC):
    """A way to value positions of some games. `scale` turns a value into an expected return:
    1 / (1 + exp(-value / scale)).
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    games: ClassVar[tuple[str, ...]]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    scale: ClassVar[float] = 1.0
    path_dependent: ClassVar[bool] = False

    @abstractmethod
    def kernels(self, game: Game, base: int) -> EvaluationKernels:
        """Build the evaluation's kernels for a game, its parameters at P[base..]."""

    def compiled(self, game: Game, base: int) -> EvaluationKernels:
        """Return the kernels, built once a process."""
        key = (type(self), game.label, base)
        if key not in _compiled:
            _compiled[key] = self.kernels(game, base)
        return _compiled[key]


_compiled: dict[tuple[type[Evaluation], str, int], EvaluationKernels] = {}


@kernel("void(u8[::1], u8, f8[::1])")
def init_nothing(W: Words, at: np.uint64, P: Floats) -> None:
    """Keep nothing: the `init` of an evaluation that is computed from scratch."""


@kernel("void(u8[::1], u8, u8, i8, f8[::1])")
def update_nothing(W: Words, src: np.uint64, dst: np.uint64, action: np.int64, P: Floats) -> None:
    """Keep nothing: the `update` of an evaluation that is computed from scratch."""
