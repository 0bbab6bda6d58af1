"""The tuner: Optuna by ask and tell, in an order that makes a run a function of study and seed.

Trial k is asked for after exactly the trials 0 .. k-L have finished, in number order; L is the study's
`parallel_trials`, never the number of workers. The sampler is made anew for every trial, with a
seed that is a hash of the study's seed and k. So the trials are the same for any number of workers,
and a run that was killed is led back to where it was by asking and telling again.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field

import optuna
from optuna.samplers import RandomSampler
from optuna.trial import Trial as Asked
from optuna.trial import TrialState

from engines.parameter import Value
from results.gain import signed_rank
from studies.tuner.sampler import find_sampler
from studies.tuner.space import Axis, Space

COMPLETE, PRUNED = "complete", "pruned"
UNPLAYED = "even"  # a point of a scan that is its own opponent: nothing was played
Point = dict[str, Value]


@dataclass
class Trial:
    """One trial: its number, its point, the mean return of each finished block, how it ended."""

    number: int
    point: Point
    values: list[float] = field(default_factory=list)
    state: str = ""

    @property
    def score(self) -> float:
        """Mean return over the blocks, in [0, 1]."""
        return sum(self.values) / len(self.values)


class Tuner:
    """Proposes points of a space and learns how they scored."""

    def __init__(
        self, space: Space, sampler: str, seed: int, parallel: int, first: Point | None = None
    ) -> None:
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self.space, self.seed, self.parallel = space, seed, parallel
        self.finished: list[Trial] = []
        self._asked: list[Asked] = []
        self._sampler = find_sampler(sampler)
        self.study = optuna.create_study(direction="maximize")
        self.most = self._sampler.most(space)
        self._first = None if self.most is not None else first  # a grid comes by every point anyway
        if self._first:
            self.study.enqueue_trial(dict(self._first))

    @property
    def due(self) -> int | None:
        """Number of the trial that must finish before the next can be asked for; None: ask now."""
        return (
            len(self.finished) if len(self._asked) - len(self.finished) >= self.parallel else None
        )

    def ask(self) -> Trial:
        """Return the next trial; the one that is `due` must have finished."""
        if self.due is not None:
            raise RuntimeError(f"trial {self.due} has not been told")
        number = len(self._asked)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Optuna's remarks on experimental arguments
            self.study.sampler = self._sampler.make(self.space, self.seed, number)
            asked = self.study.ask()
            point = self.space.walk(lambda axis: suggest(asked, axis))
        self._asked.append(asked)
        if number == 0 and self._first:
            point = dict(self._first)  # as it is, with all its decimals
        return Trial(number, point)

    def tell(self, trial: Trial) -> None:
        """Take a finished trial; they come in number order."""
        if trial.number != len(self.finished):
            raise RuntimeError(f"trial {trial.number} told out of turn")
        asked = self._asked[trial.number]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.study.sampler = RandomSampler()  # telling needs none, and a grid would complain
            if trial.state == PRUNED:
                asked.report(trial.score, len(trial.values))
                self.study.tell(asked, state=TrialState.PRUNED)
            else:
                self.study.tell(asked, trial.score)
        self.finished.append(trial)

    def incumbent(self) -> Trial | None:
        """Return the best complete trial so far (of equals the first)."""
        complete = [trial for trial in self.finished if trial.state == COMPLETE]
        return max(complete, key=lambda trial: trial.score, default=None)


def suggest(trial: Asked, axis: Axis) -> Value:
    """Draw an axis' value from an Optuna trial."""
    if axis.kind == "choice":
        return str(trial.suggest_categorical(axis.name, list(axis.choices)))
    if axis.kind == "int":
        step = 1 if axis.step is None or axis.log else int(axis.step)
        low, high = int(axis.low), int(axis.high)
        return trial.suggest_int(axis.name, low, high, step=step, log=axis.log)
    return trial.suggest_float(axis.name, axis.low, axis.high, step=axis.step, log=axis.log)


def hopeless(values: Sequence[float], best: Sequence[float] | None, risk: float) -> bool:
    """Whether a trial falls short of the best one on the openings that both have played.

    Wilcoxon's signed-rank test, one-sided at `risk`; values are the mean returns of blocks, at the
    same place the same opening and opponent.
    """
    if best is None:
        return False
    pairs = [(a, b) for a, b in zip(values, best, strict=False)]
    differences = [a - b for a, b in pairs]
    if sum(differences) >= 0 or len(pairs) < 2:
        return False
    return signed_rank(differences) < risk
