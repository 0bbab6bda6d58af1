"""Adaptive pairings: games go where they tell most about who is first.

Everybody plays some blocks first, and always half as many as the average, against those whom it has met
least. The others go to whoever may be first: each to the pair that shrinks most the variance of the
differences to the first so far, weighted by each engine's chance to be stronger. (Where opponents for the
first blocks were chosen by results as well, ratings of few games were stretched, and intervals false.)

The schedule is planned part by part, each from the results of all parts but the one before it, which may
still be played: so no worker waits, and a plan does not depend on which game ends first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from joute.engines.kernels.random import seed_of, stream
from joute.harness.schedule import Table, seatings, seatings_of, shuffled

Floats = NDArray[np.float64]
Places = list[int]

START, FLOOR = 6, 0.5  # blocks that everybody plays first, and later as a share of the average
PRIOR = 2.0  # standard deviation of strengths before any game, in log-odds (350 Elo)
LEAST, SHARE = 8, 8  # blocks of a part: so many, or one for so many of those so far, or a round
LEADERS = 40  # most engines among which the first is looked for
STEPS, CLOSE = 50, 1e-9  # of Newton's method: most of them, and the change that ends it
DIGITS = 9  # of what a meeting tells: those equal but for rounding are told apart by the seed


def blocks_in_all(entrants: int, players: int, blocks: int) -> int:
    """Return how many blocks are played where each entrant plays so many on average; none where there
    are fewer entrants than seats.
    """
    return -(-entrants * blocks // players) if entrants >= players else 0


class Pairings:
    """The pairings of entrants (ids of engines, in any order), `players` at a table, `blocks` each on
    average.

    `most`: how often one table can meet; None: any number of times.
    """

    def __init__(
        self, entrants: Sequence[str], players: int, blocks: int, seed: int, most: int | None = None
    ) -> None:
        self.total = blocks_in_all(len(entrants), players, blocks)
        self.planned = 0  # blocks so far
        self._names, self._players, self._seed, self._most = sorted(entrants), players, seed, most
        self._at = {name: i for i, name in enumerate(self._names)}
        count = len(entrants)
        self._points, self._games = np.zeros((count, count)), np.zeros((count, count))
        self._met, self._blocks = np.zeros((count, count)), np.zeros(count, np.int64)
        self._tables = Counter[Table]()

    def take(self, table: Table) -> int:
        """Note a table that meets for a block; return how often it had met before."""
        places = [self._at[name] for name in table]
        key = tuple(sorted(table))
        before, self._tables[key] = self._tables[key], self._tables[key] + 1
        for one, other in permutations(places, 2):
            self._met[one, other] += 1
        self._blocks[places] += 1
        self.planned += 1
        return before

    def learn(self, table: Table, seating: int, returns: Sequence[float]) -> None:
        """Take a finished game: its returns by seat."""
        seats = [self._at[table[i]] for i in seatings_of(table)[seating]]
        for i, j in permutations(range(len(seats)), 2):
            ahead = 0.5 if returns[i] == returns[j] else float(returns[i] > returns[j])
            self._points[seats[i], seats[j]] += ahead
            self._games[seats[i], seats[j]] += 1

    def can_meet(self, table: Table) -> bool:
        """Whether a table is one of this field."""
        return len({*table}) == self._players == len(table) and {*table} <= {*self._names}

    def next_part(self) -> list[Table]:
        """Return the tables of the next part, which are to be taken in this order, or as many of them as
        are to be played: no plan depends on that. None at the end.
        """
        if self.planned >= self.total:
            return []
        size = max(LEAST, self.planned // SHARE, len(self._names) // self._players)
        ahead = deepcopy(self)
        each = len(seatings(self._players))
        chooser = Chooser(*believed(self._points, self._games), each)
        part: list[Table] = []
        while len(part) < size and (places := ahead._choice(chooser)):
            part.append(tuple(self._names[i] for i in sorted(places)))
            ahead.take(part[-1])
            chooser.assume(places)
        return part

    def _choice(self, chooser: Chooser) -> Places:
        """Return who meets next; nobody where nobody can."""
        order = shuffled(len(self._names), stream(seed_of("adaptive", self._seed, self.planned)))
        least = min(order, key=self._blocks.__getitem__)
        average = self.planned * self._players / len(self._names)
        if self._blocks[least] < max(START, FLOOR * average):
            starts = [[least, i] for i in self._strangers([least], order)]
            ranked = self._strangers
        else:
            starts, ranked = chooser.pairs(order), chooser.beside
        for places in starts:
            while len(places) < self._players:
                places.append(ranked(places, order)[0])
            if self._most is None or self._tables[self._key(places)] < self._most:
                return places
        return []

    def _strangers(self, places: Places, order: Places) -> Places:
        """Return the others, first those that these have met least, then who lacks first blocks."""
        met, blocks = self._met[places].sum(0), np.minimum(self._blocks, START)
        others = [i for i in order if i not in places]
        return sorted(others, key=lambda i: (met[i], blocks[i]))

    def _key(self, places: Places) -> Table:
        """Return what tells a table from others."""
        return tuple(sorted(self._names[i] for i in places))


class Chooser:
    """Says which meetings tell most about who is first: by how much a block shrinks the variance of the
    differences to the first so far, weighted by the chances of the others to be stronger. Each meeting
    that is planned changes what is still uncertain. `each`: games of a block.
    """

    def __init__(self, strengths: Floats, covariance: Floats, each: int) -> None:
        first = int(strengths.argmax())
        V = covariance
        error = np.sqrt(np.maximum(V.diagonal() + V[first, first] - 2 * V[first], 1e-12))
        hope = ndtr((strengths - strengths[first]) / error)
        hope[first] = 1.0  # it meets the others; its own difference to the first is 0
        self.leaders = np.sort(np.argsort(-hope, kind="stable")[:LEADERS])
        p = expit(strengths[:, None] - strengths)[np.ix_(self.leaders, self.leaders)]
        self._noise = 1 / (each * np.maximum(p * (1 - p), 1e-6))
        self._hope, self._V = hope[self.leaders], V[np.ix_(self.leaders, self.leaders)]
        self._at = {int(i): place for place, i in enumerate(self.leaders)}
        self._first = self._at[first]

    def told(self) -> Floats:
        """Return what a meeting of each leader with each tells, as a share of the most."""
        V = self._V
        U = V[:, None] - V  # [i, j]: covariances of their difference with all strengths
        gaps = U - U[:, :, self._first][:, :, None]
        variance = V.diagonal()[:, None] + V.diagonal() - 2 * V
        told = (gaps * gaps) @ self._hope / (np.maximum(variance, 0.0) + self._noise)
        rounded: Floats = np.round(told / max(told.max(), 1e-300), DIGITS)
        return rounded

    def pairs(self, order: Places) -> list[Places]:
        """Return pairs of leaders, those that tell most first, equal ones in an order."""
        at = self._at
        among = np.array([i for i in order if i in at])
        places = [at[i] for i in among.tolist()]
        one, other = np.triu_indices(len(among), 1)
        best = np.argsort(-self.told()[np.ix_(places, places)][one, other], kind="stable")
        pairs: list[Places] = np.stack([among[one], among[other]], axis=1)[best].tolist()
        return pairs

    def beside(self, places: Places, order: Places) -> Places:
        """Return the other leaders, first those whose meetings with some places tell most."""
        at = self._at
        told = self.told()[[at[i] for i in places]].sum(0)
        others = [i for i in order if i in at and i not in places]
        return sorted(others, key=lambda i: -told[at[i]])

    def assume(self, places: Places) -> None:
        """Count a block of these engines without its result."""
        known = [self._at[i] for i in places if i in self._at]
        for i, j in combinations(known, 2):
            u = self._V[i] - self._V[j]
            self._V = self._V - np.outer(u, u / (u[i] - u[j] + self._noise[i, j]))


def believed(points: Floats, games: Floats) -> tuple[Floats, Floats]:
    """Return the most likely strengths (n,) in log-odds, and their covariance (n, n), from points and
    games of each against each (n, n); strengths are normal, of `PRIOR`, before any.
    """
    count = len(points)
    strengths, prior = np.zeros(count), np.eye(count) / PRIOR**2
    for _ in range(STEPS):
        p = expit(strengths[:, None] - strengths)
        weights = games * p * (1 - p)
        curvature = np.diag(weights.sum(1)) - weights + prior
        slope = (points - games * p).sum(1) - strengths / PRIOR**2
        step = np.linalg.solve(curvature, slope)
        strengths = strengths + step
        if np.abs(step).max() < CLOSE:
            break
    p = expit(strengths[:, None] - strengths)
    weights = games * p * (1 - p)
    covariance = np.linalg.inv(np.diag(weights.sum(1)) - weights + prior)
    return strengths, np.asarray(covariance, np.float64)
