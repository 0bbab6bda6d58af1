"""The surrogate: a Gaussian process on the log-odds of winning, read from binomial counts.

Everything a search reports comes from it: curves with bands, the best point with an interval, what
matters. Laplace's approximation (Rasmussen and Williams 2006, chapter 3), a Matern 5/2 kernel with
a length for each column, hyper-parameters by maximum posterior under wide priors. Games of a block
share their opening, so counts are divided by the measured dispersion of block scores.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.optimize import minimize

from engines.kernels.compile import Floats

MOST = 250  # points after merging
OFFSET = 4.0  # prior variance of the overall level
LENGTH, SIZE = (np.log(0.4), 0.8), (np.log(0.8), 1.0)  # log-normal priors: median, spread
NEWTON, JITTER = 60, 1e-8


@dataclass(frozen=True)
class Points:
    """Observations: places X (n, d) in [0, 1], points won, games played; halves are allowed."""

    X: Floats
    won: Floats
    games: Floats

    def __len__(self) -> int:
        return len(self.won)


def merged(points: Points, most: int = MOST) -> Points:
    """Return at most `most` points: those in the same cell of a grid become one, at their mean."""
    cells = 1024
    X = points.X
    while len(points) and cells > 1:
        keys = np.floor(X * (cells - 1e-9)).astype(np.int64)
        _, label = np.unique(keys, axis=0, return_inverse=True)
        label = np.ravel(label)
        if label.max() < most:
            break
        cells = int(cells / 1.3)
    else:
        label = np.arange(len(points))
    count = int(label.max()) + 1 if len(points) else 0
    games = np.bincount(label, points.games, count).astype(float)
    won = np.bincount(label, points.won, count).astype(float)
    place = np.stack(
        [np.bincount(label, points.games * X[:, j], count) / games for j in range(X.shape[1])], 1
    )
    return Points(place, won, games)


def dispersion(values: list[list[float]], games: float) -> float:
    """Return how much block scores vary, as a multiple of independent games; 1 if unknown.

    `values`: the mean returns of the blocks of each point, of so many games each.
    """
    spread, expected, blocks = 0.0, 0.0, 0
    level = [v for own in values for v in own]
    if not level:
        return 1.0
    p = min(max(float(np.mean(level)), 0.05), 0.95)
    for own in values:
        if len(own) > 1:
            spread += float(np.sum((np.array(own) - np.mean(own)) ** 2))
            blocks += len(own) - 1
    if blocks < 20:
        centred = np.array(level) - np.mean(level)
        spread, blocks = float(np.sum(centred**2)), max(len(level) - 1, 1)
    expected = blocks * p * (1 - p) / games
    return float(np.clip(spread / expected, 0.2, games)) if len(level) > 20 else 1.0


class Surrogate:
    """A fitted Gaussian process; `predict` and `draw` speak log-odds."""

    def __init__(self, points: Points, scale: float = 1.0) -> None:
        """Fit to points; `scale` is the dispersion that the counts are divided by."""
        self.points = merged(points)
        self._won, self._games = self.points.won / scale, self.points.games / scale
        columns = self.points.X.shape[1]
        start = np.array([SIZE[0], *[LENGTH[0]] * columns])
        bounds = [(-4.0, 2.0), *[(-3.0, 2.5)] * columns]
        starts = [start, np.array([SIZE[0] - 1.5, *[LENGTH[0] + 1.0] * columns])]
        fits = [
            minimize(self._cost, s, method="L-BFGS-B", bounds=bounds, options={"maxiter": 25})
            for s in starts[: 2 if columns <= 3 else 1]
        ]
        self.theta = min(fits, key=lambda fit: fit.fun).x
        self._settle(self.theta)

    def _kernel(self, A: Floats, B: Floats, theta: Floats) -> Floats:
        scaled = np.exp(theta[1:])
        gap = (A / scaled)[:, None, :] - (B / scaled)[None, :, :]
        r = np.sqrt(5.0 * np.sum(gap * gap, axis=2) + 1e-30)
        K: Floats = OFFSET + np.exp(2 * theta[0]) * (1 + r + r * r / 3) * np.exp(-r)
        return K

    def _cost(self, theta: Floats) -> float:
        prior = 0.5 * ((theta[0] - SIZE[0]) / SIZE[1]) ** 2
        prior += 0.5 * np.sum(((theta[1:] - LENGTH[0]) / LENGTH[1]) ** 2)
        return float(prior - self._settle(theta))

    def _settle(self, theta: Floats) -> float:
        """Find the mode of the latent values; return the approximate log evidence."""
        X, won, games = self.points.X, self._won, self._games
        K = self._kernel(X, X, theta)
        n = len(won)
        f = getattr(self, "_f", np.zeros(n))
        a, best = np.zeros(n), -np.inf
        for _ in range(NEWTON):
            p = 1 / (1 + np.exp(-f))
            W = np.maximum(games * p * (1 - p), 1e-9)
            root = np.sqrt(W)
            factor = cho_factor(np.eye(n) + root[:, None] * K * root, lower=True)
            b = W * f + won - games * p
            a = b - root * cho_solve(factor, root * (K @ b))
            f = K @ a
            value = float(-0.5 * a @ f + np.sum(won * f - games * np.logaddexp(0, f)))
            if abs(value - best) < 1e-7:
                break
            best = value
        self._f, self._a, self._root, self._factor = f, a, root, factor
        return value - float(np.sum(np.log(np.diag(factor[0]))))

    def predict(self, X: Floats) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of the log-odds at places X (m, d)."""
        K = self._kernel(X, self.points.X, self.theta)
        mean = K @ self._a
        V = solve_triangular(self._factor[0], (self._root * K).T, lower=True)
        variance = OFFSET + np.exp(2 * self.theta[0]) - np.sum(V * V, axis=0)
        return mean, np.sqrt(np.maximum(variance, 1e-12))

    def draw(self, X: Floats, count: int, seed: int) -> Floats:
        """Return joint draws of the log-odds at places X: shape (count, m)."""
        K = self._kernel(X, self.points.X, self.theta)
        V = solve_triangular(self._factor[0], (self._root * K).T, lower=True)
        C = self._kernel(X, X, self.theta) - V.T @ V
        values, vectors = np.linalg.eigh(C + JITTER * np.eye(len(X)))
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        noise = np.random.default_rng(seed).standard_normal((count, len(X)))
        found: Floats = K @ self._a + noise @ root.T
        return found


def chance(log_odds: Floats) -> Floats:
    """Return the winning chance of log-odds."""
    found: Floats = 1 / (1 + np.exp(-log_odds))
    return found
