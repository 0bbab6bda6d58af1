"""Optuna's storage of a tune study: a copy of the trials, for dashboards and for sharing.

`run.db` is the truth. This copy follows it, trial by trial in number order, and may be deleted: the
next run writes it anew. Without a URL it is a journal file in the run folder.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial, TrialState, create_trial

from joute.engines.errors import Refused
from joute.results.manifest import note
from joute.studies.search.optuna_storage import alone, storage_of, unreachable
from joute.studies.search.plan import JOURNAL
from joute.studies.search.space import Space
from joute.studies.search.trial import PRUNED, Trial
from joute.studies.search.url import shown
from joute.studies.tuner.axis import Axis

AGAIN = 30.0  # seconds between attempts to reach a lost database


class OptunaMirror:
    """Writes finished trials into an Optuna study, which must be this one or new.

    A database lost during a run is reported once, to `say`, and tried again now and then; missing
    trials are written when it is back, by this run or the next. Without `say` it is refused.
    """

    def __init__(
        self,
        folder: Path,
        url: str | None,
        name: str,
        space: Space,
        games_per_block: int,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self.where = shown(url) if url else str(folder / JOURNAL)
        self._folder, self._url, self._name, self._say = folder, url, name, say
        self._space, self._games_per_block = space, games_per_block
        self._followed: list[Trial] = []
        self._there: list[FrozenTrial] = []
        self._kept = 0  # number of followed trials that are written
        self._lost: float | None = None  # time of the last failure of the database
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._open()

    def follow(self, trial: Trial) -> None:
        """Add a finished trial, unless it is of games between two points, which have no score of their
        own; raise Refused if the storage has another one in its place.
        """
        if trial.other is not None:
            return
        self._followed.append(trial)
        if self._lost is None or time.monotonic() - self._lost > AGAIN:
            self.catch_up()

    def catch_up(self) -> None:
        """Write the followed trials that the storage lacks."""
        if self._kept == len(self._followed):
            return
        before = self._kept
        try:
            while self._kept < len(self._followed):
                self._bring(self._followed[self._kept])
                self._kept += 1
        except Refused:
            raise
        except Exception as error:
            if self._url is None:
                raise
            self._lose(self._url, error)
            return
        if self._lost is not None and self._say is not None:
            self._say(f"tune.storage: {self.where} is back, with {self._kept - before} more trials")
        self._lost = None

    def _lose(self, url: str, error: Exception) -> None:
        if self._say is None:
            raise unreachable(url, error) from None
        if self._lost is None:
            self._say(
                f"{unreachable(url, error)}; the run continues without it (run.db has all "
                f"trials); the same command, or joute dashboard, updates it"
            )
        self._lost = time.monotonic()

    def _open(self, again: bool = False) -> None:
        journal = self._folder / JOURNAL
        if self._url is None:
            note(journal)
        if self._url is None and journal.is_file() and not journal.read_bytes().endswith(b"\n"):
            journal.unlink()  # cut off in the middle of a line: what comes after would be lost
        try:
            self._storage = storage_of(self._folder, self._url)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._study = optuna.create_study(
                    storage=self._storage,
                    study_name=self._name,
                    direction="maximize",
                    load_if_exists=True,
                )
            self._there = self._study.get_trials(deepcopy=False)
        except Refused:
            raise
        except Exception as error:
            if self._url is None and not again:  # only a copy, and a damaged one
                journal.unlink(missing_ok=True)
                self._open(again=True)
                return
            raise unreachable(self._url or self.where, error) from None

    def _bring(self, trial: Trial) -> None:
        place = self._kept
        if place >= len(self._there):
            with alone(self._storage, self._name):  # another machine may write to the same study
                self._there = self._study.get_trials(deepcopy=False)
                if place >= len(self._there):
                    self._study.add_trial(self._frozen(trial))
                    return
        if not self._same(self._there[place], trial):
            if self._url is not None:
                raise Refused(
                    f"tune.storage: {self.where} holds another study named {self._name!r}: its "
                    f"trial {place} is {self._there[place].params}, here {trial.point}; "
                    "rename this study, or delete that one"
                )
            (self._folder / JOURNAL).unlink(missing_ok=True)
            self._open(again=True)
            self._there = []
            for followed in self._followed[: place + 1]:
                self._study.add_trial(self._frozen(followed))

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


class Beside:
    """A mirror in a separate thread: no game waits for a remote database."""

    def __init__(self, mirror: OptunaMirror) -> None:
        self._mirror, self._fault = mirror, list[BaseException]()
        self._queue = Queue[Trial | None]()
        self._thread = Thread(target=self._work, daemon=True)
        self._thread.start()

    def follow(self, trial: Trial) -> None:
        """Queue a finished trial; raise the errors of earlier ones."""
        self._raise()
        self._queue.put(trial)

    def catch_up(self) -> None:
        """Wait until everything possible is written, and end the thread."""
        self._queue.put(None)
        self._thread.join()
        self._raise()

    def _raise(self) -> None:
        if self._fault:
            raise self._fault[0]

    def _work(self) -> None:
        try:
            while (trial := self._queue.get()) is not None:
                self._mirror.follow(trial)
            self._mirror.catch_up()
        except BaseException as error:
            self._fault.append(error)


def distribution(axis: Axis) -> BaseDistribution:
    """Return an axis as an Optuna distribution."""
    if axis.kind == "choice":
        return CategoricalDistribution(list(axis.choices))
    if axis.kind == "int":
        step = 1 if axis.step is None or axis.log else int(axis.step)
        return IntDistribution(int(axis.low), int(axis.high), log=axis.log, step=step)
    return FloatDistribution(axis.low, axis.high, log=axis.log, step=axis.step)
