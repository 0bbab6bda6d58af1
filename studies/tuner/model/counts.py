"""The data of a search: games and points won at places, equal places merged."""

from __future__ import annotations

import numpy as np

from joute.engines.kernels.compile import Floats

MOST, AFTER = 220, 170  # places that are kept apart, and how many are left after merging
SAME = 1e-9
ROWS = 1024  # rows whose distances are computed at once


class Counts:
    """Places X (n, columns), points won (a draw is half of one) and games at each."""

    def __init__(self, columns: int) -> None:
        self.X: Floats = np.empty((0, columns))
        self.won: Floats = np.empty(0)
        self.games: Floats = np.empty(0)

    def __len__(self) -> int:
        return len(self.won)

    def copy(self) -> Counts:
        """Return an independent copy."""
        counts = Counts(self.X.shape[1])
        counts.X, counts.won, counts.games = self.X.copy(), self.won.copy(), self.games.copy()
        return counts

    def add(self, place: Floats, won: float, games: float) -> None:
        """Count games at a place."""
        if len(self.won):
            gap = np.abs(self.X - place).max(1)
            i = int(gap.argmin())
            if gap[i] < SAME:
                self.won[i] += won
                self.games[i] += games
                return
        self.X = np.vstack([self.X, place])
        self.won = np.append(self.won, won)
        self.games = np.append(self.games, games)

    def ordered(self) -> Counts:
        """Return the same counts in an order that does not depend on the order of telling."""
        order = np.lexsort(self.X.T[::-1])
        counts = Counts(self.X.shape[1])
        counts.X, counts.won, counts.games = self.X[order], self.won[order], self.games[order]
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
                dropped.append(j)
            if not dropped:
                if not apart:
                    return
                apart = False
                continue
            keep = np.setdiff1d(np.arange(len(self)), dropped)
            self.X, self.won, self.games = self.X[keep], self.won[keep], self.games[keep]

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
