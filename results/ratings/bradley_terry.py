"""Ratings of the entrants of a two-player game, by Bradley and Terry's model of scores.

The expected score of one entrant against another is 1 / (1 + 10^(-(r - s) / 400)), whoever begins: a draw
is half a win, so that two entrants alone differ by the Elo of their score, and ratings are read alike
wherever they stand. (Davidson's model of draws and of the first move has a wider scale where many games
are drawn, and another one in every study.) Maximum likelihood by Newton; covariance by the sandwich
clustered by opening, which knows of draws and of games with exchanged seats. Inside, ratings are in
units of ln 10 / 400 Elo ("natural").
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, log_expit

from joute.results.ratings.fitting import (
    Likelihood,
    centred,
    cluster_notes,
    gauge_of,
    held,
    maximum,
    part_notes,
    parts,
    runaway,
    sandwich,
    separation_note,
)
from joute.results.ratings.ratings import PRIOR, Floats, Ints, Ratings

ELO = 400 / math.log(10)
"""Elo in one natural unit."""


def bradley_terry(
    first: ArrayLike,
    second: ArrayLike,
    result: ArrayLike,
    cluster: ArrayLike,
    names: Sequence[str],
) -> Ratings:
    """Ratings from games: `first` and `second` are indexes in `names`, `result` is 1, 1/2 or 0 for
    the first, `cluster` the opening. ValueError on anything else; never a nan.
    """
    games = _read(first, second, result, cluster, len(names))
    count = len(names)
    part = parts(distinct_rows(games[:, :2], count)[0], count)
    empty = Ratings(list(names), np.zeros(count), np.zeros((count, count)), part)
    if not len(games):
        return replace(empty, notes=["no game between two entrants: nothing to rate"])
    model = _model(games, count, part)
    notes = part_notes(part, names)
    away = runaway(model.design)
    precision = 0.0 if away is None else (ELO / PRIOR) ** 2
    open_ = None if away is None else centred(away)
    if open_ is not None:
        notes.append(separation_note(open_, names))
    theta, likelihood = maximum(
        lambda at: _likelihood(model, at, precision), count, float(model.weight.sum())
    )
    scores = _scores(games, theta)
    covariance, flat = sandwich(likelihood.information, scores, model.gauge, away is not None)
    return replace(
        empty,
        elo=theta * ELO,
        covariance=covariance * ELO**2,
        loglik=likelihood.loglik,
        clusters=len(scores),
        away=open_,
        notes=notes + cluster_notes(len(scores), flat),
    )


@dataclass(frozen=True, eq=False)
class _Model:
    """Wins, gathered by who won against whom: row k of `design` is 1 for the winner and -1 for the loser,
    `weight` says how often; a draw is half a win of each. `gauge` holds each part's mean at 0.
    """

    design: Floats
    weight: Floats
    gauge: Floats


def _read(
    first: ArrayLike, second: ArrayLike, result: ArrayLike, cluster: ArrayLike, count: int
) -> Ints:
    """Games as rows (first, second, outcome 1, 0 or -1, cluster); ValueError if they make none."""
    columns = [np.asarray(one) for one in (first, second, result, cluster)]
    if any(one.ndim != 1 or one.shape != columns[0].shape for one in columns):
        raise ValueError("first, second, result and cluster are lists of equal length")
    if not np.all(np.isin(columns[2], (0, 0.5, 1))):
        raise ValueError("the result of a game is 1, 0.5 or 0 for the first player")
    columns[2] = 2 * columns[2] - 1
    games = np.stack([one.astype(np.int64) for one in columns], axis=1)
    if np.any(games[:, :2] < 0) or np.any(games[:, :2] >= count):
        raise ValueError(f"players are numbered from 0 to {count - 1}")
    if np.any(games[:, 0] == games[:, 1]):
        raise ValueError("an entrant cannot be rated on games against itself")
    return games


def distinct_rows(rows: Ints, count: int) -> tuple[Ints, Ints]:
    """Return the different rows of numbers from 0 to below `count`, in order, and how often each is
    there: `numpy.unique` takes its time over many rows.
    """
    key = np.zeros(len(rows), np.int64)
    for column in rows.T:
        key = key * count + column
    keys, often = np.unique(key, return_counts=True)
    columns = [keys // count**k % count for k in reversed(range(rows.shape[1]))]
    return np.stack(columns, axis=1), often


def _model(games: Ints, count: int, part: Ints) -> _Model:
    cells, often = distinct_rows(games[:, :3] + np.array([0, 0, 1]), max(count, 3))
    wins = np.zeros((count, count))  # of a row's entrant against a column's
    share = cells[:, 2] / 2
    np.add.at(wins, (cells[:, 0], cells[:, 1]), share * often)
    np.add.at(wins, (cells[:, 1], cells[:, 0]), (1 - share) * often)
    winner, loser = np.nonzero(wins)
    design = np.eye(count)[winner] - np.eye(count)[loser]
    return _Model(design, wins[winner, loser], gauge_of(part, count))


def _likelihood(model: _Model, theta: Floats, precision: float) -> Likelihood:
    """Likelihood at `theta`; `precision` is that of the prior on every rating (0: none)."""
    design, weight = model.design, model.weight
    gap = design @ theta
    rest = expit(-gap)  # the loser's expected score
    loglik = float(weight @ log_expit(gap))
    gradient = design.T @ (weight * rest)
    information = design.T @ ((weight * rest * (1 - rest))[:, None] * design)
    hold = model.gauge + precision * np.eye(len(theta))
    return held(loglik, gradient, information, theta, hold)


def _scores(games: Ints, theta: Floats) -> Floats:
    """Gradient of the log-likelihood of each opening's games, a row each."""
    labels, opening = np.unique(games[:, 3], return_inverse=True)
    first, second = games[:, 0], games[:, 1]
    rest = (games[:, 2] + 1) / 2 - expit(theta[first] - theta[second])
    scores = np.zeros((len(labels), len(theta)))
    np.add.at(scores, (opening, first), rest)
    np.add.at(scores, (opening, second), -rest)
    return scores
