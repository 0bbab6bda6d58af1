"""The data of a search: games and points won at places, equal places merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joute.engines.kernels.compile import Floats

MOST, AFTER = 220, 170  # places that are kept apart, and how many are left after merging
SAME = 1e-9
ROWS = 1024  # rows whose distances are computed at once


@dataclass(frozen=True)
class Blocks:
    """Blocks of `size` games (2: pairs): how many, sum of their mean scores, and of the squares.

    Of single games (size 1) no squares are kept.
    """

    size: int
    count: float
    total: float
    squares: float = 0.0

    @classmethod
    def of(cls, means: Sequence[float], size: int) -> Blocks:
        """Return blocks with such mean scores, in [0, 1]."""
        scores = np.array(means, float)
        return cls(size, len(scores), float(scores.sum()), float((scores * scores).sum()))

    @classmethod
    def of_pairs(cls, pairs: Sequence[float]) -> Blocks:
        """Return pairs by their scores: how many have 0, 1/2, 1, 3/2, 2 points."""
        scores, counts = np.linspace(0, 1, 5), np.array(pairs, float)
        return cls(2, *(float((counts * scores**power).sum()) for power in range(3)))

    @property
    def games(self) -> float:
        """The games of all."""
        return self.size * self.count

    @property
    def won(self) -> float:
        """The points won in all."""
        return self.size * self.total


class Counts:
    """Places X (n, columns), points won (a draw is half of one) and games at each.

    `blocks`: by the games of a block, what of that came in blocks: (3, n) number of blocks, sum of
    their mean scores, sum of the squares.
    """

    def __init__(self, columns: int) -> None:
        self.X: Floats = np.empty((0, columns))
        self.won: Floats = np.empty(0)
        self.games: Floats = np.empty(0)
        self.blocks: dict[int, Floats] = {}

    def __len__(self) -> int:
        return len(self.won)

    def copy(self) -> Counts:
        """Return an independent copy."""
        counts = Counts(self.X.shape[1])
        counts.X, counts.won, counts.games = self.X.copy(), self.won.copy(), self.games.copy()
        counts.blocks = {size: sums.copy() for size, sums in self.blocks.items()}
        return counts

    def add(self, place: Floats, won: float, games: float) -> None:
        """Count games at a place."""
        self._add(place, won, games)

    def add_blocks(self, place: Floats, blocks: Blocks) -> None:
        """Count games, or blocks of games, at a place."""
        i = self._add(place, blocks.won, blocks.games)
        if blocks.size == 1:
            return
        sums = self.blocks.setdefault(blocks.size, np.zeros((3, len(self))))
        sums[:, i] += blocks.count, blocks.total, blocks.squares

    def _add(self, place: Floats, won: float, games: float) -> int:
        """Count games at a place; return its row."""
        if len(self.won):
            gap = np.abs(self.X - place).max(1)
            i = int(gap.argmin())
            if gap[i] < SAME:
                self.won[i] += won
                self.games[i] += games
                return i
        self.X = np.vstack([self.X, place])
        self.won = np.append(self.won, won)
        self.games = np.append(self.games, games)
        for size, sums in self.blocks.items():
            self.blocks[size] = np.hstack([sums, np.zeros((3, 1))])
        return len(self.won) - 1

    def _rows(self, rows: NDArray[np.intp]) -> None:
        """Keep some rows, in an order."""
        self.X, self.won, self.games = self.X[rows], self.won[rows], self.games[rows]
        self.blocks = {size: sums[:, rows] for size, sums in self.blocks.items()}

    def ordered(self) -> Counts:
        """Return the same counts in an order that does not depend on the order of telling."""
        counts = self.copy()
        counts._rows(np.lexsort(self.X.T[::-1]))
        counts.blocks = dict(sorted(counts.blocks.items()))
        return counts

    def merge(
        self, metric: Floats, numbers: int, kept: Floats | None = None, left: int = AFTER
    ) -> None:
        """Join pairs of places, those first whose games move least, until at most so many are `left`.

        A pair becomes one place at the mean of its games. What joining moves is the sum over its
        games of their squared distances, by the metric, to that mean (Ward 1963): a few games far
        out may move, many games on both sides of a ridge may not. Places that differ in a choice are
        joined only where choices combine in more ways than places are left; the place `kept` never.
        """
        apart = True  # whether places that differ in a choice stay so
        while len(self) > left:
            nearest, distance = self._nearest(metric, numbers if apart else None, kept)
            wanted, used = len(self) - left, np.zeros(len(self), bool)
            dropped: list[int] = []
            for i in np.argsort(distance, kind="stable"):
                j = int(nearest[i])
                if len(dropped) == wanted or not np.isfinite(distance[i]):
                    break
                if used[i] or used[j]:
                    continue
                used[i] = used[j] = True
                games = self.games[i] + self.games[j]
                self.X[i] = (self.games[i] * self.X[i] + self.games[j] * self.X[j]) / games
                self.games[i], self.won[i] = games, self.won[i] + self.won[j]
                for sums in self.blocks.values():
                    sums[:, i] += sums[:, j]
                dropped.append(j)
            if not dropped:
                if not apart:
                    return
                apart = False
                continue
            self._rows(np.setdiff1d(np.arange(len(self)), dropped))

    def _nearest(
        self, metric: Floats, numbers: int | None, kept: Floats | None
    ) -> tuple[Floats, Floats]:
        """Return for each place the other that it is joined with at least cost, and that cost: infinity
        if there is none.

        `numbers`: the columns before the choices, which must then be equal; None: they may differ.
        """
        Z, others = self.X @ metric.T, self.X[:, numbers:] if numbers is not None else self.X[:, :0]
        q, choices = (Z * Z).sum(1), (others * others).sum(1)
        own = np.zeros(len(self), bool) if kept is None else np.abs(self.X - kept).max(1) < SAME
        nearest, distance = np.zeros(len(self), int), np.full(len(self), np.inf)
        for first in range(0, len(self), ROWS):
            rows = np.arange(first, min(first + ROWS, len(self)))
            gap = q[rows, None] + q[None] - 2 * Z[rows] @ Z.T
            if others.shape[1]:
                between = choices[rows, None] + choices[None] - 2 * others[rows] @ others.T
                gap[between > SAME] = np.inf
            games = self.games[rows, None] * self.games / (self.games[rows, None] + self.games)
            gap = np.maximum(gap, 0.0) * games
            gap[np.arange(len(rows)), rows] = np.inf
            gap[own[rows]] = np.inf
            gap[:, own] = np.inf
            nearest[rows] = gap.argmin(1)
            distance[rows] = gap.min(1)
        return nearest, distance
