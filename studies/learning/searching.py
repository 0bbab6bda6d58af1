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
from joute.engines.searches.mcts.forest import Forest


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

    def grow(self, which: Ints) -> Ints:
        """Search on in these, of which nothing waits any more; return how many positions of each wait
        now, 0: the search is over.
        """

    def planes(self, rows: Ints) -> Singles:
        """Return positions that wait, [rows, planes, rows, columns]."""

    def tell(self, rows: Ints, policy: Singles, value: Singles) -> None:
        """Take the network's logits [rows, policy] and values [rows] of positions that wait."""


class OneByOne:
    """Searches that are called one after the other."""

    most = 1 << 20

    def __init__(self, searches: Sequence[Searching]) -> None:
        self._searches = searches
        self._waiting: list[Singles] = [np.zeros(0, np.float32) for _ in searches]
        self._told: list[list[tuple[Singles, np.float32]]] = [[] for _ in searches]

    def grow(self, which: Ints) -> Ints:
        """Search on in these; return how many positions of each wait now."""
        for i in which.tolist():
            if self._told[i]:
                policies, values = zip(*self._told[i], strict=True)
                self._searches[i].tell(np.stack(policies), np.array(values, np.float32))
            self._waiting[i], self._told[i] = self._searches[i].leaves(), []
        return np.array([len(self._waiting[i]) for i in which.tolist()], np.int64)

    def planes(self, rows: Ints) -> Singles:
        """Return positions that wait."""
        places = [divmod(row, self.most) for row in rows.tolist()]
        return np.stack([self._waiting[i][j] for i, j in places])

    def tell(self, rows: Ints, policy: Singles, value: Singles) -> None:
        """Take answers, those to one search in order."""
        for row, logits, worth in zip(rows.tolist(), policy, value, strict=True):
            self._told[row // self.most].append((logits.copy(), worth))


def side_by_side(searches: Sequence[Searching]) -> Searches:
    """Return searches of one kind as one: trees grow in one call."""
    trees = [search for search in searches if type(search) is BatchedTree]
    return Forest(trees) if len(trees) == len(searches) else OneByOne(searches)
