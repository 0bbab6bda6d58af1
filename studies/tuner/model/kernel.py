"""Covariances of the log-odds between places of a space, and their derivatives.

A covariance is a sum of parts, each with a size that is learnt: a constant, polynomials (of all
numbers together to the second degree, of each number by itself to the fourth), a bowl, the main
effects of choices, and one stationary part: additive over the coordinates, or Matern 5/2 or 3/2 on a
learnt triangular metric, with a rough exponential part beside it if that is wanted, or a jump in the
place of both (`jumps.py`). So a landscape that is a simple curve is read with few games, and one that
is not is read nevertheless.

Places are rows: numbers in [-1, 1] first, then one column of 0 and 1 for every value of a choice.
Sizes and lengths are kept as logarithms in one vector `theta`; `Shape.names` says what is where.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from joute.engines.kernels.compile import Floats
from joute.studies.tuner.model import decay
from joute.studies.tuner.model.jumps import Jumps

LEVEL = 4.0  # prior variance of the overall level
APART = 0.3  # log-odds by which a special place may differ from what all others say of it
OFF = -20.0  # logarithm of a size that counts as 0
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
    "jump",
)
BOWL, SMOOTH, ROUGH = SIZES.index("bowl"), SIZES.index("smooth"), SIZES.index("rough")
ROUGH_LENGTH = SIZES.index("rough_length")
JUMP = SIZES.index("jump")
ADDITIVE, MATERN52, MATERN32 = "additive", "matern52", "matern32"

Slope = Callable[[Floats], Floats]
AddSlope = Callable[[Floats, Floats], None]
Fixed = tuple[Floats, Floats | None, Floats | None]
"""Columns of places, the covariances of a jump between them, and those of the special place."""


@dataclass(frozen=True)
class KernelShape:
    """The layout of places: so many numbers, then the columns of each choice."""

    numbers: int
    choices: tuple[int, ...] = ()

    @property
    def columns(self) -> int:
        """Columns of a place."""
        return self.numbers + sum(self.choices)

    @cached_property
    def blocks(self) -> list[slice]:
        """The columns of each choice."""
        ends = np.cumsum([self.numbers, *self.choices]).tolist()
        return [slice(first, end) for first, end in pairwise(ends)]

    @cached_property
    def groups(self) -> Floats:
        """Matrix (columns, axes): 1 where a column belongs to an axis."""
        matrix = np.zeros((self.columns, self.axes))
        matrix[: self.numbers, : self.numbers] = np.eye(self.numbers)
        for i, block in enumerate(self.blocks):
            matrix[block, self.numbers + i] = 1.0
        return matrix

    @property
    def axes(self) -> int:
        """Number of axes: numbers and choices."""
        return self.numbers + len(self.choices)

    @property
    def turns(self) -> int:
        """Entries of the metric's lower triangle that are learnt."""
        d = self.numbers
        return d * (d - 1) // 2 if d <= METRIC_MOST else 0

    @property
    def names(self) -> list[str]:
        """The names of the entries of theta."""
        lengths = [f"length {i}" for i in range(self.axes)]
        return [*SIZES, *lengths, *(f"turn {i}" for i in range(self.turns))]


def size(theta: Floats, name: str) -> float:
    """Return the variance of a part."""
    return math.exp(2 * theta[SIZES.index(name)])


class Covariance:
    """The covariance of one family over places of one shape; theta comes with each question."""

    def __init__(
        self,
        shape: KernelShape,
        family: str,
        parts: Sequence[str],
        special: Floats | None = None,
    ) -> None:
        """Make the sum of these parts, named as in `SIZES`; the level is always there. `special`: a place
        that has a value of its own besides (`APART`).
        """
        self.shape, self.family, self._special = shape, family, special
        self.stationary, self.rough = "smooth" in parts, "rough" in parts
        d = shape.numbers
        self.jumps = Jumps(d) if "jump" in parts and d else None
        counts = {
            "linear": d,
            "quadratic": d * (d + 1) // 2,
            "bowl": 1,
            "own_square": d,
            "own_cubic": d,
            "own_quartic": d,
            "choice": shape.columns - d,
        }
        self._polynomials = [name for name in counts if name in parts]
        each = [counts[name] for name in self._polynomials]
        self._owners = np.repeat([SIZES.index(name) for name in self._polynomials], each).astype(
            int
        )

    def falls(self, X: Floats) -> Floats:
        """Return what the prior mean falls by at places X, a column each, before `steepness`: a bowl."""
        S = X[:, : self.shape.numbers]
        bowl: Floats = (S**4).sum(1)[:, None]
        return bowl

    def steepness(self, theta: Floats) -> Floats:
        """Return what each column of `falls` is multiplied by."""
        return np.array([math.exp(theta[BOWL])])

    def add_fall_slopes(self, own: Floats, slope: Floats) -> None:
        """Add derivatives by the logarithms of `steepness` to those by theta."""
        slope[BOWL] += own.sum()

    def scales(self, theta: Floats) -> Floats:
        """Return 1 / length of every column."""
        first = len(SIZES)
        scales: Floats = self.shape.groups @ np.exp(-theta[first : first + self.shape.axes])
        return scales

    def metric(self, theta: Floats) -> Floats:
        """Return the matrix M whose M x are the coordinates that the stationary part measures in."""
        d, M = self.shape.numbers, np.eye(self.shape.columns)
        if self.shape.turns:
            M[np.tril_indices(d, -1)] = theta[len(SIZES) + self.shape.axes :]
        scaled: Floats = M * self.scales(theta)
        return scaled

    def columns(self, X: Floats) -> Floats:
        """Return the polynomials at places X, a column each.

        Their covariance between places is the product of the columns, each weighted by its size.
        """
        d = self.shape.numbers
        A = X[:, :d]
        A2 = A * A
        i, j = np.triu_indices(d)
        parts: dict[str, Callable[[], Floats]] = {
            "linear": lambda: A,
            "quadratic": lambda: A[:, i] * A[:, j] * np.where(i == j, 1.0, math.sqrt(2)),
            "bowl": lambda: (A2 * A2).sum(1)[:, None],
            "own_square": lambda: A2,
            "own_cubic": lambda: A2 * A,
            "own_quartic": lambda: A2 * A2,
            "choice": lambda: X[:, d:],
        }
        return np.hstack([np.ones((len(X), 1)), *(parts[name]() for name in self._polynomials)])

    def sizes(self, theta: Floats) -> Floats:
        """Return the variance that belongs to each column."""
        variances: Floats = np.concatenate([[LEVEL], np.exp(2 * theta[self._owners])])
        return variances

    def diagonal(self, X: Floats, theta: Floats) -> Floats:
        """Return the variance at each place."""
        columns, d = self.columns(X), self.shape.numbers
        chosen = (X[:, d:] ** 2).sum(1)  # choices that are active
        whole = (d + chosen) / self.shape.axes if self.family == ADDITIVE else 1.0
        variances: Floats = (columns * columns) @ self.sizes(theta) + size(theta, "smooth") * whole
        variances += size(theta, "rough")
        if self.jumps:
            variances += size(theta, "jump") * self.jumps.diagonal(X)
        if self._special is not None:
            variances[(self._special == X).all(1)] += APART**2
        return variances

    def _apart(self, X: Floats, Y: Floats) -> Floats | None:
        """Return what the special place adds to the covariances, if there is one."""
        if self._special is None:
            return None
        left, right = ((places == self._special).all(1) for places in (X, Y))
        added: Floats = APART**2 * np.outer(left, right)
        return added

    def between(self, X: Floats, Y: Floats, theta: Floats) -> Floats:
        """Return the matrix of covariances (rows of X, rows of Y)."""
        K = self.without_jumps(X, Y, theta)
        if self.jumps:
            K += size(theta, "jump") * self.jumps.between(X, Y)
        return K

    def without_jumps(self, X: Floats, Y: Floats, theta: Floats) -> Floats:
        """Return the same without jumps."""
        left = self.columns(X)
        right = left if Y is X else self.columns(Y)
        K: Floats = (left * self.sizes(theta)) @ right.T
        if self.stationary:
            K += self._stationary(X, Y, theta)[0]
        apart = self._apart(X, Y)
        return K if apart is None else K + apart

    def fixed(self, X: Floats) -> Fixed:
        """Return the part of the covariance between places X that does not depend on theta."""
        jump = self.jumps.between(X, X) if self.jumps else None
        return self.columns(X), jump, self._apart(X, X)

    def with_slope(self, X: Floats, fixed: Fixed, theta: Floats) -> tuple[Floats, Slope]:
        """Return K = `between(X, X)`, and a function giving the derivatives by theta of sum(G * K).

        That function takes a symmetric G (n, n) and returns a vector as long as theta. `fixed`: of
        these X, for this is called very often.
        """
        sizes, (columns, jump, apart) = self.sizes(theta), fixed
        K: Floats = (columns * sizes) @ columns.T
        if jump is not None:
            K += size(theta, "jump") * jump
        if apart is not None:
            K += apart
        if self.stationary:
            more, add_slope = self._stationary(X, X, theta)
            K += more

        def slope(G: Floats) -> Floats:
            gradient = np.zeros(len(theta))
            own = 2 * sizes * (columns * (G @ columns)).sum(0)
            self._add_size_slopes(own, gradient)
            if jump is not None:
                gradient[JUMP] = 2 * size(theta, "jump") * np.vdot(G, jump)
            if self.stationary:
                add_slope(G, gradient)
            return gradient

        return K, slope

    def _add_size_slopes(self, own: Floats, slope: Floats) -> None:
        """Add derivatives by the logarithms of `sizes` to those by theta."""
        np.add.at(slope, self._owners, own[1:])

    def _stationary(self, X: Floats, Y: Floats, theta: Floats) -> tuple[Floats, AddSlope]:
        return (self._additive if self.family == ADDITIVE else self._matern)(X, Y, theta)

    def _matern(self, X: Floats, Y: Floats, theta: Floats) -> tuple[Floats, AddSlope]:
        """Return the smooth part and the rough one, and what adds the slopes of both where Y is X."""
        first = len(SIZES)
        M = self.metric(theta)
        Z, W = X @ M.T, Y @ M.T
        product, left, right = Z @ W.T, (Z * Z).sum(1), (W * W).sum(1)
        smooth, rough = size(theta, "smooth"), size(theta, "rough")
        rate = math.exp(-theta[ROUGH_LENGTH])
        root, bend = (math.sqrt(5), 1 / 3) if self.family == MATERN52 else (math.sqrt(3), 0.0)
        K = np.zeros(product.shape)
        decay.add_matern(product, left, right, root, bend, smooth, K)
        if self.rough:
            decay.add_rough(product, left, right, rate, rough, K)

        def add_slope(G: Floats, slope: Floats) -> None:
            C, sums = np.zeros(K.shape), np.zeros((2, len(K)))
            decay.add_matern_slopes(product, left, root, bend, smooth, G, C, sums[0])
            slope[SMOOTH] += 2 * sums[0].sum()
            if self.rough:
                sums[:] = 0.0
                decay.add_rough_slopes(product, left, rate, rough, G, C, sums)
                slope[ROUGH] += 2 * sums[0].sum()
                slope[ROUGH_LENGTH] += sums[1].sum()
            # q is |M (x - y)|^2: its derivatives by M, for a symmetric C, are products of matrices
            by_metric = 4 * (Z.T @ (C.sum(1)[:, None] * X - C @ X))
            by_column = -(by_metric * M).sum(0)
            slope[first : first + self.shape.axes] += by_column @ self.shape.groups
            if self.shape.turns:
                d = self.shape.numbers
                inner = (by_metric * self.scales(theta))[:d, :d]
                slope[first + self.shape.axes :] = inner[np.tril_indices(d, -1)]

        return K, add_slope

    def _additive(self, X: Floats, Y: Floats, theta: Floats) -> tuple[Floats, AddSlope]:
        """Return a sum over the axes, of numbers a bell each, of choices whether they are the same."""
        d, first = self.shape.numbers, len(SIZES)
        share = size(theta, "smooth") / self.shape.axes
        rates = np.exp(-2 * theta[first : first + d])
        K = np.ascontiguousarray(share * (X[:, d:] @ Y[:, d:].T))
        left, right = np.ascontiguousarray(X[:, :d]), np.ascontiguousarray(Y[:, :d].T)
        decay.add_bells(left, right, rates, share, K)

        def add_slope(G: Floats, slope: Floats) -> None:
            sums = np.zeros((d, len(K)))
            decay.add_bell_slopes(left, right, rates, share, G, sums)
            slope[SMOOTH] += 2 * np.vdot(G, K)
            slope[first : first + d] += sums.sum(1)

        return K, add_slope
