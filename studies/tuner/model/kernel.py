"""Covariances of the log-odds between places of a space, and their derivatives.

A covariance is a sum of parts, each with a size that is learnt: a constant, polynomials (of all
numbers together to the second degree, of each number by itself to the fourth), a bowl, the main effects of
choices, and one stationary part: additive over the coordinates, or Matern 5/2 or 3/2 on a learnt
triangular metric, with a rough exponential part beside it if that is wanted. So a landscape that is
a simple curve is read with few games, and one that is not is read nevertheless.

Places are rows: numbers in [-1, 1] first, then one column of 0 and 1 for every value of a choice.
Sizes and lengths are kept as logarithms in one vector `theta`; `Shape.names` says what is where.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engines.kernels.compile import Floats

LEVEL = 4.0  # prior variance of the overall level
ROUNDING = 1e-13  # of a distance squared: below, two places are one
OFF = -20.0  # the logarithm of a size that is none
METRIC_MOST = 6  # numbers up to which the metric may turn; beyond, each has only a length
SIZES = (
    "linear",
    "quadratic",
    "bowl",
    "own_square",
    "own_cubic",
    "own_quartic",
    "choice",
    "smooth",
    "rough",
    "rough_length",
)
ADDITIVE, MATERN52, MATERN32 = "additive", "matern52", "matern32"


@dataclass(frozen=True)
class Shape:
    """How places are laid out: so many numbers, then the columns of each choice."""

    numbers: int
    choices: tuple[int, ...] = ()

    @property
    def columns(self) -> int:
        """Columns of a place."""
        return self.numbers + sum(self.choices)

    @cached_property
    def groups(self) -> Floats:
        """Matrix (columns, axes): 1 where a column belongs to an axis."""
        axes = self.numbers + len(self.choices)
        owner = [*range(self.numbers)]
        for i, count in enumerate(self.choices):
            owner += [self.numbers + i] * count
        return np.eye(axes)[owner]

    @property
    def axes(self) -> int:
        """Numbers and choices."""
        return self.numbers + len(self.choices)

    @property
    def turns(self) -> int:
        """Entries of the metric's lower triangle that are learnt."""
        d = self.numbers
        return d * (d - 1) // 2 if d <= METRIC_MOST else 0

    @property
    def names(self) -> list[str]:
        """What every entry of theta is."""
        lengths = [f"length {i}" for i in range(self.axes)]
        return [*SIZES, *lengths, *(f"turn {i}" for i in range(self.turns))]


def size(theta: Floats, name: str) -> float:
    """Return the variance of a part."""
    return math.exp(2 * theta[SIZES.index(name)])


class Covariance:
    """The covariance of one family over places of one shape; theta comes with each question."""

    def __init__(self, shape: Shape, family: str, rough: bool) -> None:
        self.shape, self.family, self.rough = shape, family, rough

    def scales(self, theta: Floats) -> Floats:
        """Return 1 / length of every column."""
        first = len(SIZES)
        found: Floats = self.shape.groups @ np.exp(-theta[first : first + self.shape.axes])
        return found

    def metric(self, theta: Floats) -> Floats:
        """Return the matrix M whose M x are the coordinates that the stationary part measures in."""
        d, M = self.shape.numbers, np.eye(self.shape.columns)
        if self.shape.turns:
            M[np.tril_indices(d, -1)] = theta[len(SIZES) + self.shape.axes :]
        found: Floats = M * self.scales(theta)
        return found

    def diagonal(self, X: Floats, theta: Floats) -> Floats:
        """Return the variance at each place."""
        d = self.shape.numbers
        S = X[:, :d] ** 2
        q, own = S.sum(1), [(S**k).sum(1) for k in (2, 3, 4)]
        chosen = (X[:, d:] ** 2).sum(1)  # choices that are active
        whole = (d + chosen) / self.shape.axes if self.family == ADDITIVE else 1.0
        found: Floats = (
            LEVEL
            + size(theta, "linear") * q
            + (size(theta, "quadratic") + size(theta, "bowl")) * q**2
            + size(theta, "own_square") * own[0]
            + size(theta, "own_cubic") * own[1]
            + size(theta, "own_quartic") * own[2]
            + size(theta, "choice") * chosen
            + size(theta, "smooth") * whole
            + size(theta, "rough")
        )
        return found

    def between(self, X: Floats, Y: Floats, theta: Floats) -> Floats:
        """Return the matrix of covariances (rows of X, rows of Y)."""
        return self._parts(X, Y, theta, None)[0]

    def slope(self, X: Floats, theta: Floats, weights: Floats) -> Floats:
        """Return the derivatives by theta of sum(weights * between(X, X)); weights are symmetric."""
        return self._parts(X, X, theta, weights)[1]

    def _parts(
        self, X: Floats, Y: Floats, theta: Floats, G: Floats | None
    ) -> tuple[Floats, Floats]:
        d, first = self.shape.numbers, len(SIZES)
        A, B = X[:, :d], Y[:, :d]
        slope = np.zeros(len(theta))
        K: Floats = np.full((len(X), len(Y)), LEVEL)

        def add(name: str, part: Floats) -> None:
            i = SIZES.index(name)
            if theta[i] > OFF:
                part = part * math.exp(2 * theta[i])
                np.add(K, part, out=K)
                if G is not None:
                    slope[i] = 2 * np.vdot(G, part)

        dot = A @ B.T
        add("linear", dot)
        add("quadratic", dot * dot)
        add("bowl", np.outer((A * A).sum(1), (B * B).sum(1)))
        for power, name in ((2, "own_square"), (3, "own_cubic"), (4, "own_quartic")):
            if theta[SIZES.index(name)] > OFF:
                add(name, A**power @ (B**power).T)
        if self.shape.choices:
            add("choice", X[:, d:] @ Y[:, d:].T)
        if self.family == ADDITIVE:
            self._additive(X, Y, theta, K, G, slope)
            return K, slope
        M = self.metric(theta)
        Z, W = X @ M.T, Y @ M.T
        whole = (Z * Z).sum(1)[:, None] + (W * W).sum(1)[None]
        q = whole - 2 * (Z @ W.T)
        q[q < ROUNDING * whole] = 0.0  # what is left of the same place twice
        if self.family == MATERN52:
            t = np.sqrt(5 * q)
            e = np.exp(-t)
            smooth, by_q = (1 + t + t * t / 3) * e, (-5 / 6) * (1 + t) * e
        else:
            t = np.sqrt(3 * q)
            e = np.exp(-t)
            smooth, by_q = (1 + t) * e, -1.5 * e
        add("smooth", smooth)
        C = None if G is None else G * by_q * size(theta, "smooth")
        if self.rough:
            t = np.sqrt(q) * math.exp(-theta[SIZES.index("rough_length")])
            e = np.exp(-t)
            add("rough", e)
            if G is not None and C is not None:
                e = G * e * size(theta, "rough")
                slope[SIZES.index("rough_length")] = np.vdot(e, t)
                C -= 0.5 * e * t / np.maximum(q, 1e-18)
        if C is not None:
            # q is |M (x - y)|^2: its derivatives by M, for a symmetric C, are products of matrices
            by_metric = 4 * (Z.T @ (C.sum(1)[:, None] * X - C @ X))
            by_column = -(by_metric * M).sum(0)
            slope[first : first + self.shape.axes] += by_column @ self.shape.groups
            if self.shape.turns:
                inner = (by_metric * self.scales(theta))[:d, :d]
                slope[first + self.shape.axes :] = inner[np.tril_indices(d, -1)]
        return K, slope

    def _additive(
        self, X: Floats, Y: Floats, theta: Floats, K: Floats, G: Floats | None, slope: Floats
    ) -> None:
        """Add a sum over the axes: of numbers a bell each, of choices whether they are the same."""
        d, first = self.shape.numbers, len(SIZES)
        share = size(theta, "smooth") / self.shape.axes
        whole = 0.0
        for j in range(d):
            gap = (X[:, j, None] - Y[None, :, j]) * math.exp(-theta[first + j])
            gap *= gap
            bell = share * np.exp(-0.5 * gap)
            np.add(K, bell, out=K)
            if G is not None:
                bell *= G
                whole += float(bell.sum())
                slope[first + j] = np.vdot(bell, gap)
        if self.shape.choices:
            same = share * (X[:, d:] @ Y[:, d:].T)
            np.add(K, same, out=K)
            if G is not None:
                whole += float(np.vdot(G, same))
        slope[SIZES.index("smooth")] = 2 * whole
