"""The interface of a rival: asked for points and games, told the outcomes, asked for its answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from benchmarks.tuners.space import Axis, Category, Point, Real, Space, Whole, centre
from joute.engines.errors import Refused
from joute.results.statistics import wilson

TRIAL = 32
"""Games of a trial, if the rival does not say otherwise."""


class Rival(ABC):
    """A tuner of `space` that will see `games` games; all its chance comes from `seed`.

    Attributes:
        name: what it is called in tables and on the command line.
        summary: what it does, in a line.
        takes: the kinds of axes that it can tune.
        most: the most games of a run that it can carry out in reasonable time; None: any number.
        oracle: whether it was fitted to one of the problems, hence no fair rival.
        ours: whether it is our own tuner, used in another way.
        of_middle: whether its scores are against the middle of the box, not against the pool.
        against: the point that those of the last answer of `ask` play; None: the pool.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    takes: ClassVar[tuple[type[Axis], ...]] = (Real, Whole)
    most: ClassVar[int | None] = None
    oracle: ClassVar[bool] = False
    ours: ClassVar[bool] = False
    of_middle: ClassVar[bool] = False
    against: Point | None = None

    def __init__(self, space: Space, seed: int, games: int) -> None:
        if unable := self.unable(space, games):
            raise Refused(f"{self.name}: {unable}")
        self.space, self.seed, self.games = space, seed, games

    @classmethod
    def unable(cls, space: Space, games: int) -> str:
        """Return why it cannot tune this, or ""."""
        for name, axis in space.items():
            if not isinstance(axis, cls.takes):
                kind = "names" if isinstance(axis, Category) else "whole numbers"
                return f"cannot tune {kind} ({name})"
        if cls.most is not None and games > cls.most:
            return f"too slow for more than {cls.most:,} games"
        return ""

    def begin_at(self, point: Point) -> None:
        """Begin at a point, before the first question; without effect on those that begin nowhere."""

    def ask(self, games: int) -> list[tuple[Point, int]]:
        """Return points and games to play there next, at most so many (at least 1) in all."""
        if games < 1:
            raise Refused(f"{self.name}: games must be at least 1, not {games}")
        return self.propose(games)

    def tell(self, point: Point, wins: int, draws: int, losses: int) -> None:
        """Take the outcomes of games at a point that was asked."""
        if min(wins, draws, losses) < 0 or wins + draws + losses < 1:
            raise Refused(f"{self.name}: {wins}, {draws}, {losses} are no outcomes of games")
        missing = self.space.keys() - point.keys()  # ours leaves inactive ones out
        if point.keys() - self.space.keys() or (missing and not self.ours):
            raise Refused(f"{self.name}: a point has {', '.join(self.space)}, not {list(point)}")
        self.learn(point, wins, draws, losses)

    @abstractmethod
    def propose(self, games: int) -> list[tuple[Point, int]]:
        """Return the answer of `ask`."""

    @abstractmethod
    def learn(self, point: Point, wins: int, draws: int, losses: int) -> None:
        """Take the outcomes of `tell`."""

    @abstractmethod
    def recommend(self) -> Point:
        """Return the point believed best."""

    def estimate(self, point: Point) -> tuple[float, float, float] | None:
        """Return low end, mean and high end of the 95 % interval of the expected score there, as
        this tuner's user would read them off; None without one.
        """
        return None


class Trials(Rival):
    """A rival that plays trials of so many games, and recommends the point of the best one that it saw."""

    length: ClassVar[int] = TRIAL

    def __init__(self, space: Space, seed: int, games: int) -> None:
        super().__init__(space, seed, games)
        self._point: Point | None = None  # of the trial being played
        self._told = (0, 0, 0)  # its wins, draws and losses
        self._best: tuple[float, Point] | None = None

    @abstractmethod
    def begin(self) -> Point:
        """Return the point of a new trial."""

    @abstractmethod
    def finish(self, score: float) -> None:
        """Take the mean score, in [0, 1], of the trial that was begun last."""

    def propose(self, games: int) -> list[tuple[Point, int]]:
        """Go on with the trial, or begin one."""
        if self._point is None:
            self._point = self.begin()
        return [(self._point, min(games, self.length - sum(self._told)))]

    def learn(self, point: Point, wins: int, draws: int, losses: int) -> None:
        """Count outcomes; finish a full trial."""
        before = self._told
        self._told = (before[0] + wins, before[1] + draws, before[2] + losses)
        played = sum(self._told)
        if played >= self.length:
            mean = (self._told[0] + self._told[1] / 2) / played
            self.finish(mean)
            if self._best is None or mean > self._best[0]:
                self._best = (mean, point)
            self._point, self._told = None, (0, 0, 0)

    def recommend(self) -> Point:
        """Return the point of the best finished trial; before there is one, the middle of the box."""
        return dict(self._best[1]) if self._best else centre(self.space)

    def estimate(self, point: Point) -> tuple[float, float, float] | None:
        """Return the best trial's own score and Wilson interval, which its user sees."""
        if self._best is None or self._best[1] != point:
            return None
        low, high = wilson(self._best[0] * self.length, self.length)
        return low, self._best[0], high
