"""What the rating models share: the fit by Newton's method, existence of a maximum, covariance, notes.

Parameters are in the model's natural units; the first `count` of them are the ratings. `gauge` is
the quadratic form that holds the mean rating of each part of the graph of games at 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from joute.results.ratings.ratings import AWAY, FEW, PRIOR, Floats, Ints, Ratings

ELO = 400 / math.log(10)
"""Elo in one natural unit."""

NO_LIMIT = "the results set no limit to"
"""How a note begins on ratings that only a prior holds."""

FLAT = 1e-6
"""Share of the variance of independent games below which an axis is taken not to vary at all."""


class Likelihood(NamedTuple):
    """At some parameters: the objective (with gauge and prior), the log-likelihood alone, the
    gradient of the objective, and the information (its negative second derivative).
    """

    value: float
    loglik: float
    gradient: Floats
    information: Floats


def held(
    loglik: float, gradient: Floats, information: Floats, theta: Floats, hold: Floats
) -> Likelihood:
    """Return the likelihood with the quadratic form `hold`, gauge and prior, taken off."""
    value = loglik - float(theta @ hold @ theta) / 2
    return Likelihood(value, loglik, gradient - hold @ theta, information + hold)


def fitted(
    names: Sequence[str],
    part: Ints,
    away: Floats | None,
    weight: float,
    likelihood: Callable[[Floats, Floats], Likelihood],
    scores: Callable[[Floats], Floats],
) -> Ratings:
    """Return the ratings of a model: of games that weigh `weight`, with its `likelihood` of ratings and of
    what holds them, and its `scores`, the gradients of each opening's games. `away` is the direction in
    which the likelihood grows for ever, if there is one: a prior holds the ratings then.
    """
    count, gauge = len(names), gauge_of(part, len(names))
    notes = part_notes(part, names)
    precision = 0.0
    if away is not None:
        away, precision = centred(away), (ELO / PRIOR) ** 2
        notes.append(separation_note(away, names))
    hold = gauge + precision * np.eye(count)
    theta, top = maximum(lambda at: likelihood(at, hold), count, weight)
    gradients = scores(theta)
    covariance, flat = sandwich(top.information, gradients, gauge, away is not None)
    zero = np.eye(count) if away is None else around_known(part, np.abs(away) < AWAY)
    return replace(
        unrated(names, part),
        elo=zero @ theta * ELO,
        covariance=zero @ covariance @ zero.T * ELO**2,
        loglik=top.loglik,
        clusters=len(gradients),
        away=away,
        notes=notes + cluster_notes(len(gradients), flat),
    )


def unrated(names: Sequence[str], part: Ints) -> Ratings:
    """Return ratings without a game."""
    count = len(names)
    note = "no game between two entrants: nothing to rate"
    return Ratings(list(names), np.zeros(count), np.zeros((count, count)), part, notes=[note])


def around_known(part: Ints, known: NDArray[np.bool_]) -> Floats:
    """Return the matrix that puts the 0 of each part at the average of its `known` ratings, those to which
    the results set a limit: a rating that only a prior holds says nothing. A part with fewer than two
    stays as it is: a single one would be 0 for certain.
    """
    inside = (part[:, None] == part[None, :]) & known[None, :]
    counts = inside.sum(axis=1)[:, None]
    return np.eye(len(part)) - np.where(counts > 1, inside / np.maximum(counts, 1), 0.0)


def parts(pairs: Ints, count: int) -> Ints:
    """For each entrant the number of its part: those joined by a chain of games share it.

    `pairs`: one row for each two entrants that met.
    """
    part = np.arange(count)
    while True:
        least = np.minimum(part[pairs[:, 0]], part[pairs[:, 1]])
        joined = part.copy()
        np.minimum.at(joined, pairs[:, 0], least)
        np.minimum.at(joined, pairs[:, 1], least)
        if np.array_equal(joined, part):
            return np.unique(part, return_inverse=True)[1].astype(np.int64)
        part = joined


def gauge_of(part: Ints, size: int) -> Floats:
    """Return the gauge for `size` parameters of which the first are the ratings."""
    gauge = np.zeros((size, size))
    gauge[: len(part), : len(part)] = part[:, None] == part[None, :]
    return gauge


def maximum(
    likelihood: Callable[[Floats], Likelihood], size: int, weight: float
) -> tuple[Floats, Likelihood]:
    """Maximum of a concave likelihood of games that weigh `weight`, by Newton with halved steps.

    RuntimeError if the gradient does not vanish, which the concavity excludes.
    """
    theta = np.zeros(size)
    current = likelihood(theta)
    for _ in range(200):
        if float(np.max(np.abs(current.gradient))) < 1e-10 * (1 + weight):
            return theta, current
        step = np.linalg.solve(current.information, current.gradient)
        for _ in range(60):
            trial = likelihood(theta + step)
            if trial.value >= current.value - 1e-12 * abs(current.value):
                break
            step /= 2
        theta, current = theta + step, trial
    raise RuntimeError("the ratings did not converge")


def runaway(slacks: Floats) -> Floats | None:
    """Return the direction in which the likelihood grows for ever; None if it has a maximum.

    Along it no row of `slacks`, the lead of the observed over the possible results, may shrink; a
    linear programme looks for one in which some grow (Albert and Anderson 1984).
    """
    from scipy.optimize import linprog

    rows = np.unique(slacks, axis=0)
    # Each parameter comes as u - v with a slight cost, so that none moves without need.
    split = np.hstack([rows, -rows])
    gain = split.sum(axis=0) - 0.01
    solution = linprog(-gain, A_ub=-split, b_ub=np.zeros(len(split)), bounds=(0, 1))
    if solution.status != 0:
        raise RuntimeError("the check that the ratings exist failed")
    ahead, behind = np.split(np.asarray(solution.x, dtype=np.float64), 2)
    away: Floats = ahead - behind
    return away if float(np.max(rows @ away, initial=0.0)) > 1e-6 else None


def centred(ratings: Floats) -> Floats:
    """Return the direction in which ratings run away, 0 for the one in the middle."""
    return ratings - np.median(ratings)


def sandwich(
    information: Floats, scores: Floats, gauge: Floats, prior: bool
) -> tuple[Floats, bool]:
    """Covariance in natural units with each part's mean rating held at 0, from the `scores` (one
    row of gradients a cluster); and whether some comparison did not vary at all between clusters.

    There, and everywhere if clusters are few or the prior is at work, the sandwich misses variance
    that it had no chance to see: it is raised, where it lies below, to the inverse information.
    """
    clusters, size = scores.shape
    centring = np.eye(size) - gauge / np.maximum(1, gauge.sum(axis=1))[:, None]
    bread = centring @ np.linalg.inv(information)
    meat = scores.T @ scores * (clusters / max(1, clusters - 1))
    values, vectors = np.linalg.eigh(bread @ centring.T)
    known = values > 1e-12 * values[-1]
    vectors, root = vectors[:, known], np.sqrt(values[known])
    # In coordinates where the inverse information is the identity, the two compare axis by axis.
    into = (vectors / root).T @ bread
    ratios, axes = np.linalg.eigh(into @ meat @ into.T)
    flat = ratios < FLAT
    raised = np.maximum(ratios, 1.0) if clusters < FEW or prior else np.where(flat, 1.0, ratios)
    back = (vectors * root) @ axes
    return (back * raised) @ back.T, bool(np.any(flat))


def part_notes(part: Ints, names: Sequence[str]) -> list[str]:
    """Return notes that name the parts which cannot be compared, if there are several."""
    groups = [_list(names, part == number) for number in np.unique(part)]
    if len(groups) < 2:
        return []
    return [
        f"no chain of games connects all entrants: each of these parts is rated around 0 and "
        f"cannot be compared with the others: {'; '.join(groups)}"
    ]


def cluster_notes(clusters: int, flat: bool) -> list[str]:
    """Return notes on intervals from few openings, or from openings that all agree."""
    if clusters < FEW:
        known = f"only {clusters} openings" if clusters > 1 else "a single opening"
        return [f"{known}: the intervals are rough (Student t)"]
    if flat:
        return ["some results were the same at every opening; check how many games are distinct"]
    return []


def separation_note(ratings: Floats, names: Sequence[str]) -> str:
    """Return a note on the ratings without a limit, along the direction of `ratings`, as `centred`
    returns it.
    """
    open_ends = [
        f"how {word} {_list(names, chosen)} may be"
        for word, chosen in (("strong", ratings > AWAY), ("weak", ratings < -AWAY))
        if np.any(chosen)
    ]
    return (
        f"{NO_LIMIT} {', nor to '.join(open_ends)}: a weak prior, "
        f"normal "
        f"with deviation {PRIOR:.0f} Elo, keeps the ratings finite; read them as rough"
    )


def _list(names: Sequence[str], chosen: NDArray[np.bool_]) -> str:
    return ", ".join(name for name, wanted in zip(names, chosen, strict=True) if wanted)
