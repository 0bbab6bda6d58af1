"""One Gaussian process on the log-odds of winning, read from binomial counts.

Laplace's approximation (Rasmussen and Williams 2006, chapter 3.4); sizes and lengths by maximum
posterior on the evidence of the Gaussian sites that Laplace leaves, in rounds. The mean is a bowl with
a flat floor: engines are rarely at their best at the ends of a range, and one of the second degree
would draw every answer to the middle.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_solve, solve_triangular
from scipy.linalg.lapack import dpotrf, dpotri
from scipy.optimize import minimize

from joute.engines.kernels.compile import Floats
from joute.studies.tuner.model.jumps import Jumps
from joute.studies.tuner.model.kernel import Covariance, size
from joute.studies.tuner.model.records import Records

NEWTON, HALVINGS = 40, 8
LEAST_WEIGHT = 1e-8
REACH = 4.0  # standard deviations of the prior that sizes and lengths stay within


def chance(log_odds: Floats) -> Floats:
    """Return the winning chance of log-odds."""
    chances: Floats = 0.5 * (1 + np.tanh(0.5 * np.asarray(log_odds)))
    return chances


class Process:
    """A Gaussian process with its own prior over theta; entries of spread 0 are fixed.

    `settle` reads counts at the present theta; `learn` moves theta; `predict` answers in log-odds.
    """

    def __init__(self, covariance: Covariance, centre: Floats, spread: Floats) -> None:
        self.covariance, self.centre, self.spread = covariance, centre, spread
        self.theta: Floats = centre.copy()
        self.free = spread > 0
        self.evidence = -np.inf
        self.latent: Floats | None = None

    def mean(self, X: Floats) -> Floats:
        """Return the prior mean of the log-odds, up to its level."""
        mean: Floats = -self.covariance.falls(X) @ self.covariance.steepness(self.theta)
        return mean

    def forget(self) -> None:
        """Forget the last `settle`: the places have changed."""
        self.latent = None
        if self.covariance.jumps:
            self.covariance.jumps.forget()

    def settle(self, records: Records | Floats, won: Floats, games: Floats) -> None:
        """Find the mode of the log-odds of records, or at places (n, columns), and the evidence there;
        locate an expected jump first.
        """
        if not isinstance(records, Records):
            records = Records(records.copy())
        self._settle(records, won, games)
        jumps = self.covariance.jumps
        if jumps and len(records):
            self._locate(jumps)
            self._settle(records, won, games)
            self.evidence -= jumps.surprise

    def _locate(self, jumps: Jumps) -> None:
        """Locate the jump in the sites of the last `_settle`."""
        records, root = self._records, self._root
        X = records.places
        assert self.latent is not None
        K = records.covariances(self.covariance.without_jumps(X, X, self.theta))
        L = factor(root[:, None] * K * root)
        left = root * (self.latent + self._slope / (root * root))
        jumps.locate(records.values(jumps.beyond(X)), root, L, left, size(self.theta, "jump"))

    def _settle(self, records: Records, won: Floats, games: Floats) -> None:
        X = records.places
        K = records.covariances(self.covariance.between(X, X, self.theta))
        mean, n = records.values(self.mean(X)), len(records)
        start = self.latent
        f = np.zeros(n)
        if start is not None and len(start) <= n:
            f[: len(start)] = start
        best, old, value = -np.inf, None, -np.inf
        for _ in range(NEWTON):
            p = chance(f + mean)
            W = np.maximum(games * p * (1 - p), LEAST_WEIGHT)
            root = np.sqrt(W)
            L = factor(root[:, None] * K * root)
            b = W * f + won - games * p
            new = b - root * cho_solve((L, True), root * (K @ b), check_finite=False)
            step, a = 1.0, new
            for _ in range(HALVINGS):
                a = new if old is None else old + step * (new - old)
                f = K @ a
                z = f + mean
                value = float((won * z - games * np.logaddexp(0, z)).sum() - 0.5 * a @ f)
                if old is None or value > best - 1e-9:
                    break
                step *= 0.5
            done = abs(value - best) < 1e-6
            best, old = value, a
            if done:
                break
        p = chance(f + mean)
        root = np.sqrt(np.maximum(games * p * (1 - p), LEAST_WEIGHT))
        L = factor(root[:, None] * K * root)
        self.latent, self._records = f, records
        self._slope, self._root, self._factor = won - games * p, root, L
        away = ((self.theta - self.centre) / np.where(self.free, self.spread, 1.0))[self.free]
        self.evidence = best - float(np.log(np.diag(L)).sum()) - 0.5 * float(away @ away)

    def learn(self, steps: int) -> None:
        """Move theta to a better posterior on the sites of the last `settle`; none: the prior's."""
        records = self._records
        if not len(records):
            return
        if not self.free.any():
            return
        X, root, free = records.places, self._root, self.free
        assert self.latent is not None
        level = self.latent + records.values(self.mean(X))
        target = level + self._slope / (root * root)
        falls = records.values(self.covariance.falls(X))
        still = self.covariance.fixed(X)

        def cost(t: Floats) -> tuple[float, Floats]:
            theta = self.theta.copy()
            theta[free] = t
            K, slope_of = self.covariance.with_slope(X, still, theta)
            L = factor(root[:, None] * records.covariances(K) * root)
            steep = self.covariance.steepness(theta)
            z = root * (target + falls @ steep)
            alpha = cho_solve((L, True), z, check_finite=False)
            value = -0.5 * float(z @ alpha) - float(np.log(np.diag(L)).sum())
            inverse = dpotri(L, lower=1)[0]  # its lower half, as L has nothing above
            inverse.flat[:: len(inverse) + 1] *= 0.5
            a = root * alpha
            inverse *= root[:, None]
            inverse *= root
            weights = a[:, None] * a
            weights -= inverse
            weights -= inverse.T
            slope = 0.5 * slope_of(records.weights(weights))
            by_steepness = -steep * np.array([fall @ a for fall in falls.T])
            self.covariance.add_fall_slopes(by_steepness, slope)
            u = (t - self.centre[free]) / self.spread[free]
            return 0.5 * float(u @ u) - value, u / self.spread[free] - slope[free]

        low = (self.centre - REACH * self.spread)[free]
        high = (self.centre + REACH * self.spread)[free]
        optimum = minimize(
            cost,
            np.clip(self.theta[free], low, high),
            jac=True,
            method="L-BFGS-B",
            bounds=list(zip(low, high, strict=True)),
            options={"maxiter": steps},
        )
        self.theta = self.theta.copy()
        self.theta[free] = optimum.x
        self.latent = level - records.values(self.mean(X))

    def expected(self, X: Floats) -> Floats:
        """Return the posterior mean of the log-odds at places X."""
        records = self._records
        K = self.covariance.between(X, records.places, self.theta)
        if records.first is not None:
            K = records.values(K.T).T
        mean: Floats = K @ self._slope + self.mean(X)
        return mean

    def at_places(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Return of each record of the last `settle` mean and variance of the log-odds, and the
        precision and the value of the normal record that stands for its games.
        """
        records = self._records
        X = records.places
        precision = self._root**2
        assert self.latent is not None
        own = records.values(self.mean(X))
        if records.first is None:
            mean, variance = self.predict(X)
        else:
            K = records.covariances(self.covariance.between(X, X, self.theta))
            V = solve_triangular(self._factor, self._root[:, None] * K, lower=True)
            mean = K @ self._slope + own
            variance = np.maximum(K.diagonal() - (V * V).sum(0), 1e-12)
        return mean, variance, precision, self.latent + own + self._slope / precision

    def at_scores(self) -> tuple[Floats, Floats]:
        """Return of each record of the last `settle` the expected score, and the share that its own
        games have in that.
        """
        mean, variance, precision, _ = self.at_places()
        return chance(mean), np.clip(variance * precision, 0.0, 1.0)

    def predict(self, X: Floats) -> tuple[Floats, Floats]:
        """Return mean and variance of the log-odds at each of the places X."""
        mean, V = self._explained(X)
        left = self.covariance.diagonal(X, self.theta) - (V * V).sum(0)
        return mean, np.maximum(left, 1e-12)

    def beside(self, X: Floats, others: Floats) -> tuple[Floats, Floats]:
        """Return mean and variance of how far the log-odds at each of the places X exceed the mean of
        those at others.
        """
        mean, V = self._explained(X)
        level, shared = self._explained(others)
        shared = shared.mean(1)
        cross = self.covariance.between(X, others, self.theta).mean(1) - V.T @ shared
        own = self.covariance.diagonal(X, self.theta) - (V * V).sum(0)
        whole = float(self.covariance.between(others, others, self.theta).mean() - shared @ shared)
        return mean - level.mean(), np.maximum(own - 2 * cross + whole, 1e-12)

    def joint(self, X: Floats) -> tuple[Floats, Floats]:
        """Return mean and covariance matrix of the log-odds at places X."""
        mean, V = self._explained(X)
        covariance: Floats = self.covariance.between(X, X, self.theta) - V.T @ V
        return mean, covariance

    def _explained(self, X: Floats) -> tuple[Floats, Floats]:
        records = self._records
        K = records.values(self.covariance.between(records.places, X, self.theta))
        V = solve_triangular(self._factor, self._root[:, None] * K, lower=True, check_finite=False)
        return K.T @ self._slope + self.mean(X), V


def factor(B: Floats) -> Floats:
    """Return the lower Cholesky factor of 1 + B; B is overwritten."""
    B.flat[:: len(B) + 1] += 1.0
    L, info = dpotrf(B, lower=1, clean=1, overwrite_a=1)
    if info:
        raise np.linalg.LinAlgError("a covariance is not positive")
    lower: Floats = L
    return lower
