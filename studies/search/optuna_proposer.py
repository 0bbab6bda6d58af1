"""Optuna's samplers by ask and tell.

The sampler is made anew for every trial, with a seed that is a hash of the study's seed and the
trial's number: trial k follows from the seed and the trials told before it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import optuna
from optuna.samplers import BaseSampler, RandomSampler
from optuna.trial import Trial as Asked
from optuna.trial import TrialState

from joute.engines.parameter import Value
from joute.studies.search.trial import PRUNED, Trial
from joute.studies.tuner.axis import Axis
from joute.studies.tuner.domain import Domain, Point


class OptunaProposer:
    """Proposes the points of an Optuna sampler; `make` returns that of a trial by its number."""

    def __init__(
        self, make: Callable[[int], BaseSampler], space: Domain, first: Point | None
    ) -> None:
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._make, self._space, self._first = make, space, first
        self._asked: list[Asked] = []
        self._study = optuna.create_study(direction="maximize")
        if first:
            self._study.enqueue_trial(dict(first))

    def ask(self, number: int) -> Trial:
        """Return the next trial."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Optuna's remarks on experimental arguments
            self._study.sampler = self._make(number)
            asked = self._study.ask()
            point = self._space.walk(lambda axis: suggest(asked, axis))
        self._asked.append(asked)
        if number == 0 and self._first:
            point = dict(self._first)  # as it is, with all its decimals
        return Trial(number, point)

    def tell(self, trial: Trial) -> None:
        """Take a finished trial; they come in number order."""
        asked = self._asked[trial.number]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._study.sampler = RandomSampler()  # `tell` needs none, and a grid would complain
            if trial.state == PRUNED:
                asked.report(trial.score, len(trial.values))
                self._study.tell(asked, state=TrialState.PRUNED)
            else:
                self._study.tell(asked, trial.score)


def suggest(trial: Asked, axis: Axis) -> Value:
    """Draw an axis' value from an Optuna trial."""
    if axis.kind == "choice":
        return str(trial.suggest_categorical(axis.name, list(axis.choices)))
    if axis.kind == "int":
        step = 1 if axis.step is None or axis.log else int(axis.step)
        low, high = int(axis.low), int(axis.high)
        return trial.suggest_int(axis.name, low, high, step=step, log=axis.log)
    return trial.suggest_float(axis.name, axis.low, axis.high, step=axis.step, log=axis.log)
