"""bask (`bayes-skopt`) as chess-tuning-tools uses it: a Gaussian process of Elo with a noise a trial.

Settings are those of `tune local` 0.11: ten pairs a trial, 16 first points of a low-discrepancy sequence,
max-value entropy search over 500 points, 300 draws of the kernel's parameters after five of burn-in, its
priors, warped inputs. The score of a trial is on its scale, 4 log10 of the odds, with the variance of a
Dirichlet posterior; as this bench tells games, not pairs, over wins, draws and losses, the prior being as
heavy as its 2.5 pairs. What is recommended is the top of the process's mean; before there is one, the
middle of the box.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.stats import halfnorm, invgamma

from benchmarks.tuners.rivals.rival import Trials
from benchmarks.tuners.space import Array, Point, Space, centre, point_of

PAIRS = 10
FIRST = 16
SCALE = 4.0
PRIOR = np.array([1.6, 1.8, 1.6])
"""Wins, draws and losses that each trial is believed to have had before its first."""
DRAWS = 20_000
"""Draws of the Dirichlet posterior, for the variance of a score."""
STARTS = 100
"""Random places among which the starts of the climb to the mean's top are chosen."""
TRIES = 5
"""Times that a failed fit is begun again, after some more draws of the kernel, as there."""


class Bask(Trials):
    """A Gaussian process over the box, whose kernel is drawn anew after each trial."""

    name = "bask"
    summary = "bask as chess-tuning-tools uses it: trials of 20 games, the top of its mean"
    most = 1000
    length = 2 * PAIRS

    def __init__(self, space: Space, seed: int, games: int) -> None:
        super().__init__(space, seed, games)
        from bask import Optimizer

        self._rng = np.random.default_rng([11, seed])
        self._optimizer: Any = Optimizer(
            dimensions=[(-1.0, 1.0)] * len(space),
            n_points=500,
            n_initial_points=FIRST,
            acq_func="mes",
            acq_func_kwargs={"alpha": 1.96, "n_thompson": 500},
            gp_kwargs={"normalize_y": True, "warp_inputs": True},
            gp_priors=priors(len(space)),
            random_state=np.random.RandomState(self._rng.integers(2**31)),
        )

    @classmethod
    def unable(cls, space: Space, games: int) -> str:
        """Return why it cannot tune this, including a missing bask."""
        if importlib.util.find_spec("bask") is None:
            return "needs bask, which is not installed"
        return super().unable(space, games)

    def begin(self) -> Point:
        """Return the point that the process asks for."""
        self._place = [float(place) for place in self._optimizer.ask()]
        return point_of(self.space, np.array(self._place))

    def finish(self, score: float) -> None:
        """Tell the process a trial's Elo and its variance."""
        counts = self._told + PRIOR
        elo = float(elo_of((counts[0] + counts[1] / 2) / counts.sum()))
        drawn = self._rng.dirichlet(counts, DRAWS)
        noise = float(np.var(elo_of(drawn[:, 0] + drawn[:, 1] / 2)))
        self._with_own_luck(lambda: self._tell(-elo, noise))

    def recommend(self) -> Point:
        """Return the top of the mean, climbed to from the five best of random places and those told."""
        model = self._optimizer.gp
        if model.pos_ is None:
            return centre(self.space)
        rng = np.random.default_rng([12, self.seed, len(self._optimizer.Xi)])
        unit = self._optimizer.space.transform(self._optimizer.Xi)
        starts = np.vstack([unit, rng.uniform(size=(STARTS, len(self.space)))])
        means = model.predict(starts)
        box = [(0.0, 1.0)] * len(self.space)
        ends = [
            minimize(lambda x: float(model.predict(x[None])[0]), start, bounds=box)
            for start in starts[np.argsort(means)[:5]]
        ]
        best = min(ends, key=lambda end: float(end.fun)).x
        return point_of(self.space, 2 * np.asarray(best) - 1)

    def estimate(self, point: Point) -> None:
        """Return None: its own interval of the mean is not read here."""

    def _tell(self, value: float, noise: float) -> None:
        first = self._optimizer.gp.chain_ is None
        told: dict[str, Any] = {"noise_vector": noise, "n_samples": 1, "gp_samples": 300}
        for left in reversed(range(TRIES)):
            try:
                self._optimizer.tell(self._place, value, gp_burnin=100 if first else 5, **told)
                return
            except ValueError:  # kept, but not fitted; told once more, as there
                if not left:
                    raise
                self._optimizer.gp.sample(n_burnin=11, priors=self._optimizer.gp_priors)

    def _with_own_luck(self, work: Callable[[], None]) -> None:
        """Do work that draws from numpy's global generator, as this rival's own luck."""
        state = np.random.get_state()
        np.random.seed(self._rng.integers(2**31))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                work()
        finally:
            np.random.set_state(state)


def elo_of(scores: Array | float) -> Array:
    """Return scores on the scale of chess-tuning-tools."""
    held = np.clip(scores, 1e-9, 1 - 1e-9)
    return np.asarray(SCALE * np.log10(held / (1 - held)))


@cache
def _lengths() -> Any:
    """Return the prior of a kernel's lengths: 98 % of it between .1 and .5 of the box."""

    def ratio(shape: float) -> float:
        low, high = invgamma.ppf([0.01, 0.99], shape)
        return float(high / low) - 5.0

    shape = brentq(ratio, 1.0, 100.0)
    return invgamma(a=shape, scale=0.1 / invgamma.ppf(0.01, shape))


def priors(count: int) -> list[Callable[[float], float]]:
    """Return log densities of the kernel's parameters, themselves as logarithms: signal, lengths, noise."""

    def spread(scale: float) -> Callable[[float], float]:
        density = halfnorm(scale=scale)
        return lambda x: float(density.logpdf(np.exp(x / 2)) + x / 2 - np.log(2))

    lengths = _lengths()
    length = [lambda x: float(lengths.logpdf(np.exp(x)) + x)] * count
    return [spread(4.0), *length, spread(0.0006)]
