"""Ratings of the entrants of a two-player game.

Bradley-Terry with draws (Davidson 1970) and a first-player advantage (Davidson and Beaver 1977):
with d = (r_first - r_second + a) ln 10 / 800, the odds of first win : draw : second win are
e^d : nu : e^-d. Maximum likelihood by Newton; covariance by the sandwich clustered by opening.
Inside, ratings and advantage are in units of d ("natural"), and draws enter as ln nu.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

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

ELO = 800 / math.log(10)
"""Elo in one natural unit."""


def davidson(
    first: ArrayLike,
    second: ArrayLike,
    result: ArrayLike,
    cluster: ArrayLike,
    names: Sequence[str],
) -> Ratings:
    """Ratings from games: `first` and `second` are indexes in `names`, `result` is 1, 1/2 or 0 for
    the first player, `cluster` the opening. ValueError on anything else; never a nan.
    """
    games = _read(first, second, result, cluster, len(names))
    count = len(names)
    part = parts(distinct_rows(games[:, :2], count)[0], count)
    empty = Ratings(list(names), np.zeros(count), np.zeros((count, count)), part)
    if not len(games):
        return replace(empty, notes=["no game between two entrants: nothing to rate"])
    model = _model(games, count, part)
    notes = part_notes(part, names)
    if not model.advantage:
        notes.append(
            "the first-player advantage cannot be separated from the ratings and is taken as 0"
        )
    away = runaway(_slacks(model))
    precision = 0.0 if away is None else (ELO / PRIOR) ** 2
    open_ = None if away is None else centred(away[:count])
    if away is not None and open_ is not None:
        notes.append(separation_note(open_, names, _open_ends(away, model)))
    theta, likelihood = maximum(
        lambda at: _likelihood(model, at, precision), model.size, float(model.weight.sum())
    )
    scores = _scores(model, games, theta)
    covariance, flat = sandwich(likelihood.information, scores, model.gauge, away is not None)
    ratings = replace(
        empty,
        elo=theta[:count] * ELO,
        covariance=covariance[:count, :count] * ELO**2,
        draws=math.exp(theta[-1]) if model.drawn else 0.0,
        loglik=likelihood.loglik,
        clusters=len(scores),
        away=open_,
        notes=notes + cluster_notes(len(scores), flat),
    )
    if not model.advantage:
        return ratings
    value = float(theta[count]) * ELO
    half = ratings.wide() * math.sqrt(float(covariance[count, count])) * ELO
    return replace(ratings, advantage=value, advantage_interval=(value - half, value + half))


@dataclass(frozen=True, eq=False)
class _Model:
    """Games gathered by (first, second, outcome): how often, `outcome` 1, 0 or -1 for the first.

    Row k of `design` gives d of cell k from the parameters: ratings, then the advantage if it is
    fitted, then ln nu (0 in `design`) if games were drawn. `gauge` holds each part's mean at 0.
    """

    design: Floats
    outcome: Ints
    weight: Floats
    gauge: Floats
    count: int
    advantage: bool
    drawn: bool

    @property
    def size(self) -> int:
        """Number of parameters."""
        return int(self.design.shape[1])


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
    cells, weight = distinct_rows(games[:, :3] + np.array([0, 0, 1]), max(count, 3))
    cells[:, 2] -= 1
    rows = np.arange(len(cells))
    design = np.zeros((len(cells), count + 1))
    design[rows, cells[:, 0]] = 1
    design[rows, cells[:, 1]] = -1
    design[:, count] = 1
    rank = np.linalg.matrix_rank(design.T @ design, hermitian=True)
    advantage = bool(rank > count - len(np.unique(part)))
    drawn = bool(np.any(cells[:, 2] == 0))
    design = np.hstack([design[:, : count + advantage], np.zeros((len(cells), int(drawn)))])
    gauge = gauge_of(part, design.shape[1])
    return _Model(design, cells[:, 2], weight.astype(np.float64), gauge, count, advantage, drawn)


def _chances(gap: Floats, log_draws: float) -> tuple[Floats, Floats, Floats]:
    """Logarithms of the chances of first win, draw and second win where d is `gap`."""
    norm = np.logaddexp(np.logaddexp(gap, -gap), log_draws)
    return gap - norm, log_draws - norm, -gap - norm


def _likelihood(model: _Model, theta: Floats, precision: float) -> Likelihood:
    """Likelihood at `theta`; `precision` is that of the prior on every parameter (0: none)."""
    design, outcome, weight = model.design, model.outcome, model.weight
    log_draws = float(theta[-1]) if model.drawn else -np.inf
    logs = _chances(design @ theta, log_draws)
    win, draw, loss = (np.exp(one) for one in logs)
    loglik = float(weight @ np.choose(1 - outcome, logs))
    pull = win - loss
    gradient = design.T @ (weight * (outcome - pull))
    information = design.T @ ((weight * (win + loss - pull**2))[:, None] * design)
    if model.drawn:
        gradient[-1] += weight @ ((outcome == 0) - draw)
        cross = -design.T @ (weight * draw * pull)
        information[-1] += cross
        information[:, -1] += cross
        information[-1, -1] += weight @ (draw * (1 - draw))
    hold = model.gauge + precision * np.eye(model.size)
    return held(loglik, gradient, information, theta, hold)


def _slacks(model: _Model) -> Floats:
    """Lead of every observed outcome over both others, as rows over the parameters."""
    sign = model.outcome[:, None]
    draws = np.zeros_like(model.design)
    draws[:, -1] = float(model.drawn)
    decided, level = sign[:, 0] != 0, sign[:, 0] == 0
    toward = (sign * model.design)[decided]
    rows = [toward, (toward - draws[decided]) if model.drawn else toward[:0]]
    rows += [(draws - model.design)[level], (draws + model.design)[level]]
    return np.vstack(rows)


def _open_ends(away: Floats, model: _Model) -> list[str]:
    """Return the parameters besides ratings to which the results set no limit."""
    ends = []
    if model.advantage and abs(away[model.count]) > 1e-6:
        ends.append("the first-player advantage")
    if model.drawn and abs(away[-1]) > 1e-6:
        ends.append("how often games are drawn")
    return ends


def _scores(model: _Model, games: Ints, theta: Floats) -> Floats:
    """Gradient of the log-likelihood of each opening's games, a row each."""
    count = model.count
    labels, opening = np.unique(games[:, 3], return_inverse=True)
    first, second, outcome = games[:, 0], games[:, 1], games[:, 2]
    gap = theta[first] - theta[second] + (theta[count] if model.advantage else 0.0)
    win, draw, loss = np.exp(_chances(gap, float(theta[-1]) if model.drawn else -np.inf))
    rest = outcome - (win - loss)
    scores = np.zeros((len(labels), model.size))
    np.add.at(scores, (opening, first), rest)
    np.add.at(scores, (opening, second), -rest)
    if model.advantage:
        scores[:, count] = np.bincount(opening, rest)
    if model.drawn:
        scores[:, -1] = np.bincount(opening, (outcome == 0) - draw)
    return scores
