"""Ratings of the entrants of a two-player game, by Bradley and Terry's model of scores.

The expected score of one entrant against another is 1 / (1 + 10^(-(r - s) / 400)), whoever begins: a draw
is half a win, so that two entrants alone differ by the Elo of their score, and ratings are read alike
wherever they stand. (Davidson's model of draws and of the first move has a wider scale where many games
are drawn, and another one in every study.) Maximum likelihood by Newton; covariance by the sandwich
clustered by opening, which knows of draws and of games with exchanged seats. Inside, ratings are in
units of ln 10 / 400 Elo ("natural").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, log_expit

from joute.results.ratings.fitting import Likelihood, fitted, held, parts, runaway, unrated
from joute.results.ratings.ratings import Floats, Ints, Ratings


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
    if not len(games):
        return unrated(names, part)
    model = _model(games, count)
    return fitted(
        names,
        part,
        runaway(model.design),
        float(model.weight.sum()),
        lambda theta, hold: _likelihood(model, theta, hold),
        lambda theta: _scores(games, theta),
    )


@dataclass(frozen=True, eq=False)
class _Model:
    """Wins, gathered by who won against whom: row k of `design` is 1 for the winner and -1 for the loser,
    `weight` says how often; a draw is half a win of each.
    """

    design: Floats
    weight: Floats


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


def _model(games: Ints, count: int) -> _Model:
    cells, often = distinct_rows(games[:, :3] + np.array([0, 0, 1]), max(count, 3))
    wins = np.zeros((count, count))  # of a row's entrant against a column's
    share = cells[:, 2] / 2
    np.add.at(wins, (cells[:, 0], cells[:, 1]), share * often)
    np.add.at(wins, (cells[:, 1], cells[:, 0]), (1 - share) * often)
    winner, loser = np.nonzero(wins)
    design = np.eye(count)[winner] - np.eye(count)[loser]
    return _Model(design, wins[winner, loser])


def _likelihood(model: _Model, theta: Floats, hold: Floats) -> Likelihood:
    """Likelihood at `theta`; `hold` is the quadratic form of gauge and prior."""
    design, weight = model.design, model.weight
    gap = design @ theta
    rest = expit(-gap)  # the loser's expected score
    loglik = float(weight @ log_expit(gap))
    gradient = design.T @ (weight * rest)
    information = design.T @ ((weight * rest * (1 - rest))[:, None] * design)
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
