"""Optuna's samplers with their own settings, on trials of 32 games; the best trial is recommended."""

from __future__ import annotations

import importlib.util
import warnings

import optuna

from benchmarks.tuners.rivals.rival import Trials
from benchmarks.tuners.space import Axis, Category, Point, Real, Space, Value, Whole


class Optuna(Trials):
    """An Optuna study in memory, asked and told a trial at a time."""

    takes = (Real, Whole, Category)

    def __init__(self, space: Space, seed: int, games: int) -> None:
        super().__init__(space, seed, games)
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            self._study = optuna.create_study(direction="maximize", sampler=self.sampler(seed))

    def sampler(self, seed: int) -> optuna.samplers.BaseSampler:
        """Return Optuna's sampler."""
        raise NotImplementedError

    def begin(self) -> Point:
        """Return the point of a new trial of the study."""
        self._trial = self._study.ask()
        return {name: _suggested(self._trial, name, axis) for name, axis in self.space.items()}

    def finish(self, score: float) -> None:
        """Tell the study the result."""
        self._study.tell(self._trial, score)


def _suggested(trial: optuna.Trial, name: str, axis: Axis) -> Value:
    if isinstance(axis, Real):
        return trial.suggest_float(name, axis.low, axis.high)
    if isinstance(axis, Whole):
        return trial.suggest_int(name, int(axis.values[0]), int(axis.values[-1]))
    chosen = trial.suggest_categorical(name, axis.values)
    assert chosen is not None
    return chosen


class Tpe(Optuna):
    """Tree-structured Parzen estimators."""

    name = "tpe"
    summary = "Optuna's TPE on trials of 32 games, its best trial"

    def sampler(self, seed: int) -> optuna.samplers.BaseSampler:
        """Return TPE."""
        return optuna.samplers.TPESampler(seed=seed)


class CmaEs(Optuna):
    """Covariance matrix adaptation."""

    name = "cmaes"
    summary = "Optuna's CMA-ES on trials of 32 games, its best trial"

    def sampler(self, seed: int) -> optuna.samplers.BaseSampler:
        """Return CMA-ES, without warnings where Optuna replaces it (one axis, names)."""
        return optuna.samplers.CmaEsSampler(seed=seed, warn_independent_sampling=False)


class Gp(Optuna):
    """A Gaussian process with expected improvement, which needs torch."""

    name = "gp"
    summary = "Optuna's Gaussian process on trials of 32 games, its best trial"
    most = 1000

    @classmethod
    def unable(cls, space: Space, games: int) -> str:
        """Return why it cannot tune this, including a missing torch."""
        if importlib.util.find_spec("torch") is None:
            return "needs torch, which is not installed"
        return super().unable(space, games)

    def sampler(self, seed: int) -> optuna.samplers.BaseSampler:
        """Return the Gaussian process."""
        return optuna.samplers.GPSampler(seed=seed, deterministic_objective=False)
