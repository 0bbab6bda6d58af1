"""Ratings of the entrants of a game with any number of players, two to four in practice.

Plackett-Luce (Plackett 1975, Luce 1959): the order in which a game's players finish is that in
which they would be drawn one by one, each time with odds e^r of those that are left. Elo is
400 / ln 10 times r, so that with two players this is plain Bradley-Terry.

Ties are averaged: a game counts with the mean of the log-likelihoods of all orders that agree with
its ranks. Two players who draw then give half a win to each, as in chess; the ratings found are
those that breaking every tie at random would give on average, without its noise. It is the mean of
the logarithms and not the logarithm of the mean (Kalbfleisch and Prentice 1973, for survival
times), under which a draw between two would say nothing at all. It is no likelihood of ties, so the
inverse information is not the variance; the sandwich, clustered by opening, is.

There is no term for the seat. A block seats everyone everywhere equally often, so that a good seat
favours nobody; what it leaves is that ratings differ a little less than they would without it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from joute.results.ratings.fitting import Likelihood, fitted, held, parts, runaway, unrated
from joute.results.ratings.ratings import Floats, Ints, Ratings

NOBODY = -1


def plackett_luce(
    players: ArrayLike, ranks: ArrayLike, cluster: ArrayLike, names: Sequence[str]
) -> Ratings:
    """Ratings from games, a row each: `players` holds indexes in `names`, one a seat (copies of an
    entrant may meet), `ranks` says who came before whom (lower is better, equal is a tie), `cluster`
    the opening. ValueError on anything else; never a nan.
    """
    entrants, order, opening = _read(players, ranks, cluster, len(names))
    count = len(names)
    choices = _choices(entrants, order)
    over = choices.pairs()
    part = parts(over, count)
    if not len(over):
        return unrated(names, part)
    gathered = choices.gathered()
    known = np.unique(opening[np.array([len(set(row)) > 1 for row in entrants])])
    return fitted(
        names,
        part,
        _away(over, part),
        float(choices.weight.sum()),
        lambda theta, hold: _likelihood(gathered, theta, hold),
        lambda theta: _scores(choices, theta, opening)[known],
    )


@dataclass(frozen=True, eq=False)
class _Choices:
    """Draws of one entrant from those left: a row each, weighted by its share of the orders.

    `members` are the entrants left, filled up with NOBODY; `share` is the chance of each to be the
    one drawn, over the orders that agree with the ranks; `game` is the row of the game.
    """

    members: Ints
    share: Floats
    weight: Floats
    game: Ints

    def pairs(self) -> Ints:
        """Return the entrants (one, other) such that one was drawn while another was left."""
        pairs = [
            np.stack([self.members[at, i], self.members[at, j]], axis=1)
            for i in range(self.members.shape[1])
            for j in range(self.members.shape[1])
            for at in [(self.share[:, i] > 0) & (self.members[:, j] != NOBODY)]
        ]
        rows: Ints = np.unique(np.concatenate(pairs), axis=0).astype(np.int64)
        apart: Ints = rows[rows[:, 0] != rows[:, 1]]
        return apart

    def gathered(self) -> _Choices:
        """Return equal sets of members as one row, their shares summed: the likelihood's view."""
        order = np.argsort(-self.members, axis=1)
        members = np.take_along_axis(self.members, order, 1)
        shares = np.take_along_axis(self.share, order, 1) * self.weight[:, None]
        rows, which = np.unique(members, axis=0, return_inverse=True)
        weight = np.bincount(which, self.weight)
        share = np.zeros(rows.shape)
        np.add.at(share, which, shares)
        return _Choices(rows, share / weight[:, None], weight.astype(np.float64), which)


def _read(
    players: ArrayLike, ranks: ArrayLike, cluster: ArrayLike, count: int
) -> tuple[Ints, Floats, Ints]:
    """Players, ranks and openings (numbered from 0) of the games; ValueError if they make none."""
    entrants, order = np.asarray(players), np.asarray(ranks, dtype=np.float64)
    opening = np.asarray(cluster)
    if not len(entrants):
        entrants = order = np.zeros((0, 2))
    if entrants.ndim != 2 or entrants.shape != order.shape or opening.shape != entrants.shape[:1]:
        raise ValueError("players and ranks are tables of equal shape, with a cluster for each row")
    if not np.all(np.isfinite(order)):
        raise ValueError("ranks are numbers")
    entrants = entrants.astype(np.int64)
    if np.any(entrants < 0) or np.any(entrants >= count):
        raise ValueError(f"players are numbered from 0 to {count - 1}")
    return entrants, order, np.unique(opening, return_inverse=True)[1].astype(np.int64)


def _choices(entrants: Ints, order: Floats) -> _Choices:
    """Return the choices of all games. Where m tie, each subset of t of them is left once, with all
    behind, in one of C(m, t) of the orders; each of the t is equally likely to be drawn.
    """
    seats = entrants.shape[1]
    members, share, weight, game = [], [], [], []
    dense = np.array([np.unique(row, return_inverse=True)[1] for row in order], dtype=np.int64)
    patterns, which = np.unique(dense.reshape(len(entrants), seats), axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        rows = np.flatnonzero(which == number)
        for tied, behind, odds in _draws(pattern.tolist()):
            left = np.full((len(rows), seats), NOBODY, dtype=np.int64)
            left[:, : len(tied) + len(behind)] = entrants[rows][:, [*tied, *behind]]
            drawn = np.zeros((len(rows), seats))
            drawn[:, : len(tied)] = 1 / len(tied)
            members.append(left)
            share.append(drawn)
            weight.append(np.full(len(rows), odds))
            game.append(rows)
    if not members:
        none = np.zeros((0, seats), np.int64)
        return _Choices(none, none.astype(float), np.zeros(0), np.zeros(0, np.int64))
    return _Choices(
        np.concatenate(members), np.concatenate(share), np.concatenate(weight), np.concatenate(game)
    )


def _draws(pattern: list[int]) -> list[tuple[tuple[int, ...], tuple[int, ...], float]]:
    """For the places of one game, from 0: seats of which one is drawn, seats behind them, weight."""
    draws = []
    for place in sorted(set(pattern)):
        level = [seat for seat, rank in enumerate(pattern) if rank == place]
        behind = tuple(seat for seat, rank in enumerate(pattern) if rank > place)
        for size in range(1, len(level) + 1):
            if size + len(behind) < 2:
                continue
            weight = 1 / math.comb(len(level), size)
            draws += [(tied, behind, weight) for tied in combinations(level, size)]
    return draws


def _away(over: Ints, part: Ints) -> Floats | None:
    """Direction in which the likelihood grows for ever, or None if it has a maximum: in each part
    everyone must have come before everyone else, at least round some corners (Ford 1957).
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = len(part)
    graph = coo_array((np.ones(len(over)), (over[:, 0], over[:, 1])), shape=(count, count))
    strong, _ = connected_components(graph, directed=True, connection="strong")
    if strong == len(np.unique(part)):
        return None
    rows = np.zeros((len(over), count))
    rows[np.arange(len(over)), over[:, 0]] = 1
    rows[np.arange(len(over)), over[:, 1]] = -1
    return runaway(rows)


def _odds(members: Ints, theta: Floats) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Strength of each member, chance of each to be drawn, and where there is a member."""
    there = members != NOBODY
    strength = np.where(there, theta[members], -np.inf)
    top = strength.max(axis=1, keepdims=True)
    odds = np.exp(strength - top)
    return strength, odds / odds.sum(axis=1, keepdims=True), there


def _likelihood(choices: _Choices, theta: Floats, hold: Floats) -> Likelihood:
    """Likelihood at `theta`; `hold` is the quadratic form of gauge and prior."""
    members, share, weight = choices.members, choices.share, choices.weight
    strength, chance, there = _odds(members, theta)
    top = np.where(there, strength, 0.0)
    norm = np.log(np.exp(strength - strength.max(axis=1, keepdims=True)).sum(axis=1))
    norm += strength.max(axis=1)
    loglik = float(weight @ ((share * top).sum(axis=1) - norm))
    count = len(theta)
    gradient = np.zeros(count)
    np.add.at(gradient, members[there], (weight[:, None] * (share - chance))[there])
    information = np.zeros((count, count))
    mass = weight[:, None] * chance
    np.add.at(information, (members[there], members[there]), mass[there])
    across = mass[:, :, None] * chance[:, None, :]
    both = there[:, :, None] & there[:, None, :]
    one, other = np.broadcast_arrays(members[:, :, None], members[:, None, :])
    np.add.at(information, (one[both], other[both]), -across[both])
    return held(loglik, gradient, information, theta, hold)


def _scores(choices: _Choices, theta: Floats, opening: Ints) -> Floats:
    """Gradient of the log-likelihood of each opening's games, a row each."""
    _, chance, there = _odds(choices.members, theta)
    rest = choices.weight[:, None] * (choices.share - chance)
    where = np.broadcast_to(opening[choices.game][:, None], there.shape)
    scores = np.zeros((int(opening.max()) + 1, len(theta)))
    np.add.at(scores, (where[there], choices.members[there]), rest[there])
    return scores
