"""Samples: positions as a network sees them, with its targets, in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from joute.engines.kernels.compile import Ints
from joute.engines.nets.numpy_reader import Singles
from joute.engines.view import Shape


class SampleSource(Protocol):
    """Samples in memory, or in files whose rows are read when they are taken."""

    @property
    def teaches(self) -> Singles:
        """Weight of the policy of each sample, 0 or 1."""

    @property
    def ply(self) -> Ints:
        """The ply of each sample."""

    @property
    def plies(self) -> Ints:
        """The length of each sample's game, in plies."""

    def __len__(self) -> int:
        """Return how many there are."""

    def take(self, which: NDArray[Any]) -> Samples:
        """Return some of them, by their numbers."""


@dataclass(frozen=True, eq=False)
class Samples:
    """N positions, in the order of their games.

    `planes` [N, planes, rows, columns]; `policy` [N, entries], a distribution; `value` [N] the
    final return of the side to move, from -1 (lost) to 1; `teaches` [N] weight of the policy, 0 or
    1; `game` [N] number of the game; `ply` [N] and `plies` [N] the place in it and its length.
    """

    planes: Singles
    policy: Singles
    value: Singles
    teaches: Singles
    game: Ints
    ply: Ints
    plies: Ints

    def __len__(self) -> int:
        return len(self.value)

    @property
    def games(self) -> int:
        """Number of games."""
        return len(np.unique(self.game))

    def take(self, which: NDArray[Any]) -> Samples:
        """Return some of them, by a mask or by indices."""
        return Samples(*(getattr(self, f.name)[which] for f in fields(self)))


def no_samples(shape: Shape) -> Samples:
    """Return an empty set for a shape."""
    planes = np.zeros((0, shape.planes, shape.rows, shape.columns), np.float32)
    some, none = np.zeros(0, np.float32), np.zeros(0, np.int64)
    return Samples(planes, np.zeros((0, shape.policy), np.float32), some, some, none, none, none)


def in_parts(count: int, size: int) -> Iterator[Ints]:
    """Yield the numbers below `count` in order, at most `size` at a time."""
    for begin in range(0, count, size):
        yield np.arange(begin, min(begin + size, count))


def joined(parts: Sequence[Samples]) -> Samples:
    """Return one or more sets as one; games with the same number are one game."""
    return Samples(*(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(Samples)))
