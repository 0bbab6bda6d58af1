"""What is known of a search: games and points won at places, those of one place together."""

from __future__ import annotations

import numpy as np

from engines.kernels.compile import Floats

MOST, AFTER = 300, 240  # places that are kept apart, and how many are left after merging
SAME = 1e-9


class Counts:
    """Places X (n, columns), points won (a draw is half of one) and games at each."""

    def __init__(self, columns: int) -> None:
        self.X: Floats = np.empty((0, columns))
        self.won: Floats = np.empty(0)
        self.games: Floats = np.empty(0)

    def __len__(self) -> int:
        return len(self.won)

    def copy(self) -> Counts:
        """Return the same counts, to be changed apart."""
        found = Counts(self.X.shape[1])
        found.X, found.won, found.games = self.X.copy(), self.won.copy(), self.games.copy()
        return found

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

    def merge(self, metric: Floats, numbers: int, kept: Floats | None = None) -> None:
        """Join the nearest pairs, as the metric measures, until at most `AFTER` places are left.

        A pair becomes one place at the mean of its games; places that differ in a choice are never
        joined, nor is the place `kept`.
        """
        while len(self) > AFTER:
            Z = self.X @ metric.T
            q = (Z * Z).sum(1)
            gap = q[:, None] + q[None] - 2 * Z @ Z.T
            others = self.X[:, numbers:]
            if others.shape[1]:
                gap[(others @ others.T) < others.sum(1)[:, None] - 0.5] = np.inf
            np.fill_diagonal(gap, np.inf)
            if kept is not None:
                own = np.abs(self.X - kept).max(1) < SAME
                gap[own], gap[:, own] = np.inf, np.inf
            nearest = gap.argmin(1)
            distance = gap[np.arange(len(gap)), nearest]
            wanted, used = len(self) - AFTER, np.zeros(len(self), bool)
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
                return  # nothing may be joined: too many combinations of choices
            keep = np.setdiff1d(np.arange(len(self)), dropped)
            self.X, self.won, self.games = self.X[keep], self.won[keep], self.games[keep]
