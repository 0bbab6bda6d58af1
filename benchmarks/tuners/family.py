"""A drawn family of problems: nobody has looked at any of them, so nothing can be fitted to them.

A problem is a class and two numbers, a seed and a place: `SMOOTH-7-3` is the fourth smooth problem of seed 7.
The same name is the same problem everywhere and for ever. Seeds for training are free. The test set
has the seed `run.test_seed()`, which follows from the sources of our tuner: each version meets others.

All losses are in log-odds of the expected score. Sources: `shapes.py`; BBOB is of Hansen and others,
"Real-Parameter Black-Box Optimization Benchmarking 2009: Noiseless Functions Definitions", by `ioh`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from benchmarks.tuners import shapes
from benchmarks.tuners.optimum import dense, lowest, snapped
from benchmarks.tuners.problem import Problem, chance
from benchmarks.tuners.shapes import Loss, Rng, log_uniform
from benchmarks.tuners.space import (
    Array,
    Category,
    Point,
    Real,
    Space,
    Whole,
    floats,
    places_of,
    point_of,
)
from joute.engines.errors import Refused, unknown

ELO = math.log(10) / 400
"""Log-odds of an Elo point."""

RANGE = (20.0, 2000.0)
"""Elo between the best point and all but the worst hundredth of the box."""

WEAK = (5.0, 40.0)


@dataclass(frozen=True)
class Sketch:
    """A landscape before its heights are drawn.

    Attributes:
        space: its axes.
        loss: from rows of [-1, 1]^d, on values, to losses of any size.
        known: a row that is believed to be the best.
        smooth: whether there is neither bend nor jump.
        elo: the ends from which the range is drawn.
        top: the ends from which the best expected score is drawn.
        draws: the ends from which the share of draws is drawn; None: in half of the problems 0 to 0.6.
    """

    space: Space
    loss: Loss
    known: Array
    smooth: bool = False
    elo: tuple[float, float] = RANGE
    top: tuple[float, float] = (0.4, 0.8)
    draws: tuple[float, float] | None = None


def inside(rng: Rng, count: int, most: float = 0.85) -> Array:
    """Draw a best point that is not at an end."""
    return rng.uniform(-most, most, count)


def dimension(rng: Rng, low: int, high: int) -> int:
    """Draw a number of axes by its logarithm."""
    return round(log_uniform(rng, low - 0.49, high + 0.49))


# The classes


def _mixed(rng: Rng, profile: Callable[[Rng], shapes.Profile], low: int, high: int) -> Sketch:
    d = dimension(rng, low, high)
    best = inside(rng, d)
    profiles, weights = [profile(rng) for _ in range(d)], shapes.weights_of(rng, d)
    if rng.random() < 0.5:
        return Sketch(floats(d), shapes.summed(profiles, weights, best), best)
    power = log_uniform(rng, 1, 4)
    return Sketch(floats(d), shapes.coupled(profiles, weights, best, power), best)


def smooth(rng: Rng) -> Sketch:
    """Hills without a bend, each axis with a slope of its own."""
    d = dimension(rng, 1, 20)
    best = inside(rng, d)
    profiles = [shapes.smooth(rng) for _ in range(d)]
    loss = shapes.summed(profiles, shapes.weights_of(rng, d), best)
    return Sketch(floats(d), loss, best, smooth=True)


def kinked(rng: Rng) -> Sketch:
    """Roofs, up to ten times as steep on one side."""
    return _mixed(rng, shapes.kinked, 1, 6)


def gentle(rng: Rng) -> Sketch:
    """Steep on one side, all but flat on the other."""
    return _mixed(rng, shapes.gentle, 1, 6)


def stepped(rng: Rng) -> Sketch:
    """Stairs."""
    return _mixed(rng, shapes.stepped, 1, 5)


def plateau(rng: Rng) -> Sketch:
    """Flat tops."""
    return _mixed(rng, shapes.flat, 1, 5)


def ridged(rng: Rng) -> Sketch:
    """Turned axes, the longest up to 30 times as long as the shortest."""
    d = dimension(rng, 2, 12)
    best = inside(rng, d)
    return Sketch(floats(d), shapes.turned(rng, best, log_uniform(rng, 10, 1000)), best)


def bent(rng: Rng) -> Sketch:
    """A ridge that is bent like a wave."""
    d = dimension(rng, 2, 6)
    best = inside(rng, d, 0.7)
    height, speed, phase = rng.uniform(0.2, 0.6), rng.uniform(1, 3), rng.uniform(0, 2 * np.pi)
    narrow = log_uniform(rng, 3, 15)
    grows, along = shapes.radial(rng), rng.permutation(d)
    i, j = along[:2]

    def wave(x: Array) -> Array:
        return height * np.sin(speed * x + phase)

    def loss(rows: Array) -> Array:
        off = rows - best
        off[:, j] = narrow * (off[:, j] - wave(rows[:, i]) + wave(best[i]))
        return grows(np.linalg.norm(off, axis=1))

    return Sketch(floats(d), loss, best)


def hills(rng: Rng) -> Sketch:
    """Several hills, the higher ones narrower."""
    d, count = dimension(rng, 1, 4), int(rng.integers(2, 6))
    tops = rng.uniform(-0.9, 0.9, (count, d))
    heights = np.sort(rng.uniform(0.4, 1, count))
    widths = np.sort(np.exp(rng.uniform(np.log(0.1), np.log(0.6), count)))[::-1]
    pointed = rng.random() < 0.5

    def loss(rows: Array) -> Array:
        far = np.linalg.norm(rows[:, None] - tops, axis=2) / widths
        each = heights * (np.exp(-far) if pointed else 1 / (1 + far**2))
        return heights[-1] - each.max(axis=1)

    return Sketch(floats(d), loss, tops[-1])


def window(rng: Rng) -> Sketch:
    """A window of a few per cent of one range, in which all is well, in a gentle landscape."""
    d = dimension(rng, 1, 4)
    best = inside(rng, d)
    half, inward = rng.uniform(0.02, 0.07), rng.uniform(0.3, 0.8)
    profiles, weights = [shapes.smooth(rng) for _ in range(d)], shapes.weights_of(rng, d)
    base = shapes.summed(profiles, weights, inside(rng, d))
    others = shapes.summed(profiles, weights, best)

    def loss(rows: Array) -> Array:
        out = np.abs(rows[:, 0] - best[0]) > half
        return np.where(out, inward + base(rows), 0.0) + 0.5 * others(rows)

    return Sketch(floats(d), loss, best, elo=(100, 1000))


def edge(rng: Rng) -> Sketch:
    """The best point at an end of some axes, or in a corner."""
    d = dimension(rng, 1, 8)
    best = inside(rng, d)
    ends = rng.permutation(d)[: d if rng.random() < 0.4 else int(rng.integers(1, d + 1))]
    best[ends] = rng.choice([-1.0, 1.0], len(ends))
    powers, weights = rng.uniform(0.7, 1.8, d), shapes.weights_of(rng, d)

    def profile(power: float) -> shapes.Profile:
        return lambda u: np.abs(u) ** power

    return Sketch(floats(d), shapes.summed([profile(p) for p in powers], weights, best), best)


def cliff(rng: Rng) -> Sketch:
    """Better and better up to a cliff, which from two axes on goes across them."""
    d = dimension(rng, 1, 5)
    best = inside(rng, d, 0.6)
    across = rng.normal(size=d)
    across /= np.linalg.norm(across)
    slope, drop, side = rng.uniform(0.3, 1), rng.uniform(1, 3), rng.uniform(0.3, 1.5)

    def loss(rows: Array) -> Array:
        off = rows - best
        over = off @ across
        beside = np.linalg.norm(off - over[:, None] * across, axis=1)
        return np.where(over > 1e-12, drop, -slope * over) + side * beside**1.5

    return Sketch(floats(d), loss, best, elo=(100, 1500))


def dead(rng: Rng) -> Sketch:
    """Few of many parameters matter."""
    d = int(rng.integers(6, 21))
    alive = rng.permutation(d)[: int(rng.integers(1, 4))]
    best = inside(rng, d)
    kinds = (shapes.smooth, shapes.kinked, shapes.flat)
    profiles = [kinds[rng.integers(3)](rng) for _ in alive]
    inner = shapes.summed(profiles, shapes.weights_of(rng, len(alive), 0.3), best[alive])
    return Sketch(floats(d), lambda rows: inner(rows[:, alive]), best)


def weak(rng: Rng) -> Sketch:
    """A few Elo in all."""
    kinds = (smooth, kinked, gentle, ridged, edge)
    sketch = kinds[rng.integers(len(kinds))](rng)
    return Sketch(sketch.space, sketch.loss, sketch.known, sketch.smooth, WEAK, (0.48, 0.55))


def nothing(rng: Rng) -> Sketch:
    """Nothing matters."""
    d = dimension(rng, 1, 12)
    return Sketch(floats(d), lambda rows: np.zeros(len(rows)), inside(rng, d), True)


def rare(rng: Rng) -> Sketch:
    """Nearly every game is lost, but for a small part of the box."""
    d = dimension(rng, 2, 6)
    best = inside(rng, d)
    loss = shapes.turned(rng, best, log_uniform(rng, 3, 50))
    return Sketch(floats(d), loss, best, elo=(1000, 2000), top=(0.3, 0.6))


def integers(rng: Rng) -> Sketch:
    """Weak whole weights that go together, many draws: what people tune in chess."""
    d = int(rng.integers(3, 15))
    spaces: Space = {f"n{i + 1}": Whole(0, int(log_uniform(rng, 4, 60))) for i in range(d)}
    best = snapped(spaces, inside(rng, d)[None])[0]
    loss = shapes.turned(rng, best, log_uniform(rng, 2, 100))
    return Sketch(spaces, loss, best, elo=(15, 200), top=(0.5, 0.55), draws=(0.3, 0.6))


def names(rng: Rng) -> Sketch:
    """Names with interactions, and numbers whose best value depends on a name."""
    counts = [int(rng.integers(2, 13)) for _ in range(int(rng.integers(1, 4)))]
    numbers = int(rng.integers(0, 4))
    space: dict[str, Real | Category] = {
        f"c{k + 1}": Category(tuple(f"v{i}" for i in range(n))) for k, n in enumerate(counts)
    }
    space.update(floats(numbers))
    few = rng.random() < 0.4  # names of which few are good
    alone = [rng.exponential(size=n) if few else rng.uniform(0, 1, n) for n in counts]
    pairs = {
        (a, b): rng.uniform(0, 1, (counts[a], counts[b]))
        for a in range(len(counts))
        for b in range(a)
    }
    wanted = rng.uniform(-0.9, 0.9, (counts[0], numbers))
    profiles = [shapes.smooth(rng) for _ in range(numbers)]
    matter = rng.uniform(0.3, 1, numbers)

    def loss(rows: Array) -> Array:
        which = [((rows[:, k] + 1) / 2 * n).astype(int) for k, n in enumerate(counts)]
        total = sum(own[w] for own, w in zip(alone, which, strict=True))
        total = total + sum(table[which[a], which[b]] for (a, b), table in pairs.items())
        for j in range(numbers):
            u = rows[:, len(counts) + j] - wanted[which[0], j]
            total = total + matter[j] * profiles[j](u)
        return np.asarray(total)

    grid = np.indices(counts).reshape(len(counts), -1).T
    heads = (2 * grid + 1) / np.array(counts) - 1
    rows = np.hstack([heads, wanted[grid[:, 0]]])
    return Sketch(space, loss, rows[loss(rows).argmin()], elo=(50, 1000))


def conditions(rng: Rng) -> Sketch:
    """Algorithms with numbers of their own, which mean nothing for the others, and one for all."""
    count = int(rng.integers(2, 6))
    algorithms = tuple(f"a{i}" for i in range(count))
    owned = [int(rng.integers(0, 4)) for _ in algorithms]
    space: dict[str, Real | Category] = {"algorithm": Category(algorithms), "shared": Real()}
    for name, own in zip(algorithms, owned, strict=True):
        space.update({f"{name}_{j}": Real(when=("algorithm", name)) for j in range(own)})
    best, shared = inside(rng, len(space)), inside(rng, count)
    base, kinds = rng.uniform(0, 0.6, count), (shapes.smooth, shapes.kinked, shapes.flat)
    profiles = [kinds[rng.integers(3)](rng) for _ in space]
    weights = shapes.weights_of(rng, len(space), 0.2)

    def loss(rows: Array) -> Array:
        which = ((rows[:, 0] + 1) / 2 * count).astype(int)
        total = base[which] + weights[1] * profiles[1](rows[:, 1] - shared[which])
        first = 2
        for a, own in enumerate(owned):
            for i in range(first, first + own):
                part = weights[i] * profiles[i](rows[:, i] - best[i])
                total = total + np.where(which == a, part, 0.0)
            first += own
        return np.asarray(total)

    rows = np.repeat(best[None], count, axis=0)
    rows[:, 0], rows[:, 1] = (2 * np.arange(count) + 1) / count - 1, shared
    return Sketch(space, loss, rows[loss(rows).argmin()], elo=(50, 1000))


def bbob(rng: Rng) -> Sketch:
    """One of BBOB's 24 functions, in log-odds by its logarithm or held straight."""
    import ioh

    number, instance = int(rng.integers(1, 25)), int(rng.integers(1, 1000))
    d, straight = dimension(rng, 2, 20), rng.random() < 0.5
    made = ioh.get_problem(number, instance, d, ioh.ProblemClass.BBOB)
    lowest_value = float(made.optimum.y)

    def above(rows: Array) -> Array:
        return np.maximum(0, np.array([made(list(row)) for row in 5 * rows]) - lowest_value)

    q = float(np.quantile(above(rng.uniform(-1, 1, (10_000, d))), 0.9))
    s = q / 100

    def loss(rows: Array) -> Array:
        v = above(rows)
        return np.minimum(v / q, 2) if straight else np.log1p(v / s) / math.log1p(100)

    return Sketch(floats(d), loss, np.array(made.optimum.x) / 5)


CLASSES: Mapping[str, Callable[[Rng], Sketch]] = {
    made.__name__.upper(): made
    for made in (
        smooth, kinked, gentle, stepped, plateau, ridged, bent, hills, window, edge, cliff, dead,
        weak, nothing, rare, integers, names, conditions, bbob,
    )
}  # fmt: skip

# Problems


def kind_of(name: str) -> str:
    """Return the class of a problem; of one that is not drawn its name."""
    return name.split("-")[0]


def family_name(kind: str, seed: int, place: int) -> str:
    """Return the name of a problem."""
    return f"{kind}-{seed}-{place}"


@lru_cache(maxsize=256)
def drawn(name: str) -> Problem:
    """Return a problem by its name; Refused, with what is allowed, if it is none."""
    kind, *numbers = name.split("-")
    if kind not in CLASSES:
        raise unknown("class", kind, CLASSES)
    if len(numbers) != 2 or not all(n.isdecimal() and len(n) < 16 for n in numbers):
        raise Refused(f"{name}: no problem; a drawn one is {kind}-SEED-PLACE, say {kind}-7-0")
    rng = np.random.default_rng([*kind.encode(), *map(int, numbers)])
    return _finished(name, CLASSES[kind](rng), CLASSES[kind].__doc__ or "", rng)


def _finished(name: str, sketch: Sketch, summary: str, rng: Rng) -> Problem:
    """Draw heights, draws and the default; find the best point."""
    space, loss = sketch.space, sketch.loss
    best = lowest(space, loss, [sketch.known])
    least = float(loss(best[None])[0])
    most = float(np.quantile(loss(dense(space, 12, 1)), 0.99)) - least
    span = log_uniform(rng, *sketch.elo) * ELO / (most if most > 0 else 1.0)
    top = rng.uniform(*sketch.top)
    level = math.log(top / (1 - top))
    some = rng.random() < 0.5
    share = rng.uniform(*sketch.draws) if sketch.draws else rng.uniform(0, 0.6) * some

    def log_odds(point: Point) -> float:
        row = places_of(space, point)[None]
        return level - span * (float(loss(row)[0]) - least)

    def draws(point: Point) -> float:
        score = chance(log_odds(point))
        return float(share * 2 * min(score, 1 - score))

    problem = Problem(
        name, summary.splitlines()[0].rstrip("."), space, log_odds, point_of(space, best),
        smooth=sketch.smooth, draws=draws,
    )  # fmt: skip
    anywhere = point_of(space, rng.uniform(-1, 1, len(space)))
    own = (anywhere, anywhere, anywhere, problem.near, dict(problem.best))[rng.integers(5)]
    return replace(problem, own=own)
