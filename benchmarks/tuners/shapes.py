"""Pieces of landscapes: losses by distance from a best point, drawn at random, none of the model's own.

A *profile* is a loss along one axis: 0 at offset 0, positive elsewhere, about 1 at the far end of the axis.
Offsets are in half widths of the box, from -2 to 2. None is a parabola, a quartic or a draw of a
Gaussian process: those are what the tuner's model is made of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from benchmarks.tuners.space import Array

Profile: TypeAlias = Callable[[Array], Array]
"""From offsets, shape (n,), to losses, shape (n,)."""

Loss: TypeAlias = Callable[[Array], Array]
"""From rows of places, shape (n, d), to losses, shape (n,): 0 or more, 0 at a best point."""

Rng: TypeAlias = np.random.Generator


def log_uniform(rng: Rng, low: float, high: float) -> float:
    """Draw a positive number by its logarithm."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def unit(profile: Profile) -> Profile:
    """Return a profile whose loss an offset of 1 away is 1 on average over both sides."""
    height = float(profile(np.array([-1.0, 1.0])).mean())
    return lambda u: profile(u) / height


# Smooth


def rounded(rng: Rng) -> Profile:
    """A V with a round tip: log cosh."""
    s = log_uniform(rng, 1, 8)
    return lambda u: np.abs(s * u) + np.log1p(np.exp(-2 * np.abs(s * u))) - np.log(2)


def lopsided(rng: Rng) -> Profile:
    """Exponential on one side, linear on the other."""
    s = log_uniform(rng, 0.5, 3) * rng.choice([-1, 1])
    return lambda u: np.expm1(s * u) - s * u


def heavy(rng: Rng) -> Profile:
    """A hill with heavy tails: ever less steep far away."""
    w = log_uniform(rng, 0.1, 0.8)
    return lambda u: np.log1p((u / w) ** 2)


def wave(rng: Rng) -> Profile:
    """The top of a cosine, which turns flat again near the far end of the box."""
    s = rng.uniform(0.8, 1.5)
    return lambda u: 1 - np.cos(np.clip(s * u, -np.pi, np.pi))


def saturating(rng: Rng) -> Profile:
    """A hole's rim: flat far away."""
    w = log_uniform(rng, 0.3, 1.2)
    return lambda u: (u / w) ** 2 / (1 + (u / w) ** 2)


SMOOTH = (rounded, lopsided, heavy, wave, saturating)


def smooth(rng: Rng) -> Profile:
    """Draw a smooth profile."""
    return unit(SMOOTH[rng.integers(len(SMOOTH))](rng))


# With bends, jumps and flat parts


def kinked(rng: Rng) -> Profile:
    """A bend at the top, up to ten times as steep on one side."""
    power, ratio = rng.uniform(0.5, 1.0), log_uniform(rng, 1, 10)
    left, right = rng.permutation([1.0, ratio])
    return unit(lambda u: np.where(u < 0, left, right) * np.abs(u) ** power)


def gentle(rng: Rng) -> Profile:
    """Steep on one side, all but flat on the other."""
    side, share = rng.choice([-1.0, 1.0]), rng.uniform(0.02, 0.15)
    power, far = rng.uniform(0.7, 1.3), rng.uniform(1.0, 1.8)
    return unit(lambda u: np.where(side * u < 0, np.abs(u) ** power, share * np.abs(u) ** far))


def flat(rng: Rng) -> Profile:
    """A flat top."""
    half, power = rng.uniform(0.1, 0.4), rng.uniform(1.0, 1.6)
    return unit(lambda u: np.maximum(0, np.abs(u) - half) ** power)


def stepped(rng: Rng) -> Profile:
    """Stairs on both sides of a flat top, of two to eight steps each."""
    stairs = []
    for _ in range(2):
        count = int(rng.integers(2, 9))
        places = np.sort(rng.uniform(0.08, 2.0, count))
        stairs.append((places, np.concatenate([[0], np.cumsum(rng.exponential(size=count))])))

    def loss(u: Array) -> Array:
        sides = [high[np.searchsorted(at, np.abs(u), side="right")] for at, high in stairs]
        return np.where(u < 0, *sides)

    height = max(high[-1] for _, high in stairs)
    return lambda u: loss(u) / height


# Several axes


def axis_losses(profiles: Sequence[Profile], weights: Array, off: Array) -> list[Array]:
    """Return the weighted loss of each axis at offsets of shape (n, d)."""
    return [w * p(u) for p, w, u in zip(profiles, weights, off.T, strict=True)]


def summed(profiles: Sequence[Profile], weights: Array, best: Array) -> Loss:
    """Return the weighted sum of profiles, one for each axis, around a best point."""

    def loss(rows: Array) -> Array:
        parts = axis_losses(profiles, weights, rows - best)
        return np.sum(parts, axis=0)

    return loss


def coupled(profiles: Sequence[Profile], weights: Array, best: Array, power: float) -> Loss:
    """Return a power mean of profiles: with a high power only the worst axis counts."""

    def loss(rows: Array) -> Array:
        parts = axis_losses(profiles, weights, rows - best)
        return np.sum(np.power(parts, power), axis=0) ** (1 / power)

    return loss


def radial(rng: Rng) -> Profile:
    """Draw how a loss grows with the distance (0 or more) from the best point."""
    w = log_uniform(rng, 0.1, 1)
    return (
        lambda r: np.sqrt(1 + (r / w) ** 2) - 1,
        lambda r: np.log1p((r / w) ** 2),
        lambda r: r,
        lambda r: r**1.5,
    )[rng.integers(4)]


def turned(rng: Rng, best: Array, condition: float) -> Loss:
    """Return a hill on turned axes, whose longest is sqrt(condition) times its shortest."""
    d = len(best)
    turn, _ = np.linalg.qr(rng.normal(size=(d, d)))
    scales = condition ** -(np.sort(np.concatenate([[0, 1], rng.uniform(size=d - 2)])) / 2)
    grows = radial(rng)
    return lambda rows: grows(np.linalg.norm((rows - best) @ turn * scales, axis=1))


def weights_of(rng: Rng, count: int, least: float = 0.1) -> Array:
    """Draw how much each axis matters, from `least` to 1, by their logarithms; one matters by 1."""
    weights = np.exp(rng.uniform(np.log(least), 0, count))
    return weights / weights.max()
