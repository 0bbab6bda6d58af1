"""Optuna's storage of a tune study: a copy of the trials, for dashboards and for sharing.

`run.db` is the truth. What is here follows it, trial by trial in number order, and may be deleted:
the next run writes it anew. Without a URL it is a journal file in the run folder.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.storages import BaseStorage, JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import FrozenTrial, TrialState, create_trial

from engines.errors import Refused
from results.manifest import note
from studies.tuner.axis import Axis
from studies.tuner.space import Space
from studies.tuner.trial import PRUNED, Trial

JOURNAL = "optuna.journal"


class OptunaMirror:
    """Writes finished trials into an Optuna study, which must be this one or new."""

    def __init__(
        self, folder: Path, url: str | None, name: str, space: Space, games_per_block: int
    ) -> None:
        self.where = url or str(folder / JOURNAL)
        self._folder, self._url, self._name = folder, url, name
        self._space, self._games_per_block = space, games_per_block
        self._followed: list[Trial] = []
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._open()

    def _open(self, again: bool = False) -> None:
        journal = self._folder / JOURNAL
        if self._url is None:
            note(journal)
        if self._url is None and journal.is_file() and not journal.read_bytes().endswith(b"\n"):
            journal.unlink()  # cut off in the middle of a line: what comes after would be lost
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._study = optuna.create_study(
                    storage=storage_of(self._folder, self._url),
                    study_name=self._name,
                    direction="maximize",
                    load_if_exists=True,
                )
            self._there = self._study.get_trials(deepcopy=False)
        except Exception as error:
            if self._url is None and not again:  # only a copy, and a damaged one
                (self._folder / JOURNAL).unlink(missing_ok=True)
                self._open(again=True)
                return
            first = str(error).strip().splitlines() or [type(error).__name__]
            raise Refused(f"tune.storage: {self.where} cannot be reached: {first[0]}") from None

    def follow(self, trial: Trial) -> None:
        """Add a finished trial; raise Refused if the storage has another one in its place."""
        self._followed.append(trial)
        if trial.number < len(self._there):
            there = self._there[trial.number]
            if not self._same(there, trial):
                if self._url is None:
                    (self._folder / JOURNAL).unlink(missing_ok=True)
                    self._open(again=True)
                    for one in self._followed:
                        self._study.add_trial(self._frozen(one))
                    return
                raise Refused(
                    f"tune.storage: {self.where} holds another study of the name "
                    f"{self._study.study_name!r}: its trial {trial.number} is {there.params}, here "
                    f"{trial.point}; give the study another name, or delete that one"
                )
            return
        self._study.add_trial(self._frozen(trial))

    def _same(self, there: FrozenTrial, trial: Trial) -> bool:
        axes = {axis.name: axis for axis in self._space.axes}
        if set(there.params) != set(trial.point):
            return False
        return all(axes[n].tidy(there.params[n]) == axes[n].tidy(v) for n, v in trial.point.items())

    def _frozen(self, trial: Trial) -> FrozenTrial:
        games = len(trial.values) * self._games_per_block
        pruned = trial.state == PRUNED
        axes = {axis.name: axis for axis in self._space.axes}
        params: dict[str, Any] = dict(trial.point)
        sums = {i + 1: sum(trial.values[: i + 1]) / (i + 1) for i in range(len(trial.values))}
        return create_trial(
            state=TrialState.PRUNED if pruned else TrialState.COMPLETE,
            value=None if pruned else trial.score,
            params=params,
            distributions={name: distribution(axes[name]) for name in params},
            intermediate_values=sums,
            user_attrs={"games": games, "points": sum(trial.values) * self._games_per_block},
        )


def reach(url: str) -> None:
    """Refuse a storage that cannot be reached."""
    try:
        optuna.storages.get_storage(url)
    except Exception as error:
        first = str(error).strip().splitlines() or [type(error).__name__]
        raise Refused(f"tune.storage: {url} cannot be reached: {first[0]}") from None


def storage_of(folder: Path, url: str | None) -> BaseStorage | str:
    """Return the storage of a URL, or the journal file of a run folder."""
    return url or JournalStorage(JournalFileBackend(str(folder / JOURNAL)))


def distribution(axis: Axis) -> BaseDistribution:
    """Return an axis as an Optuna distribution."""
    if axis.kind == "choice":
        return CategoricalDistribution(list(axis.choices))
    if axis.kind == "int":
        step = 1 if axis.step is None or axis.log else int(axis.step)
        return IntDistribution(int(axis.low), int(axis.high), log=axis.log, step=step)
    return FloatDistribution(axis.low, axis.high, log=axis.log, step=axis.step)
