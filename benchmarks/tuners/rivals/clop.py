"""CLOP: quadratic logistic regression on samples that are weighted by how good their place looks.

Coulom, "CLOP: Confident Local Optimization for Noisy Black-Box Parameter Tuning" (2011). Written anew
from the paper: draws by its three-outcome model, whole numbers by rounding, no names.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.tuners.rivals.rival import Rival
from benchmarks.tuners.space import Array, Point, Space, places_of, point_of
from joute.results.statistics import Z

PRECISION = 0.01
"""Of the Gaussian prior of all coefficients."""

H = 3.0
"""How many standard deviations below the mean a place is before its weight falls by a factor e."""

GROWTH = 1.1
"""Games grow by this factor from one regression to the next."""

SETTLED = 0.99
"""Weights are iterated until their sum falls by less than to this share."""

STEPS, MOST_STEPS = 40, 400
"""Metropolis steps of a draw: for each axis, and in all."""


class Quadratic(NamedTuple):
    """A regression and the level it is compared with, in log-odds, and the level's deviation."""

    coefficients: Array
    level: float
    deviation: float


class Clop(Rival):
    """Draws every game from the weights; recommends the weighted mean of what was played."""

    name = "clop"
    summary = "CLOP's weighted quadratic regressions, the weighted mean of samples"

    def __init__(self, space: Space, seed: int, games: int) -> None:
        super().__init__(space, seed, games)
        self._rng = np.random.default_rng([1, seed])
        self._places = np.empty((0, len(space)))
        self._told = np.empty((0, 3))  # wins, draws, losses of each row of places
        self._drawn: list[Array] = []
        self._fitted = -1
        self._cascade: list[Quadratic] = []
        self._weights = np.empty(0)
        self._draw_margin = 0.0

    def propose(self, games: int) -> list[tuple[Point, int]]:
        """Return one game at a draw from the weights."""
        if not self._drawn:
            self._fit()
            self._drawn = list(self._draws(max(1, round((GROWTH - 1) * len(self._told)))))
        return [(point_of(self.space, self._drawn.pop()), 1)]

    def learn(self, point: Point, wins: int, draws: int, losses: int) -> None:
        """Keep the outcomes."""
        self._places = np.vstack([self._places, places_of(self.space, point)])
        self._told = np.vstack([self._told, [wins, draws, losses]])

    def recommend(self) -> Point:
        """Return the weighted mean of all samples."""
        return point_of(self.space, self._mean())

    def estimate(self, point: Point) -> tuple[float, float, float] | None:
        """Return what the last local regression says, with the covariance of its coefficients."""
        self._fit()
        if not self._cascade:
            return None
        row = features(places_of(self.space, point)[None])
        coefficients = self._cascade[-1].coefficients
        weighted = self._told * self._weights[:, None]
        _, precision = slope(features(self._places), weighted, self._draw_margin, coefficients)
        mean = float((row @ coefficients)[0])
        deviation = math.sqrt(float((row @ np.linalg.solve(precision, row.T))[0, 0]))
        low, middle, high = (
            float(expected(mean + side * deviation, self._draw_margin)) for side in (-Z, 0.0, Z)
        )
        return low, middle, high

    def _mean(self) -> Array:
        self._fit()
        if not len(self._told):
            return np.zeros(len(self.space))
        weights = self._weights * self._told.sum(1)
        return np.asarray(weights @ self._places / weights.sum())

    def _fit(self) -> None:
        """Iterate regressions and weights, from equal weights, until the weights settle."""
        if self._fitted == len(self._told):
            return
        self._fitted = len(self._told)
        rows, counts = features(self._places), self._told
        self._cascade, self._weights = [], np.ones(len(counts))
        if not len(counts):
            return
        games, guess = counts.sum(1), np.zeros(rows.shape[1])
        while True:
            before = float(self._weights @ games)
            weighted = counts * self._weights[:, None]
            level, margin, deviation = constant(weighted.sum(0))
            guess = regression(rows, weighted, margin, guess)
            self._draw_margin = margin
            self._cascade.append(Quadratic(guess, level, deviation))
            self._weights = np.exp(self._log_weights(self._places))
            if float(self._weights @ games) > SETTLED * before:
                return

    def _log_weights(self, places: Array) -> Array:
        """Return the logarithm of the weight at places, at most 0."""
        values = features(places) @ np.array([q.coefficients for q in self._cascade]).T
        levels = np.array([q.level for q in self._cascade])
        scales = np.array([H * q.deviation for q in self._cascade])
        lowest: Array = ((values - levels) / scales).min(axis=1)
        return np.minimum(lowest, 0.0)

    def _draws(self, count: int) -> Array:
        """Return draws from the weights: Metropolis, an axis at a time, begun at weighted samples."""
        rng, axes = self._rng, len(self.space)
        if not self._cascade:
            return rng.uniform(-1, 1, (count, axes))
        share = self._weights * self._told.sum(1)
        begun = rng.choice(len(share), count, p=share / share.sum())
        places = self._places[begun].copy()
        height = self._log_weights(places)
        for _ in range(min(STEPS * axes, MOST_STEPS)):
            moved = places.copy()
            moved[np.arange(count), rng.integers(axes, size=count)] = rng.uniform(-1, 1, count)
            new = self._log_weights(moved)
            taken = np.log(rng.random(count)) < new - height
            places[taken], height[taken] = moved[taken], new[taken]
        return places


def features(places: Array) -> Array:
    """Return the terms of a full quadratic at places: constant, linear, products."""
    i, j = corners(places.shape[1])
    return np.hstack([np.ones((len(places), 1)), places, places[:, i] * places[:, j]])


@cache
def corners(axes: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the pairs of axes, each with itself too."""
    i, j = np.triu_indices(axes)
    return i, j


def sigmoid(x: Array) -> Array:
    """Return probabilities of log-odds."""
    return np.asarray(0.5 * (1 + np.tanh(0.5 * x)))


def expected(log_odds: float, margin: float) -> float:
    """Return the expected score where a win has log-odds less a margin, a loss minus log-odds less it."""
    win, loss = sigmoid(np.array([log_odds - margin, -log_odds - margin]))
    return float(0.5 + (win - loss) / 2)


def constant(counts: Array) -> tuple[float, float, float]:
    """Return level, margin of draws and the level's deviation, in log-odds, of wins, draws, losses:
    their maximum of likelihood, with half a win and half a loss more.
    """
    wins, draws, losses = (float(n) + 0.5 * half for n, half in zip(counts, (1, 0, 1), strict=True))
    total = wins + draws + losses
    win, loss = math.log(wins / (total - wins)), math.log(losses / (total - losses))
    p, q = wins / total, losses / total
    information = (wins + draws) * p * (1 - p) + (losses + draws) * q * (1 - q)
    return (win - loss) / 2, -(win + loss) / 2, 1 / math.sqrt(information)


def slope(rows: Array, counts: Array, margin: float, at: Array) -> tuple[Array, Array]:
    """Return gradient and negative Hessian of the log-posterior; a draw has the probability of a win
    times that of a loss times a constant, hence counts as one of each.
    """
    value = rows @ at
    up, down = counts[:, 0] + counts[:, 1], counts[:, 2] + counts[:, 1]
    win, loss = sigmoid(value - margin), sigmoid(-value - margin)
    gradient = rows.T @ (up * (1 - win) - down * (1 - loss)) - PRECISION * at
    curvature = up * win * (1 - win) + down * loss * (1 - loss)
    return gradient, (rows * curvature[:, None]).T @ rows + PRECISION * np.eye(len(at))


def regression(rows: Array, counts: Array, margin: float, guess: Array) -> Array:
    """Return the coefficients of largest posterior: Newton from a guess, its steps held to 4."""
    for _ in range(50):
        gradient, precision = slope(rows, counts, margin, guess)
        move = np.linalg.solve(precision, gradient)
        size = float(np.abs(move).max())
        guess = guess + move * min(1.0, 4 / max(size, 1e-12))
        if size < 1e-5:
            break
    return guess
