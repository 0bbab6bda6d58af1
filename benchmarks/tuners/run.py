"""One simulated run: a tuner plays games of known chances and is inspected on the way."""

from __future__ import annotations

import hashlib
import math
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import optuna
from scipy.special import ndtr, ndtri

from benchmarks.tuners import ours
from benchmarks.tuners.problem import Problem, chance
from benchmarks.tuners.problems import find_problem
from benchmarks.tuners.rivals import RIVALS, Rival
from benchmarks.tuners.rivals.duel_joute import BothJoute, DuelJoute
from benchmarks.tuners.rivals.optuna_ import Optuna
from benchmarks.tuners.space import Point, centre
from joute.engines.errors import JouteError, unknown

CHECKPOINTS = (100, 300, 1000, 3000, 10_000)
"""After so many games, and after the last one, the recommendation is looked at."""

BATCH = 20
"""Games that are asked for at a time."""

LOOK, MANY = 100, 1000
"""A run with a default is asked for its verdict each time it has played so many games more; after
`MANY`, each time it has played `MANY` more."""

PAIR = 2
"""Games of a pair."""

WARM = 60
"""Games of a first run in each process, which pays for compiling and is not counted."""

NO_DEFAULT = "none"
Row = dict[str, Any]
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Task:
    """A run to be made: names of problem and tuner, and `default`: "none" or a start of a problem.

    `correlation`: games are played in pairs, whose results correlate so (see `pair_luck`); our tuner
    is told the pairs. None: single games.
    """

    problem: str
    tuner: str
    seed: int
    games: int
    default: str = NO_DEFAULT
    correlation: float | None = None

    def key(self) -> Row:
        """Return a key that identifies this run, the code of the tuner included."""
        paired = {} if self.correlation is None else {"correlation": self.correlation}
        return {
            "problem": self.problem,
            "shape": find_problem(self.problem).digest,
            "tuner": self.tuner,
            "version": version(self.tuner),
            "seed": self.seed,
            "games": self.games,
            "default": self.default,
            **paired,
        }

    def __str__(self) -> str:
        return (
            f"{self.tuner} on {self.problem}, seed {self.seed}, {self.games} games, "
            f"default {self.default}"
        )


@dataclass(frozen=True)
class Checkpoint:
    """What a tuner said after `games` games.

    Attributes:
        games: played so far.
        regret: best expected score less that of the recommended point.
        true: the expected score of the recommended point; of a tuner by duels, against the middle.
        low: end of the 95 % interval that the tuner gives it, `mean` and `high` likewise; None: none.
        cpu: seconds of this thread that the tuner took so far, looks at its verdict left out.
        told: the regret that the tuner itself expects; None: it says nothing of it.
    """

    games: int
    regret: float
    true: float
    low: float | None
    mean: float | None
    high: float | None
    cpu: float
    told: float | None = None


def tuner_names() -> list[str]:
    """Return the names of all tuners, ours first."""
    return [ours.NAME, *RIVALS]


def find_tuner(name: str) -> str:
    """Return the name of a tuner; Refused, with the nearest name, if there is none."""
    if name not in tuner_names():
        raise unknown("tuner", name, tuner_names())
    return name


def unable(task: Task) -> str:
    """Return why a run cannot be made, or ""."""
    if task.tuner == ours.NAME:
        return ours.unable()
    known = task.tuner == BothJoute.name or (
        task.tuner == DuelJoute.name and task.default == "centre"
    )
    if task.default != NO_DEFAULT and not known:
        return "knows no default"
    return RIVALS[task.tuner].unable(find_problem(task.problem).space, task.games)


@cache
def version(name: str) -> str:
    """Return a digest of a tuner's code: of the folder of ours, of the files of a rival."""
    if name == ours.NAME:
        files, more = sorted(ours.FOLDER.rglob("*.py")), ""
    else:
        rival = RIVALS[name]
        modules = [k.__module__ for k in rival.__mro__ if k.__module__.startswith("benchmarks.")]
        files = sorted({Path(str(sys.modules[module].__file__)) for module in modules})
        files += sorted(ours.FOLDER.rglob("*.py")) if issubclass(rival, DuelJoute) else []
        more = optuna.__version__ if issubclass(rival, Optuna) else ""
    digest = hashlib.sha256(more.encode())
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:12]


def test_seed() -> int:
    """Return the seed of the family's test set: each version of our tuner meets other problems."""
    return int(version(ours.NAME)[:8], 16)


def play(task: Task) -> Row:
    """Make a run; return its key and results. Equal tasks give equal results but for times."""
    _warm(task.problem, task.tuner, task.default)
    return _play(task)


@cache
def _warm(problem: str, tuner: str, default: str) -> None:
    _play(Task(problem, tuner, 10**6, WARM, default))


def _play(task: Task) -> Row:
    problem = find_problem(task.problem)
    default = None if task.default == NO_DEFAULT else problem.start(task.default)
    tuner: Rival | ours.Ours
    if task.tuner == ours.NAME:
        block = 1 if task.correlation is None else PAIR
        tuner = ours.make(problem.space, task.seed, task.games, default, block)
    else:
        rival = RIVALS[task.tuner]
        own = (default,) if issubclass(rival, DuelJoute) else ()
        tuner = rival(problem.space, task.seed, task.games, *own)
    return _Run(task, problem, tuner, default).whole()


def looks_of(games: int) -> set[int]:
    """Return after how many games a run with a default is asked for its verdict."""
    return {*range(LOOK, min(games, MANY), LOOK), *range(MANY, games, MANY), games}


class _Run:
    """A run in progress."""

    def __init__(
        self, task: Task, problem: Problem, tuner: Rival | ours.Ours, default: Point | None
    ) -> None:
        self._task, self._problem, self._tuner, self._default = task, problem, tuner, default
        self._luck = luck(task.problem, task.seed, task.games)
        if task.correlation is not None:
            self._luck = pair_luck(self._luck, task.correlation)
        self._played, self._cpu = 0, 0.0
        self._checkpoints: list[Checkpoint] = []
        self._ever_better = self._ever_wrong = False

    def whole(self) -> Row:
        """Play to the end."""
        games = self._task.games
        points = {c for c in CHECKPOINTS if c < games} | {games}
        looks = looks_of(games) if self._default is not None else set()
        for stop in sorted(points | looks):
            while self._played < stop:
                self._batch(min(BATCH, stop - self._played))
            if stop in points:
                self._checkpoints.append(self._look())
            if stop in looks:
                ended = self._judge()
        row = {**self._task.key(), "checkpoints": [asdict(c) for c in self._checkpoints]}
        return {**row, **ended} if looks else row

    def _batch(self, most: int) -> None:
        """Ask once, play, and tell in the order of the answer."""
        asked = self._timed(lambda: self._tuner.ask(most))
        total = sum(games for _, games in asked)
        if not 0 < total <= most or any(games < 1 for _, games in asked):
            raise JouteError(f"{self._task}: asked for {most} games it proposed {asked}")
        for point, games in asked:
            lucky = self._luck[self._played : self._played + games]
            self._played += games
            told: dict[str, Any] = {}
            if self._task.correlation is not None and not isinstance(self._tuner, Rival):
                told["pairs"] = self._pairs(point, lucky)
            other = self._tuner.against if isinstance(self._tuner, Rival) else None
            if other is not None:
                outcomes = self._problem.duel(point, other, lucky)
            else:
                outcomes = self._problem.outcomes(point, lucky)
            self._timed(lambda p=point, o=outcomes, t=told: self._tuner.tell(p, *o, **t))  # type: ignore[misc]

    def _pairs(self, point: Point, lucky: np.ndarray) -> list[int]:
        """Return how many pairs of games have 0, 1/2, 1, 3/2 and 2 points."""
        pairs = [self._problem.outcomes(point, both) for both in lucky.reshape(-1, PAIR)]
        scores = [2 * wins + draws for wins, draws, _ in pairs]
        return [scores.count(score) for score in range(2 * PAIR + 1)]

    def _look(self) -> Checkpoint:
        point = self._timed(self._tuner.recommend)
        estimate = self._timed(lambda: self._tuner.estimate(point))
        low, mean, high = estimate or (None, None, None)
        true, lacks = self._problem.score(point), None
        score = true
        if isinstance(self._tuner, Rival) and self._tuner.of_middle:
            middle = self._problem.log_odds(centre(self._problem.space))
            score = chance(self._problem.log_odds(point) - middle)
        if isinstance(self._tuner, DuelJoute):
            lacks = self._tuner.regret()
        elif not isinstance(self._tuner, Rival):
            lacks = float(self._tuner.report().regret)
        return Checkpoint(
            self._played, self._problem.best_score - true, score, low, mean, high, self._cpu, lacks
        )

    def _judge(self) -> Row:
        """Return verdict and final answer as of now: the default, unless something is better."""
        assert self._default is not None
        assert isinstance(self._tuner, DuelJoute) or not isinstance(self._tuner, Rival)
        verdict, point = self._tuner.verdict(), self._tuner.recommend()
        better = verdict == "better"
        wrong = better and self._problem.score(point) <= self._problem.score(self._default)
        self._ever_better |= better
        self._ever_wrong |= wrong
        return {
            "verdict": verdict,
            "wrong": wrong,
            "ever_better": self._ever_better,
            "ever_wrong": self._ever_wrong,
            "answer_regret": self._problem.regret(point if better else self._default),
            "default_regret": self._problem.regret(self._default),
            "recommended_regret": self._problem.regret(point),
        }

    def _timed(self, work: Callable[[], Answer]) -> Answer:
        begun = time.thread_time()
        answer = work()
        self._cpu += time.thread_time() - begun
        return answer


def pair_luck(free: np.ndarray, correlation: float) -> np.ndarray:
    """Return the luck of games in pairs, from that of free games: uniform, joined by a Gaussian copula.

    `correlation`: that of the results of even games without draws.
    """
    if len(free) % PAIR:
        raise JouteError(f"{len(free)} games are no pairs")
    r, z = math.sin(math.pi * correlation / 2), ndtri(free.reshape(-1, PAIR))
    z[:, 1] = r * z[:, 0] + math.sqrt(1 - r * r) * z[:, 1]
    joined: np.ndarray = ndtr(z).ravel()
    return joined


def luck(problem: str, seed: int, games: int) -> np.ndarray:
    """Return the luck of each game of a run by its place, uniform in [0, 1): that of problem and seed,
    whatever is played there, by whom, and how many games follow.
    """
    name = int.from_bytes(hashlib.sha256(problem.encode()).digest()[:8], "big")
    return np.random.default_rng([name, seed]).random(games)
