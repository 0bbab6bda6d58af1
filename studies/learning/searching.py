"""Searches that get their evaluations from outside: one, and many as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from joute.engines.kernels.compile import Ints
from joute.engines.nets.numpy_reader import Singles
from joute.engines.player import Move
from joute.engines.position import Position
from joute.engines.searches.mcts.batched import BatchedTree
from joute.engines.searches.mcts.forest import Forest, Grown


class Searching(Protocol):
    """A search that gets its evaluations from outside, like `puct`'s tree."""

    count: int

    def new_game(self, seed: int) -> None:
        """Forget the last game."""

    def begin(self, position: Position) -> None:
        """Search from a position."""

    def leaves(self) -> Singles:
        """Return the positions that wait for the network; None when the search is over."""

    def tell(self, policy: Singles, value: Singles) -> None:
        """Take the network's policies and values of the positions from `leaves`."""

    def choice(self, position: Position) -> Move:
        """Return the chosen action."""

    def policy(self) -> Singles:
        """Return the policy target of the root, by entry."""

    def value(self) -> float:
        """Return the value of the root for the side to move, in [0, 1]."""


class Searches(Protocol):
    """Many of them. A position that waits has a number, its row: search * `most` + which of the search's
    positions it is.
    """

    most: int

    def grow(self, which: Ints) -> Grown:
        """Search on in these, of which nothing waits any more."""

    def planes(self, rows: Ints) -> Singles:
        """Return positions that wait, [rows, planes, rows, columns]."""

    def tell(self, rows: Ints, policy: Singles, value: Singles) -> Ints:
        """Take the network's logits [rows, policy] and values [rows] of positions that wait; return the
        searches of which nothing waits any more.
        """


class OneByOne:
    """Searches that are called one after the other."""

    most = 1 << 20

    def __init__(self, searches: Sequence[Searching]) -> None:
        self._searches = searches
        self._waiting: list[Singles] = [np.zeros(0, np.float32) for _ in searches]
        self._told: list[list[tuple[Singles, np.float32]]] = [[] for _ in searches]
        self._calls = [0] * len(searches)

    def grow(self, which: Ints) -> Grown:
        """Search on in these."""
        rows, over, calls = list[int](), list[int](), list[int]()
        for i in which.tolist():
            if self._told[i]:
                policies, values = zip(*self._told[i], strict=True)
                self._searches[i].tell(np.stack(policies), np.array(values, np.float32))
            self._waiting[i], self._told[i] = self._searches[i].leaves(), []
            count = len(self._waiting[i])
            self._calls[i] += count
            rows += range(i * self.most, i * self.most + count)
            if not count:
                over.append(i)
                calls.append(self._calls[i])
                self._calls[i] = 0
        return Grown(*(np.array(found, np.int64) for found in (rows, over, calls)))

    def planes(self, rows: Ints) -> Singles:
        """Return positions that wait."""
        places = [divmod(row, self.most) for row in rows.tolist()]
        return np.stack([self._waiting[i][j] for i, j in places])

    def tell(self, rows: Ints, policy: Singles, value: Singles) -> Ints:
        """Take answers, those to one search in order."""
        ready = list[int]()
        for row, logits, worth in zip(rows.tolist(), policy, value, strict=True):
            i = row // self.most
            self._told[i].append((logits.copy(), worth))
            if len(self._told[i]) == len(self._waiting[i]):
                ready.append(i)
        return np.array(ready, np.int64)


def side_by_side(searches: Sequence[Searching]) -> Searches:
    """Return searches of one kind as one: trees grow in one call."""
    trees = [search for search in searches if type(search) is BatchedTree]
    return Forest(trees) if len(trees) == len(searches) else OneByOne(searches)
