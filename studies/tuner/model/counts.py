"""The data of a search: games and points won at places, equal places merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joute.engines.kernels.compile import Floats, Ints
from joute.studies.tuner.model.records import Records

MOST, AFTER = 220, 170  # places that are kept apart, and how many are left after merging
SAME = 1e-9
ANCHOR = 1e5  # games that a certain score counts for
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
    def turned(self) -> Blocks:
        """The same games from the other side."""
        back = self.count - 2 * self.total + self.squares
        return Blocks(
            self.size, self.count, self.count - self.total, back if self.size > 1 else 0.0
        )

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
    their mean scores, sum of the squares. `Y` (n, columns): where X played duels against another place,
    that place; elsewhere NaN; None: no duels.
    """

    def __init__(self, columns: int) -> None:
        self.X: Floats = np.empty((0, columns))
        self.won: Floats = np.empty(0)
        self.games: Floats = np.empty(0)
        self.blocks: dict[int, Floats] = {}
        self.Y: Floats | None = None
        self._certain = 0.0  # games that `anchored` added

    def __len__(self) -> int:
        return len(self.won)

    def copy(self) -> Counts:
        """Return an independent copy."""
        counts = Counts(self.X.shape[1])
        counts.X, counts.won, counts.games = self.X.copy(), self.won.copy(), self.games.copy()
        counts.blocks = {size: sums.copy() for size, sums in self.blocks.items()}
        counts.Y = None if self.Y is None else self.Y.copy()
        counts._certain = self._certain
        return counts

    @property
    def played(self) -> float:
        """The games of all places, without those that only fix a level."""
        return float(self.games.sum()) - self._certain

    @property
    def duels(self) -> NDArray[np.bool_]:
        """Which rows are duels."""
        if self.Y is None:
            return np.zeros(len(self), bool)
        fought: NDArray[np.bool_] = ~np.isnan(self.Y[:, 0])
        return fought

    @property
    def records(self) -> Records:
        """What the rows are about, for a process."""
        return Records.of(self.X, self.Y)

    @property
    def places(self) -> Floats:
        """All places with games: X, or if there are duels each place once."""
        return self.X if self.Y is None else self.records.places

    @property
    def levelled(self) -> bool:
        """Whether some games fix a level: duels know differences alone."""
        return self.Y is None or not len(self) or not self.duels.all()

    def anchored(self, place: Floats, spread: float) -> Counts:
        """Return the counts; if they fix no level, with one: a place scores 1/2 for certain.

        The log-odds at other places are then those of beating that one.
        """
        if self.levelled:
            return self
        counts = self.copy()
        counts.add(place, ANCHOR * spread / 2, ANCHOR * spread)
        counts._certain = ANCHOR * spread
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

    def add_duels(self, place: Floats, other: Floats, blocks: Blocks) -> None:
        """Count games of a place against another, or blocks of such games, from the view of the first."""
        if tuple(place) > tuple(other):  # one of the two orders
            place, other, blocks = other, place, blocks.turned
        if self.Y is None:
            self.Y = np.full(self.X.shape, np.nan)
        i = self._add(place, blocks.won, blocks.games, other)
        if blocks.size > 1:
            sums = self.blocks.setdefault(blocks.size, np.zeros((3, len(self))))
            sums[:, i] += blocks.count, blocks.total, blocks.squares

    def _add(self, place: Floats, won: float, games: float, other: Floats | None = None) -> int:
        """Count games at a place; return its row."""
        if len(self.won):
            gap = np.abs(self.X - place).max(1)
            if self.Y is not None:
                duels = self.duels
                gap[duels == (other is None)] = np.inf
                if other is not None:
                    gap[duels] = np.maximum(gap[duels], np.abs(self.Y[duels] - other).max(1))
            i = int(gap.argmin())
            if gap[i] < SAME:
                self.won[i] += won
                self.games[i] += games
                return i
        self.X = np.vstack([self.X, place])
        self.won = np.append(self.won, won)
        self.games = np.append(self.games, games)
        if self.Y is not None:
            self.Y = np.vstack([self.Y, np.full(len(place), np.nan) if other is None else other])
        for size, sums in self.blocks.items():
            self.blocks[size] = np.hstack([sums, np.zeros((3, 1))])
        return len(self.won) - 1

    def _rows(self, rows: NDArray[np.intp]) -> None:
        """Keep some rows, in an order."""
        self.X, self.won, self.games = self.X[rows], self.won[rows], self.games[rows]
        self.blocks = {size: sums[:, rows] for size, sums in self.blocks.items()}
        self.Y = None if self.Y is None else self.Y[rows]

    def ordered(self) -> Counts:
        """Return the same counts in an order that does not depend on the order of telling."""
        counts = self.copy()
        both = self.X if self.Y is None else np.hstack([self.X, np.nan_to_num(self.Y, nan=-9.0)])
        counts._rows(np.lexsort(both.T[::-1]))
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

        A duel is joined with another, end by end and in the direction in which they are nearer; never
        its two ends with each other, which would leave it nothing to say. Of duels, whose places are
        up to two each, so many fewer are left that the places are as many.
        """
        if self.Y is not None:
            left = max(1, round(left * len(self) / max(len(self.places), 1)))
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
                if self.Y is not None:
                    self._turn_to(j, i, metric)
                    share = self.games[i] / games
                    self.Y[i] = share * self.Y[i] + (1 - share) * self.Y[j]
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
        if self.Y is not None:
            return self._nearest_duels(metric, numbers, kept)
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
            nearest[rows], distance[rows] = least_of(gap, rows, own)
        return nearest, distance

    def _nearest_duels(
        self, metric: Floats, numbers: int | None, kept: Floats | None
    ) -> tuple[Floats, Floats]:
        """Return the same if there are duels: games at a place are joined with such alone."""
        assert self.Y is not None
        duels = self.duels
        own = np.zeros(len(self), bool) if kept is None else np.abs(self.X - kept).max(1) < SAME
        own &= ~duels
        X, Y = self.X, np.where(duels[:, None], self.Y, self.X)
        nearest, distance = np.zeros(len(self), int), np.full(len(self), np.inf)
        choices = None if numbers is None else slice(numbers, X.shape[1])
        for first in range(0, len(self), ROWS):
            rows = np.arange(first, min(first + ROWS, len(self)))
            straight = gaps(X[rows], X, metric, choices) + gaps(Y[rows], Y, metric, choices)
            turned = gaps(X[rows], Y, metric, choices) + gaps(Y[rows], X, metric, choices)
            gap = np.minimum(straight, turned)
            games = self.games[rows, None] * self.games / (self.games[rows, None] + self.games)
            gap *= games
            gap[duels[rows, None] != duels] = np.inf
            nearest[rows], distance[rows] = least_of(gap, rows, own)
        return nearest, distance

    def _turn_to(self, j: int, i: int, metric: Floats) -> None:
        """See a duel from its other side, if it then is nearer to another one."""
        assert self.Y is not None
        if not self.duels[j]:
            return
        x, y, other = self.X[j], self.Y[j], np.array([self.X[i], self.Y[i]])
        straight, turned = (np.array(ends) - other for ends in ((x, y), (y, x)))
        if ((turned @ metric.T) ** 2).sum() < ((straight @ metric.T) ** 2).sum():
            self.X[j], self.Y[j] = y.copy(), x.copy()
            self.won[j] = self.games[j] - self.won[j]
            for sums in self.blocks.values():
                count, total, squares = sums[:, j]
                sums[1:, j] = count - total, count - 2 * total + squares


def least_of(gap: Floats, rows: Ints, own: NDArray[np.bool_]) -> tuple[Ints, Floats]:
    """Return for each of some rows the nearest other one and its distance; those of their `own` are
    near to none. Changes `gap`, rows x all.
    """
    gap[np.arange(len(rows)), rows] = np.inf
    gap[own[rows]] = np.inf
    gap[:, own] = np.inf
    return gap.argmin(1), gap.min(1)


def gaps(X: Floats, Y: Floats, metric: Floats, choices: slice | None) -> Floats:
    """Return the squared distances (rows of X, rows of Y) by a metric; infinity where choices differ."""
    Z, W = X @ metric.T, Y @ metric.T
    gap: Floats = np.maximum((Z * Z).sum(1)[:, None] + (W * W).sum(1) - 2 * Z @ W.T, 0.0)
    if choices is not None and X[:, choices].shape[1]:
        A, B = X[:, choices], Y[:, choices]
        gap[(A * A).sum(1)[:, None] + (B * B).sum(1) - 2 * A @ B.T > SAME] = np.inf
    return gap
