"""Ratings of many entrants of a two-player game from all their games at once.

Bradley-Terry with draws (Davidson 1970) and a first-player advantage (Davidson and Beaver 1977):
with d = (r_first - r_second + a) ln 10 / 800, the odds of first win : draw : second win are
e^d : nu : e^-d. Maximum likelihood by Newton; covariance by the sandwich clustered by opening.
Inside, ratings and advantage are in units of d ("natural"), and draws enter as ln nu.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog
from scipy.special import ndtr, ndtri, stdtr, stdtrit

ELO = 800 / math.log(10)
"""Elo in one natural unit."""

PRIOR = 600.0
"""Standard deviation, in Elo, of the prior used where the likelihood has no maximum."""

FEW = 30
"""Openings below which intervals use Student t."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Difference(NamedTuple):
    """Rating of one entrant less that of another, in Elo, with its 95 % interval, and the chance
    `los` that it is positive. All None if no chain of games joins the two.
    """

    elo: float | None
    low: float | None
    high: float | None
    los: float | None


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings in Elo, averaging 0 over each part of the graph of games.

    `part[i]` numbers the part of entrant i. `advantage` is worth that many Elo to the first player
    (None if the games cannot tell); `draws` is Davidson's nu, the odds of a draw to the geometric
    mean of both wins (0 if nothing was drawn). `notes` are sentences for the reader.
    """

    names: list[str]
    elo: Floats
    covariance: Floats
    part: Ints
    advantage: float | None = None
    advantage_interval: tuple[float, float] | None = None
    draws: float = 0.0
    loglik: float = 0.0
    clusters: int = 0
    notes: list[str] = field(default_factory=list)

    def interval(self, i: int) -> tuple[float, float] | None:
        """95 % interval of the rating of entrant i against the average of its part; None if it
        played nobody.
        """
        if np.count_nonzero(self.part == self.part[i]) < 2:
            return None
        half = self._wide() * math.sqrt(max(0.0, float(self.covariance[i, i])))
        return float(self.elo[i]) - half, float(self.elo[i]) + half

    def difference(self, i: int, j: int) -> Difference:
        """Rating of entrant i less that of entrant j, from its own contrast."""
        if i == j:
            return Difference(0.0, 0.0, 0.0, 0.5)
        if self.part[i] != self.part[j]:
            return Difference(None, None, None, None)
        gap, error = float(self.elo[i] - self.elo[j]), self._error(i, j)
        half = self._wide() * error
        return Difference(gap, gap - half, gap + half, self._below(gap / error))

    def _error(self, i: int, j: int) -> float:
        cov = self.covariance
        return math.sqrt(float(cov[i, i] + cov[j, j] - 2 * cov[i, j]))

    def _wide(self) -> float:
        return float(ndtri(0.975) if self.clusters >= FEW else stdtrit(self._freedom(), 0.975))

    def _below(self, z: float) -> float:
        return float(ndtr(z) if self.clusters >= FEW else stdtr(self._freedom(), z))

    def _freedom(self) -> int:
        return max(1, self.clusters - 1)


def ties_with_best(ratings: Ratings) -> list[bool]:
    """Which entrants cannot be told from the first of the table at 95 % (itself included).

    Two-sided tests of each contrast with the leader, by Bonferroni over all pairs of its part and
    not over these contrasts alone: the leader is picked after the fact, and Holm on its contrasts
    would single out some equal in a quarter of tables of 20. Unconnected entrants count as tied.
    """
    count = len(ratings.names)
    if count < 2:
        return [True] * count
    best = int(np.argmax(ratings.elo))
    joined = int(np.count_nonzero(ratings.part == ratings.part[best]))
    level = 0.025 / max(1, joined * (joined - 1) // 2)
    chances = [ratings.difference(best, j).los for j in range(count)]
    return [los is None or 1 - los > level for los in chances]


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
    part = _parts(games, count)
    empty = Ratings(list(names), np.zeros(count), np.zeros((count, count)), part)
    if not len(games):
        return replace(empty, notes=["no game between two entrants: nothing to rate"])
    model = _model(games, count, part)
    notes = _part_notes(part, names)
    if not model.advantage:
        notes.append("the first-player advantage cannot be told from the ratings: taken as 0")
    runaway = _separation(model)
    precision = 0.0 if runaway is None else (ELO / PRIOR) ** 2
    if runaway is not None:
        notes.append(_separation_note(runaway, model, names))
    theta, loglik = _maximum(model, precision)
    clusters = len(np.unique(games[:, 3]))
    covariance, flat = _covariance(model, games, theta, precision)
    if clusters < FEW:
        known = f"only {clusters} openings" if clusters > 1 else "a single opening"
        notes.append(f"{known}: the intervals, by Student t, are rough")
    elif flat:
        notes.append("some results were the same at every opening: count the distinct games")
    ratings = replace(
        empty,
        elo=theta[:count] * ELO,
        covariance=covariance[:count, :count] * ELO**2,
        draws=math.exp(theta[-1]) if model.drawn else 0.0,
        loglik=loglik,
        clusters=clusters,
        notes=notes,
    )
    if not model.advantage:
        return ratings
    value = float(theta[count]) * ELO
    half = ratings._wide() * math.sqrt(float(covariance[count, count])) * ELO
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


def _parts(games: Ints, count: int) -> Ints:
    """For each entrant the number of its part: those joined by a chain of games share it."""
    part = np.arange(count)
    pairs = np.unique(games[:, :2], axis=0)
    while True:
        least = np.minimum(part[pairs[:, 0]], part[pairs[:, 1]])
        joined = part.copy()
        np.minimum.at(joined, pairs[:, 0], least)
        np.minimum.at(joined, pairs[:, 1], least)
        if np.array_equal(joined, part):
            return np.unique(part, return_inverse=True)[1].astype(np.int64)
        part = joined


def _model(games: Ints, count: int, part: Ints) -> _Model:
    cells, weight = np.unique(games[:, :3], axis=0, return_counts=True)
    rows = np.arange(len(cells))
    design = np.zeros((len(cells), count + 1))
    design[rows, cells[:, 0]] = 1
    design[rows, cells[:, 1]] = -1
    design[:, count] = 1
    rank = np.linalg.matrix_rank(design.T @ design, hermitian=True)
    advantage = bool(rank > count - len(np.unique(part)))
    drawn = bool(np.any(cells[:, 2] == 0))
    design = np.hstack([design[:, : count + advantage], np.zeros((len(cells), int(drawn)))])
    gauge = np.zeros((design.shape[1], design.shape[1]))
    gauge[:count, :count] = part[:, None] == part[None, :]
    return _Model(design, cells[:, 2], weight.astype(np.float64), gauge, count, advantage, drawn)


def _chances(gap: Floats, log_draws: float) -> tuple[Floats, Floats, Floats]:
    """Logarithms of the chances of first win, draw and second win where d is `gap`."""
    norm = np.logaddexp(np.logaddexp(gap, -gap), log_draws)
    return gap - norm, log_draws - norm, -gap - norm


def _maximum(model: _Model, precision: float) -> tuple[Floats, float]:
    """Maximum of the likelihood, by Newton with halved steps, and its logarithm (without prior).

    `precision` is that of the prior on every parameter (0: none). RuntimeError if the gradient
    does not vanish, which the concavity of the logarithm excludes.
    """
    theta = np.zeros(model.design.shape[1])
    value, loglik, gradient, information = _likelihood(model, theta, precision)
    for _ in range(200):
        if float(np.max(np.abs(gradient))) < 1e-10 * (1 + float(model.weight.sum())):
            return theta, loglik
        step = np.linalg.solve(information, gradient)
        for _ in range(60):
            trial = _likelihood(model, theta + step, precision)
            if trial[0] >= value - 1e-12 * abs(value):
                break
            step /= 2
        theta = theta + step
        value, loglik, gradient, information = trial
    raise RuntimeError("the ratings did not converge")


def _likelihood(
    model: _Model, theta: Floats, precision: float
) -> tuple[float, float, Floats, Floats]:
    """Objective (likelihood, gauge and prior), log-likelihood, gradient and information."""
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
    hold = model.gauge + precision * np.eye(len(theta))
    value = loglik - float(theta @ hold @ theta) / 2
    return value, loglik, gradient - hold @ theta, information + hold


def _separation(model: _Model) -> Floats | None:
    """Direction in which the likelihood grows for ever, or None if it has a maximum.

    Along a direction every observed outcome must keep its odds against both others or better them;
    a linear programme looks for one that betters some (Albert and Anderson 1984).
    """
    sign = model.outcome[:, None]
    draws = np.zeros_like(model.design)
    draws[:, -1] = float(model.drawn)
    decided, level = sign[:, 0] != 0, sign[:, 0] == 0
    toward = (sign * model.design)[decided]
    rows = [toward, (toward - draws[decided]) if model.drawn else toward[:0]]
    rows += [(draws - model.design)[level], (draws + model.design)[level]]
    slacks = np.unique(np.vstack(rows), axis=0)
    # Each parameter comes as u - v with a slight cost, so that none moves without need.
    split = np.hstack([slacks, -slacks])
    gain = split.sum(axis=0) - 0.01
    found = linprog(-gain, A_ub=-split, b_ub=np.zeros(len(split)), bounds=(0, 1))
    if found.status != 0:
        raise RuntimeError("the check that the ratings exist failed")
    ahead, behind = np.split(np.asarray(found.x, dtype=np.float64), 2)
    away: Floats = ahead - behind
    return away if float(np.max(slacks @ away, initial=0.0)) > 1e-6 else None


def _covariance(model: _Model, games: Ints, theta: Floats, precision: float) -> tuple[Floats, bool]:
    """Sandwich clustered by opening, in natural units, with each part's mean rating held at 0; and
    whether some comparison did not vary at all between openings.

    There, and everywhere if openings are few or the prior is at work, the sandwich misses variance
    that it had no chance to see: it is raised, where it lies below, to the inverse information.
    """
    count, size = model.count, len(theta)
    labels, opening = np.unique(games[:, 3], return_inverse=True)
    first, second, outcome = games[:, 0], games[:, 1], games[:, 2]
    gap = theta[first] - theta[second] + (theta[count] if model.advantage else 0.0)
    win, draw, loss = np.exp(_chances(gap, float(theta[-1]) if model.drawn else -np.inf))
    rest = outcome - (win - loss)
    scores = np.zeros((len(labels), size))
    np.add.at(scores, (opening, first), rest)
    np.add.at(scores, (opening, second), -rest)
    if model.advantage:
        scores[:, count] = np.bincount(opening, rest)
    if model.drawn:
        scores[:, -1] = np.bincount(opening, (outcome == 0) - draw)
    clusters = len(labels)
    centred = np.eye(size) - model.gauge / np.maximum(1, model.gauge.sum(axis=1))[:, None]
    bread = centred @ np.linalg.inv(_likelihood(model, theta, precision)[3])
    correction = clusters / max(1, clusters - 1)
    meat = scores.T @ scores * correction
    values, vectors = np.linalg.eigh(bread @ centred.T)
    known = values > 1e-12 * values[-1]
    vectors, root = vectors[:, known], np.sqrt(values[known])
    # In coordinates where the inverse information is the identity, the two compare axis by axis.
    into = (vectors / root).T @ bread
    ratios, axes = np.linalg.eigh(into @ meat @ into.T)
    flat = ratios < 1e-6
    raised = np.maximum(ratios, 1.0) if clusters < FEW or precision else np.where(flat, 1.0, ratios)
    back = (vectors * root) @ axes
    return (back * raised) @ back.T, bool(np.any(flat))


def _part_notes(part: Ints, names: Sequence[str]) -> list[str]:
    groups = [_list(names, part == number) for number in np.unique(part)]
    if len(groups) < 2:
        return []
    return [
        "the games do not join all the entrants: each of these parts is rated around 0 and cannot "
        f"be compared with the others: {'; '.join(groups)}"
    ]


def _separation_note(runaway: Floats, model: _Model, names: Sequence[str]) -> str:
    """What the results leave without a limit, in words."""
    ratings = runaway[: model.count]
    ratings = ratings - np.median(ratings)
    open_ends = [
        f"how {word} {_list(names, chosen)} may be"
        for word, chosen in (("strong", ratings > 1e-6), ("weak", ratings < -1e-6))
        if np.any(chosen)
    ]
    if model.advantage and abs(runaway[model.count]) > 1e-6:
        open_ends.append("the first-player advantage")
    if model.drawn and abs(runaway[-1]) > 1e-6:
        open_ends.append("how often games are drawn")
    return (
        f"the results set no limit to {', nor to '.join(open_ends)}: a weak prior, normal with "
        f"deviation {PRIOR:.0f} Elo, keeps the ratings finite; read them as rough"
    )


def _list(names: Sequence[str], chosen: NDArray[np.bool_]) -> str:
    return ", ".join(name for name, wanted in zip(names, chosen, strict=True) if wanted)
