"""Tries a good point with one of its numbers at an end of its range: something may be off there.

A weight of 0 turns a term of an evaluation off, and that may be worth more than all values near it. No
covariance expects so, and draws of the top seldom lie at an end. So early duels try the low end of every
number against the same point as it is; then any end, those that have won most more often, by draws from
what is known of each (Thompson 1933).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from joute.engines.kernels.compile import Floats
from joute.studies.tuner.domain import Domain
from joute.studies.tuner.model.counts import Counts

SHARE, EACH = 0.4, 10  # share of the games of duels, until every end has so many on average
LATER = 0.04  # and besides, from the first to the last
SAME = 1e-9  # distance up to which two values are one
WON = 2.0  # games that each end has won before its first,
LOST = np.array([[2.0], [3.0]])  # and a low and a high one has lost: it is low ones that turn off

Pair = tuple[Floats, Floats]


class Ends:
    """The games, and those won, of each end of each number (2, numbers; low ends first): the duels of two
    places that differ in nothing else.
    """

    def __init__(
        self, domain: Domain, raw: Counts, out: Sequence[tuple[Floats, Floats, float]]
    ) -> None:
        """Read the duels among counts, and those that are `out`: two places and their games."""
        self.domain, self._numbers = domain, domain.shape.numbers
        self.games = np.zeros((2, self._numbers))
        self.won = np.zeros((2, self._numbers))
        self.out = 0.0
        if raw.Y is not None:
            duels = raw.duels
            told = (raw.X[duels], raw.Y[duels], raw.games[duels], raw.won[duels])
            for place, other, games, won in zip(*told, strict=True):
                self._add(place, other, games, won)
                self._add(other, place, games, games - won)
        for place, other, games in out:
            if any(self._end(*two) is not None for two in ((place, other), (other, place))):
                self.out += games

    def _add(self, place: Floats, other: Floats, games: float, won: float) -> None:
        end = self._end(place, other)
        if end is not None:
            self.games[end] += games
            self.won[end] += won

    def _end(self, place: Floats, other: Floats) -> tuple[int, int] | None:
        """Return the end and the number, if a place differs from another by one number, at an end."""
        differ = np.flatnonzero(np.abs(place - other) > SAME)
        if len(differ) != 1 or differ[0] >= self._numbers:
            return None
        value = float(place[differ[0]])
        return (int(value > 0), int(differ[0])) if abs(value) > 1 - SAME else None

    def wanted(self, duelled: float) -> float:
        """Return how many games of so many in duels are still to be at ends."""
        share = min(SHARE * duelled, EACH * self.games.size) + LATER * duelled
        return share - float(self.games.sum()) - self.out

    def places(self, base: Floats, count: int, rng: np.random.Generator) -> list[Floats]:
        """Return a place with one number moved to an end, at most so many: low ends without any game, then
        in the order of draws of how good each end is.
        """
        draws = rng.beta(self.won + WON, self.games - self.won + LOST)
        draws[0] += self.games[0] == 0
        moved: list[Floats] = []
        for rank in np.argsort(-draws, axis=None, kind="stable"):
            end, number = divmod(int(rank), self._numbers)
            if len(moved) == count:
                break
            place = base.copy()
            place[number] = 2.0 * end - 1.0
            place = self.domain.places([self.domain.point(place)])[0]  # an inactive number stays
            if np.abs(place - base).max() > SAME:
                moved.append(place)
        return moved


def with_ends(ends: Ends, pairs: Sequence[Pair], base: Floats, games: float, each: int,
              rng: np.random.Generator) -> list[Pair]:  # fmt: skip
    """Return planned pairs of `each` games, up to half of them replaced by duels of `base` with itself but
    for one number; so many `games` of duels were told.
    """
    wanted = math.ceil(ends.wanted(games + each * len(pairs)) / each)
    places = ends.places(base, min(wanted, (len(pairs) + 1) // 2), rng) if wanted > 0 else []
    mixed = [(place, base) for place in places]
    for i, pair in enumerate(pairs[: len(pairs) - len(places)]):
        mixed.insert(2 * i, pair)
    return mixed
