"""The best point of a landscape: dense search, then polishing, so that no tuner can beat "the best"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import qmc

from benchmarks.tuners.shapes import Loss
from benchmarks.tuners.space import Array, Category, Listed, Real, Space

DENSE = 12  # log2 of the points that are looked at first
POLISHED = 24  # of them
ROUNDS = 160  # of polishing
TURNS = 8  # random directions per round beside the axes


def snapped(space: Space, rows: Array) -> Array:
    """Return rows of [-1, 1]^d, shape (n, d), on values: those of whole numbers and names in the middle
    of their part.
    """
    rows = np.clip(rows, -1, 1)
    for i, axis in enumerate(space.values()):
        if isinstance(axis, Listed):
            count = len(axis.values)
            part = np.minimum((rows[:, i] + 1) / 2 * count, count - 1).astype(int)
            rows[:, i] = (2 * part + 1) / count - 1
    return rows


def dense(space: Space, power: int, seed: int) -> Array:
    """Return 2 ** power evenly spread points, shape (n, d), on values."""
    sobol = qmc.Sobol(len(space), seed=np.random.default_rng(seed))
    return snapped(space, 2 * sobol.random_base2(power) - 1)


def lowest(space: Space, loss: Loss, known: Sequence[Array] = (), seed: int = 0) -> Array:
    """Return the row of least loss that dense search and polishing find, from known points too."""
    rng = np.random.default_rng(seed)
    rows = np.vstack([*(np.atleast_2d(k) for k in known), dense(space, DENSE, seed)])
    rows = snapped(space, rows)
    values = loss(rows)
    order = np.argsort(values, kind="stable")[:POLISHED]
    at, value = rows[order], values[order]
    steps = np.full(len(at), 0.5)
    names = [i for i, axis in enumerate(space.values()) if isinstance(axis, Category)]
    least = np.array([_least(axis) for axis in space.values()])
    for _ in range(ROUNDS):
        tried = _neighbours(at, steps, least, names, rng)
        count = tried.shape[1]
        flat = snapped(space, tried.reshape(-1, at.shape[1]))
        found = loss(flat).reshape(len(at), count)
        best = found.argmin(axis=1)
        each = np.arange(len(at))
        better = found[each, best] < value
        at = np.where(better[:, None], flat.reshape(tried.shape)[each, best], at)
        value = np.where(better, found[each, best], value)
        steps = np.where(better, np.minimum(steps * 1.5, 1), np.maximum(steps * 0.6, 1e-9))
    return np.array(at[value.argmin()])


def _least(axis: object) -> float:
    """Return the least step that changes a value."""
    return 0.0 if isinstance(axis, Real) else 2 / len(axis.values)  # type: ignore[attr-defined]


def _neighbours(
    at: Array, steps: Array, least: Array, names: Sequence[int], rng: np.random.Generator
) -> Array:
    """Return points around each row, shape (rows, tried, d): along axes and random directions."""
    rows, d = at.shape
    turns = rng.normal(size=(TURNS, d))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    moves = np.vstack([np.eye(d), -np.eye(d), turns, -turns])
    width = steps[:, None, None] * moves[None]
    tiny = (np.abs(width) < least) & (np.abs(moves) > 0.3)  # at least one value further
    width = np.where(tiny, np.sign(moves) * least, width)
    tried = at[:, None, :] + width
    if names:
        again = np.repeat(at[:, None, :], len(names) * 2, axis=1)
        for k, name in enumerate(np.repeat(names, 2)):
            again[:, k, name] = rng.uniform(-1, 1, rows)
        tried = np.concatenate([tried, again], axis=1)
    return tried
