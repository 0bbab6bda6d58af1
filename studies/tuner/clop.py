"""CLOP's iterated weights, and draws from them (Coulom 2011, "CLOP: Confident Local Optimization").

A quadratic logistic regression is fitted to weighted games, again and again: each fit lowers the
weight of places that are worse than the mean by more than H times its error, until the total weight
falls by less than 1 %. Draws from the weights are where a search learns most about the top.

Unlike CLOP's, a draw lies at the very end of a range now and then, and often where the weights reach
up to that end: a weight of 0, or a width of 1, turns something off, and may be worth more than all
values near it.
"""

from __future__ import annotations

import math

import numpy as np

from joute.engines.kernels.compile import Floats
from joute.studies.tuner.domain import Domain
from joute.studies.tuner.model.counts import Counts
from joute.studies.tuner.model.gp import chance

H = 3.0
PRECISION = 1e-2  # of the coefficients' Gaussian prior
FITS, NEWTON, ENOUGH = 60, 15, 0.99
CROSSED = 6  # numbers up to which products of two are fitted
ENDS = 0.1  # share of a number's moves that go to an end of its range
MOVES = 25  # of every coordinate, until a draw has forgotten its start


class Weights:
    """The weights of counted places and of any other place."""

    def __init__(self, domain: Domain, counts: Counts) -> None:
        self.domain, self.counts = domain, counts
        self._fits: list[tuple[Floats, float, float]] = []
        self.of_counts: Floats = np.ones(len(counts))
        won, lost = counts.won, counts.games - counts.won
        if won.sum() < 2 or lost.sum() < 2:
            return
        F = self._features(counts.X)
        if counts.Y is not None:
            duels = counts.duels
            F[duels] -= self._features(counts.Y[duels])
        theta, weights = np.zeros(F.shape[1]), self.of_counts
        prior = np.eye(F.shape[1]) * PRECISION
        for _ in range(FITS):
            before = float((weights * counts.games).sum())
            theta = regress(F, weights * won, weights * counts.games, theta, prior)
            a, b = float((weights * won).sum()) + 0.5, float((weights * lost).sum()) + 0.5
            level = math.log(a / b) if counts.Y is None else self._level(theta, weights)
            self._fits.append((theta, level, H * math.sqrt(1 / a + 1 / b)))
            weights = np.exp(self._logarithm_of_counts())
            if (weights * counts.games).sum() > ENOUGH * before:
                break
        self.of_counts = weights

    def _features(self, X: Floats) -> Floats:
        d = self.domain.shape.numbers
        A = X[:, :d]
        if d <= CROSSED:
            i, j = np.triu_indices(d)
            products = A[:, i] * A[:, j]
        else:
            products = A * A
        return np.hstack([np.ones((len(X), 1)), X, products])

    def _level(self, theta: Floats, weights: Floats) -> float:
        """Return the mean of the quadratic over the games, at both places of a duel."""
        assert self.counts.Y is not None
        at, duels = self._features(self.counts.X) @ theta, self.counts.duels
        at[duels] = (at[duels] + self._features(self.counts.Y[duels]) @ theta) / 2
        return float(np.average(at, weights=weights * self.counts.games))

    def _logarithm_of_counts(self) -> Floats:
        """Return the logarithm of the weight of what was played; of a duel that of its worse place."""
        logs, duels = self.logarithm(self.counts.X), self.counts.duels
        if self.counts.Y is not None:
            logs[duels] = np.minimum(logs[duels], self.logarithm(self.counts.Y[duels]))
        return logs

    def logarithm(self, X: Floats) -> Floats:
        """Return the logarithm of the weight at places X; at most 0."""
        F, logs = self._features(X), np.zeros(len(X))
        for theta, level, width in self._fits:
            logs = np.minimum(logs, (F @ theta - level) / width)
        return logs

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Return places drawn from the weights: Metropolis, a coordinate at a time, from the games."""
        domain, axes = self.domain, len(self.domain.axes)
        if not self._fits:
            return domain.scattered(rng.random((count, axes)))
        d = domain.shape.numbers
        share = self.of_counts * self.counts.games
        x = self.counts.X[rng.choice(len(share), count, p=share / share.sum())].copy()
        if self.counts.Y is not None:  # either place of a duel
            duels = self.counts.duels
            rows = rng.choice(len(share), count, p=share / share.sum())
            second = duels[rows] & (rng.random(count) < 0.5)
            x = np.where(second[:, None], self.counts.Y[rows], self.counts.X[rows])
        now, rows = self.logarithm(x), np.arange(count)
        for _ in range(MOVES * axes):
            y, moved = x.copy(), rng.integers(axes, size=count)
            number = moved < d
            anywhere = rng.uniform(-1, 1, int(number.sum()))
            ends = rng.random(len(anywhere)) < ENDS
            y[rows[number], moved[number]] = np.where(ends, np.sign(anywhere), anywhere)
            for i, (axis, block) in enumerate(domain.blocks):
                chosen, values = rows[moved == d + i], len(axis.choices)
                y[chosen, block] = np.eye(values)[rng.integers(values, size=len(chosen))]
            then = self.logarithm(y)
            taken = np.log(rng.random(count)) < then - now
            x[taken], now[taken] = y[taken], then[taken]
        return domain.snapped(x)


def regress(F: Floats, won: Floats, games: Floats, theta: Floats, prior: Floats) -> Floats:
    """Return the coefficients of a logistic regression with a Gaussian prior of that precision."""
    for _ in range(NEWTON):
        p = chance(F @ theta)
        slope = F.T @ (won - games * p) - prior @ theta
        step = np.linalg.solve((F * (games * p * (1 - p))[:, None]).T @ F + prior, slope)
        largest = float(np.abs(step).max())
        theta = theta + step * min(1.0, 4 / max(largest, 1e-9))
        if largest < 1e-4:
            break
    return theta
