"""QRS-Tune, as its description says: one quadratic logistic regression of all games, played around its top.

"Quadratic response surface", used on Go engines: no weights, no region; every game is played at the top
of the regression plus normal noise that shrinks linearly over the run. Written anew from the description,
with a damped Newton step (without it the regression runs away on steep problems).
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from benchmarks.tuners.rivals.clop import GROWTH, constant, corners, features, regression
from benchmarks.tuners.rivals.rival import Rival
from benchmarks.tuners.space import Array, Point, Space, places_of, point_of

FIRST, LAST = 0.6, 0.05
"""Standard deviation of the noise at the first and the last game, in half widths of the box."""


class Qrs(Rival):
    """Plays around the top of its regression, which it recommends."""

    name = "qrs"
    summary = "QRS-Tune: a quadratic logistic regression, played around its top"

    def __init__(self, space: Space, seed: int, games: int) -> None:
        super().__init__(space, seed, games)
        self._rng = np.random.default_rng([9, seed])
        self._places = np.empty((0, len(space)))
        self._told = np.empty((0, 3))
        self._coefficients = np.zeros(features(np.zeros((1, len(space)))).shape[1])
        self._top = np.zeros(len(space))
        self._fitted, self._asked = 0, 0

    def propose(self, games: int) -> list[tuple[Point, int]]:
        """Return one game near the top."""
        if len(self._told) >= GROWTH * self._fitted:
            self._fit()
        done = min(1.0, self._asked / self.games)
        self._asked += 1
        noise = FIRST + (LAST - FIRST) * done
        place = self._top + noise * self._rng.standard_normal(len(self.space))
        return [(point_of(self.space, np.clip(place, -1, 1)), 1)]

    def learn(self, point: Point, wins: int, draws: int, losses: int) -> None:
        """Keep the outcomes."""
        self._places = np.vstack([self._places, places_of(self.space, point)])
        self._told = np.vstack([self._told, [wins, draws, losses]])

    def recommend(self) -> Point:
        """Return the top of the regression of all games."""
        self._fit()
        return point_of(self.space, self._top)

    def _fit(self) -> None:
        if self._fitted == len(self._told):
            return
        self._fitted = len(self._told)
        _, margin, _ = constant(self._told.sum(0))
        rows = features(self._places)
        self._coefficients = regression(rows, self._told, margin, self._coefficients)
        self._top = self._highest()

    def _highest(self) -> Array:
        """Return the regression's top in the box, climbed to from the last one, the middle, and the
        best of the places that were played.
        """
        d = len(self.space)
        linear, (i, j) = self._coefficients[1 : d + 1], corners(d)
        bends = np.zeros((d, d))
        np.add.at(bends, (i, j), self._coefficients[d + 1 :] / 2)
        np.add.at(bends, (j, i), self._coefficients[d + 1 :] / 2)

        def below(place: Array) -> tuple[float, Array]:
            bent = bends @ place
            return -float(linear @ place + place @ bent), -(linear + 2 * bent)

        values = features(self._places) @ self._coefficients
        starts = [self._top, np.zeros(d), self._places[int(values.argmax())]]
        box = [(-1.0, 1.0)] * d
        tops = [minimize(below, start, jac=True, method="L-BFGS-B", bounds=box) for start in starts]
        return np.asarray(min(tops, key=lambda top: float(top.fun)).x)
