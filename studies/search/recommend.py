"""The recommendation: the few points of a search that deserve a confirmation.

The best trial is also the luckiest, so no point is recommended for its own score: the model reads
all trials, and the points it expects most of, over the whole space, go on to fresh openings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from joute.studies.search.surrogate import observed, observed_blocks
from joute.studies.search.trial import Trial
from joute.studies.tuner.answer import TunerAnswer
from joute.studies.tuner.domain import Domain, Point

APART = 0.1  # root mean square distance of places below which two points are one


@dataclass(frozen=True)
class Candidate:
    """A point and what the model expects of it: score in [0, 1] with its 95 % interval."""

    point: Point
    score: float
    low: float
    high: float


def read(
    space: Domain,
    trials: Sequence[Trial],
    games: int,
    seed: int,
    opponent: Point | None = None,
    default: Point | None = None,
    blocks: bool = True,
) -> TunerAnswer:
    """Return the model's answer to trials of `games` games a block; `opponent` surely scores 1/2.

    `default` is never merged with its neighbours, however many trials there are; of duels alone, scores
    are against it. `blocks`: whether the noise of blocks is measured by the model (see `surrogate.py`).
    """
    counts, noise = (observed_blocks if blocks else observed)(space, trials, games, opponent)
    point = default if default is not None else opponent
    place = None if point is None else space.places([point])[0]
    return TunerAnswer(space, counts, noise, seed, place, anchor=place)


def candidates(
    space: Domain,
    trials: Sequence[Trial],
    games: int,
    count: int,
    seed: int,
    opponent: Point | None = None,
    blocks: bool = True,
) -> list[Candidate]:
    """Return up to `count` points, best first by the model, no two nearly the same."""
    answer = read(space, trials, games, seed, opponent, None, blocks)
    places = np.vstack([answer.best[None], answer.ranked()])
    chosen: list[tuple[Point, np.ndarray]] = []
    for place in places:
        if len(chosen) == count:
            break
        point = answer.plain(space.point(place))
        gaps = [float(np.sqrt(np.mean((place - other) ** 2))) for _, other in chosen]
        if all(gap > APART for gap in gaps) and all(point != other for other, _ in chosen):
            chosen.append((point, place))
    estimated = []
    for point, place in chosen:
        low, mean, high = answer.estimate(place)
        estimated.append(Candidate(point, mean, low, high))
    return estimated


def best_of(
    space: Domain,
    trials: Sequence[Trial],
    games: int,
    screened: Sequence[Trial],
    seed: int = 0,
    opponent: Point | None = None,
    blocks: bool = True,
) -> list[int]:
    """Return the indices of the screened points, best first, by a model of all games.

    A screening alone is a short, noisy match; what the search knows nearby counts, too.
    """
    answer = read(space, [*trials, *screened], games, seed, opponent, None, blocks)
    value = answer.cautious(space.places([trial.point for trial in screened]))
    return [int(i) for i in np.argsort(-value, kind="stable")]
