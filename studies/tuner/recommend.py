"""The recommendation: from the trials of a search, the few points that deserve a confirmation.

The best trial is the luckiest as well, so nothing is recommended for its own score: a surrogate is
fitted to all trials, and what it believes best, over the whole space, goes on to fresh openings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engines.kernels.compile import Floats
from engines.parameter import Value
from studies.tuner.ask_tell import Point, Trial
from studies.tuner.space import Axis, Space
from studies.tuner.surrogate import Points, Surrogate, chance, dispersion

DENSE, NEAR, TOP = 1500, 40, 8
SURELY = 400.0  # games that a certain score counts for
APART = 0.05  # root mean square distance of coordinates below which two points are one
Z = 1.959964


@dataclass(frozen=True)
class Candidate:
    """A point and what the surrogate expects of it: score in [0, 1] with its 95 % interval."""

    point: Point
    score: float
    low: float
    high: float


def observed(space: Space, trials: Sequence[Trial], games: int) -> tuple[Points, float]:
    """Return the trials as counts, and the dispersion of their blocks of `games` games."""
    played = [trial for trial in trials if trial.values]
    number = np.array([len(trial.values) * games for trial in played], float)
    won = np.array([sum(trial.values) * games for trial in played], float)
    scale = dispersion([trial.values for trial in played], games)
    return Points(space.coordinates([trial.point for trial in played]), won, number), scale


def anchored(space: Space, points: Points, opponent: Point | None) -> Points:
    """Return the points with one more that is known to score 1/2: the opponent itself."""
    if opponent is None:
        return points
    X = np.vstack([points.X, space.coordinates([opponent])])
    return Points(X, np.append(points.won, SURELY / 2), np.append(points.games, SURELY))


def candidates(
    space: Space,
    trials: Sequence[Trial],
    games: int,
    count: int,
    seed: int,
    opponent: Point | None = None,
) -> list[Candidate]:
    """Return up to `count` points, best first by the surrogate's mean, no two nearly the same.

    `opponent` is its point, where that is in the space: it scores 1/2 for certain.
    """
    points, scale = observed(space, trials, games)
    points = anchored(space, points, opponent)
    fitted = Surrogate(points, scale)
    rng = np.random.default_rng(seed)
    pool = [trial.point for trial in trials if trial.values]
    pool += [space.walk(lambda axis: axis.at(float(rng.random()))) for _ in range(DENSE)]
    mean, sd = fitted.predict(space.coordinates(pool))
    heads = [pool[i] for i in np.argsort(-mean)[:TOP]]
    pool += [nearby(space, head, rng) for head in heads for _ in range(NEAR)]
    place = space.coordinates(pool)
    mean, sd = fitted.predict(place)
    chosen: list[int] = []
    for i in np.argsort(-mean, kind="stable"):
        if len(chosen) == count:
            break
        gaps = [float(np.sqrt(np.mean((place[i] - place[j]) ** 2))) for j in chosen]
        if all(gap > APART for gap in gaps) and all(pool[i] != pool[j] for j in chosen):
            chosen.append(int(i))
    return [_candidate(pool[i], mean[i], sd[i]) for i in chosen]


def best_of(
    space: Space, trials: Sequence[Trial], games: int, screened: Sequence[Trial]
) -> list[int]:
    """Return the places of the screened points, best first, by a surrogate of all games so far.

    A screening alone is a short, noisy match; what the search knows of the neighbourhood counts too.
    """
    points, scale = observed(space, [*trials, *screened], games)
    mean, _ = Surrogate(points, scale).predict(
        space.coordinates([trial.point for trial in screened])
    )
    return [int(i) for i in np.argsort(-mean, kind="stable")]


def _candidate(point: Point, mean: float, sd: float) -> Candidate:
    ends: Floats = np.array([mean, mean - Z * sd, mean + Z * sd])
    score, low, high = (float(x) for x in chance(ends))
    return Candidate(point, score, low, high)


def nearby(space: Space, point: Point, rng: np.random.Generator) -> Point:
    """Return a point near another: numbers moved by about a twentieth of their range."""

    def choose(axis: Axis) -> Value:
        value = point.get(axis.name)
        if value is None:
            return axis.at(float(rng.random()))
        if axis.kind == "choice":
            return value
        moved = axis.place(value) + 0.05 * rng.standard_normal()
        return axis.at(float(np.clip(moved, 0.0, 1.0)))

    return space.walk(choose)
