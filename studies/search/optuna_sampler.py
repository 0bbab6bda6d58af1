"""Our tuner as a sampler for anybody's own Optuna study.

    study = optuna.create_study(direction="maximize", sampler=JouteSampler(space, games=4))

The objective plays `games` games and returns their mean score. What the tuner has asked and been told
follows from the study's trials, in the order of their numbers: a study that is loaded again goes on.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import partial
from threading import RLock
from typing import Any
from weakref import WeakKeyDictionary

from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from joute.engines.errors import Refused, shown, suggest
from joute.engines.parameter import Value
from joute.studies.search.optuna_mirror import distribution
from joute.studies.tuner.domain import Domain, Point
from joute.studies.tuner.parameters import Parameter
from joute.studies.tuner.tuner import Tuner

RESULTS = ("wins", "draws", "losses")  # user attributes of a trial, in games
FIXED = "fixed_params"  # where Optuna keeps the values of a trial that was enqueued


class JouteSampler(BaseSampler):
    """Samples where games reveal most about the best point; `tuner(study)` has the answer.

    The objective returns the mean score, from 0 to 1, of `games` games, and is maximized. A trial
    with user attributes `wins`, `draws` and `losses` is read by them instead; failed trials, and
    pruned ones without them, are not read. Missing values of an enqueued trial are drawn evenly. One
    sampler may serve several studies: each has a search of its own.
    """

    def __init__(
        self,
        space: Mapping[str, Parameter] | Domain,
        seed: int = 0,
        games: int = 2,
        default: Mapping[str, Value] | None = None,
    ) -> None:
        fresh = Tuner(space, seed, default, block=games)
        self._new = partial(Tuner, fresh.domain, seed, default, block=games)
        self._axes = {axis.name: axis for axis in fresh.domain.axes}
        self._seed = fresh.seed
        self._searches = WeakKeyDictionary[Study, Search]()
        self._lock = RLock()

    def tuner(self, study: Study) -> Tuner:
        """Return the tuner, told of every finished trial of a study."""
        with self._lock:
            return self._caught_up(study).tuner

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return the space; raise Refused for a study that does not maximize one score."""
        if study.directions != [StudyDirection.MAXIMIZE]:
            raise Refused('the study has another direction; allowed: direction="maximize"')
        return {name: distribution(axis) for name, axis in self._axes.items()}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return the values of a trial's active parameters; none for an enqueued trial."""
        with self._lock:
            return dict(self._caught_up(study, trial.number).ask(trial))

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Return an evenly drawn value of a parameter that was not asked for at this point."""
        axis = self._axes.get(param_name)
        if axis is None:
            raise Refused(f"the objective suggests {param_name!r}{suggest(param_name, self._axes)}")
        own = distribution(axis)
        if param_distribution != own:
            raise Refused(f"the objective suggests {param_name} as {param_distribution}; the space "
                          f"has {own}")  # fmt: skip
        drawn = random.Random(f"{self._seed} {trial.number} {param_name}").random()
        return axis.at(drawn)

    def _caught_up(self, study: Study, until: int | None = None) -> Search:
        """Return the search of a study, told of its finished trials (of those before number `until`)."""
        if study not in self._searches:
            self._searches[study] = Search(self._new())
        search = self._searches[study]
        search.catch_up(study, until)
        return search


class Search:
    """What a tuner has asked and been told in one study."""

    def __init__(self, tuner: Tuner) -> None:
        self.tuner = tuner
        self._asked: dict[int, Point] = {}  # by trial number; {}: asked by another sampler
        self._told: set[int] = set()

    def catch_up(self, study: Study, until: int | None) -> None:
        """Ask for the trials of other samplers, too, and tell of all finished trials."""
        for trial in study.get_trials(deepcopy=False)[:until]:
            if trial.number in self._told:
                continue
            if trial.number not in self._asked:
                self.ask(trial)
            if trial.state.is_finished():
                self._told.add(trial.number)
                self._tell(trial)

    def ask(self, trial: FrozenTrial) -> Point:
        """Return the point of a trial; {} if it was enqueued."""
        number = trial.number
        if number not in self._asked:
            own = FIXED not in trial.system_attrs
            self._asked[number] = self.tuner.ask(self.tuner.block)[0][0] if own else {}
        return self._asked[number]

    def _tell(self, trial: FrozenTrial) -> None:
        tuner, asked = self.tuner, self._asked[trial.number]
        results = results_of(trial, tuner.block)
        point = {**asked, **trial.params}
        if asked and (results is None or point != asked):
            tuner.withdraw(asked, tuner.block)
        if results is not None:
            tuner.tell(tuner.domain.checked(point, f"trial {trial.number}"), *results)


def results_of(trial: FrozenTrial, games: int) -> Sequence[float] | None:
    """Return how many of its games a trial won, drew and lost; None if it is not read."""
    if any(name in trial.user_attrs for name in RESULTS):
        return counted(trial)
    if trial.state != TrialState.COMPLETE:
        return None
    if trial.value is None or not 0 <= trial.value <= 1:
        raise Refused(
            f"trial {trial.number}: the objective returned {shown(trial.value)}; allowed: the "
            "mean score of its games, from 0 to 1"
        )
    won = trial.value * games
    return won, 0.0, games - won


def counted(trial: FrozenTrial) -> Sequence[float]:
    """Return games won, drawn and lost as a trial's user attributes say; raise Refused if one is missing."""
    missing = [name for name in RESULTS if name not in trial.user_attrs]
    if missing:
        raise Refused(
            f"trial {trial.number}: the user attribute {missing[0]} is missing; allowed: wins, draws and "
            "losses, all three"
        )
    return [trial.user_attrs[name] for name in RESULTS]
