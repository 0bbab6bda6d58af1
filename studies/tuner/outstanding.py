"""The games that were asked for and are not told yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from joute.engines.kernels.compile import Floats
from joute.engines.parameter import Value
from joute.studies.tuner.domain import Domain, Point
from joute.studies.tuner.model.counts import MOST, Counts

Key = tuple[tuple[str, Value], ...]


class Outstanding:
    """Number of games out at each point, points in the order of asking."""

    def __init__(self, domain: Domain) -> None:
        self.domain, self.games = domain, 0
        self._at: dict[Key, tuple[Point, int]] = {}

    def __getitem__(self, point: Mapping[str, Value]) -> int:
        """Return how many games are out at a point."""
        return self._at.get(key_of(point), ({}, 0))[1]

    def add(self, point: Point, games: int) -> None:
        """Note games that go out."""
        self._at[key_of(point)] = point, self[point] + games
        self.games += games

    def take(self, point: Mapping[str, Value], games: float) -> int:
        """Note games that came back, or never will; return how many of them were out."""
        out = self[point]
        back = int(min(out, games))
        self.games -= back
        if back < out:
            self._at[key_of(point)] = self._at[key_of(point)][0], out - back
        elif out:
            del self._at[key_of(point)]
        return back

    def places(self, metric: Floats) -> list[tuple[Floats, float]]:
        """Return the places with games out, and their games; of very many the nearest as one."""
        counts = Counts(self.domain.shape.columns)
        counts.X = self.domain.places([point for point, _ in self._at.values()])
        counts.games = np.array([float(games) for _, games in self._at.values()])
        counts.won = np.zeros(len(self._at))
        if len(counts) > MOST:
            counts.merge(metric, self.domain.shape.numbers)
        return list(zip(counts.X, map(float, counts.games), strict=True))


class OutstandingDuels:
    """Number of games out between each two points, whichever comes first, in the order of asking."""

    def __init__(self, domain: Domain) -> None:
        self.domain, self.games = domain, 0
        self._at: dict[tuple[Key, Key], tuple[Point, Point, int]] = {}

    def out(self, point: Mapping[str, Value], other: Mapping[str, Value]) -> int:
        """Return how many games are out between two points."""
        return self._at.get(self._key(point, other), ({}, {}, 0))[2]

    def add(self, point: Point, other: Point, games: int) -> None:
        """Note games that go out."""
        self._at[self._key(point, other)] = point, other, self.out(point, other) + games
        self.games += games

    def take(self, point: Mapping[str, Value], other: Mapping[str, Value], games: float) -> None:
        """Note games that came back, or never will, as far as they were out."""
        key, out = self._key(point, other), self.out(point, other)
        back = int(min(out, games))
        self.games -= back
        if back < out:
            self._at[key] = (*self._at[key][:2], out - back)
        elif out:
            del self._at[key]

    def places(self) -> list[tuple[Floats, Floats, float]]:
        """Return the places of the points, and their games."""
        return [
            (*self.domain.places([point, other]), float(games))
            for point, other, games in self._at.values()
        ]

    def _key(self, point: Mapping[str, Value], other: Mapping[str, Value]) -> tuple[Key, Key]:
        one, two = sorted((key_of(point), key_of(other)), key=repr)
        return one, two


def key_of(point: Mapping[str, Any]) -> Key:
    """Return a key that identifies a point."""
    return tuple(sorted(point.items()))
