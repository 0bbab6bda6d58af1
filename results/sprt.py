"""The sequential test that stops a match early: exact generalised SPRT, and the estimate after it.

Feed it the contiguous finished prefix of the blocks in schedule order, never blocks as they arrive:
where the length of a game depends on its result, the first to arrive are no fair sample, and the
error rates do not hold.
Sources: Van den Bergh, "MLE for multinomial" and "Normalized Elo, practical"; Siegmund, "Sequential
Analysis", 8.33 (overshoot). Formulas checked against fishtest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from joute.results.statistics import EMPTY, ENOUGH, NELO, Counts, cells_of, moments, score_of

Verdict = Literal["H0", "H1", "continue"]
MODELS = ("logistic", "normalized")
FARTHEST = 1000.0
"""Elo beyond which estimates after a test are not followed; an end equal to it is open."""

FARTHEST_NORMALIZED = 200.0
"""Limit of normalised hypotheses; the fit by tilts has no solution once |t| passes 1 (245 Elo)."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class AfterSprt:
    """Median-unbiased Elo after a sequential test, its 95 % interval and the probability `los` of
    being the stronger. Ends at +-1000 Elo are open. `note` is a sentence, or "".
    """

    elo: float
    low: float
    high: float
    los: float
    note: str = ""


@dataclass(frozen=True)
class Sprt:
    """Test of H1 "at least `elo1` stronger" against H0 "at most `elo0`", in Elo of `model`.

    `alpha` bounds the chance of accepting H1 at `elo0`, `beta` that of accepting H0 at `elo1`.
    ValueError if elo0 >= elo1, a rate is outside ]0, 0.5[ or the model is unknown.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: str = "logistic"

    def __post_init__(self) -> None:
        """Check the arguments."""
        if self.model not in MODELS:
            raise ValueError(f"model must be logistic or normalized, not {self.model!r}")
        farthest = FARTHEST if self.model == "logistic" else FARTHEST_NORMALIZED
        if not -farthest <= self.elo0 < self.elo1 <= farthest:
            raise ValueError(
                f"elo0 < elo1 is needed, both within {farthest:.0f}: {self.elo0}, {self.elo1}"
            )
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 0.5:
                raise ValueError(f"{name} must lie strictly between 0 and 0.5, not {rate}")

    def bounds(self, below: float = 0.0, above: float = 0.0) -> tuple[float, float]:
        """Log-likelihood ratios (lower, upper) beyond which to stop: Wald's, each drawn in by the
        mean overshoot that it is given (never past 0).
        """
        lower = math.log(self.beta / (1 - self.alpha))
        upper = math.log((1 - self.beta) / self.alpha)
        return min(0.0, lower + below), max(0.0, upper - above)

    def llr(self, counts: Counts) -> float:
        """Exact log-likelihood ratio of H1 to H0 (natural logarithm); 0 without data."""
        values, cells = cells_of(counts)
        if not cells.any():
            return 0.0
        cells = np.where(cells == 0, EMPTY, cells)
        seen = cells / cells.sum()
        if self.model == "logistic":
            fits = [_fit_mean(values, seen, score_of(elo)) for elo in (self.elo0, self.elo1)]
        else:
            games = 2 if len(cells) == 5 else 1
            scale = math.sqrt(games) / NELO
            fits = [_fit_t(values, seen, elo * scale) for elo in (self.elo0, self.elo1)]
        return float(cells @ (np.log(fits[1]) - np.log(fits[0])))

    def verdict(self, counts: Counts) -> Verdict:
        """Return Wald's verdict on these counts: accept "H0", accept "H1" or "continue"."""
        return _decide(self.llr(counts), self.bounds())

    def watch(self) -> SprtWatch:
        """A test under way, to be fed block after block."""
        return SprtWatch(self)

    def after(self, counts: Counts, llrs: Sequence[float] = ()) -> AfterSprt:
        """Estimate freed from the bias of having stopped, in logistic Elo whatever the model.

        The ratio is taken for a Brownian motion between Wald's bounds (fishtest `sprt.analytics`).
        `llrs` of a `SprtWatch` say that the test stopped at bounds corrected for overshoot.
        """
        _, cells = cells_of(counts)
        if not cells.any():
            return AfterSprt(0.0, -FARTHEST, FARTHEST, 0.5, "no block was played")
        total, mean, variance = moments(counts)
        spread = math.sqrt(variance * (2 if len(cells) == 5 else 1))
        if self.model == "logistic":
            s0, s1 = score_of(self.elo0), score_of(self.elo1)
        else:
            s0, s1 = (0.5 + elo / NELO * spread for elo in (self.elo0, self.elo1))
        slope = (mean - (s0 + s1) / 2) * (s1 - s0) / variance
        lower, upper = self.bounds()
        stop_low, stop_high = self.bounds(*overshoot(llrs))
        time, end = total, total * slope
        if end < stop_low:
            time, end = lower / slope, lower
        elif end > stop_high:
            time, end = upper / slope, upper

        def worse(elo: float) -> float:
            drift = (score_of(elo) - (s0 + s1) / 2) * (s1 - s0) / variance
            return _worse(lower, upper, drift, (s1 - s0) / math.sqrt(variance), time, end)

        centre, width = (self.elo0 + self.elo1) / 2, self.elo1 - self.elo0
        note = ""
        if np.count_nonzero(cells) < 2:
            note = "all blocks ended the same way: this estimate means little"
        elif total < ENOUGH:
            note = f"only {cells.sum():.0f} blocks: this estimate is rough"
        low, elo, high = (_solve(worse, level, centre, width) for level in (0.975, 0.5, 0.025))
        if abs(elo) == FARTHEST:
            note = note or "the engines are more than 1000 Elo apart"
        return AfterSprt(elo, min(low, elo), max(elo, high), worse(0.0), note)


class SprtWatch:
    """A test under way: feed it the running totals after each block, in schedule order.

    Bounds are corrected for overshoot. The first decision is final: later blocks are not read.
    `verdict` is the current one, `llrs` the ratio after each block read.
    """

    def __init__(self, test: Sprt) -> None:
        """Start `test` without data."""
        self.test = test
        self.verdict: Verdict = "continue"
        self.llrs: list[float] = []
        self._records = _Records()

    @property
    def bounds(self) -> tuple[float, float]:
        """Bounds of the ratio, corrected for overshoot as far as it is known."""
        return self.test.bounds(*self._records.overshoot())

    def feed(self, counts: Counts) -> Verdict:
        """Read the totals after one more block and return the verdict so far."""
        if self.verdict == "continue":
            self.llrs.append(self.test.llr(counts))
            self._records.add(self.llrs[-1])
            self.verdict = _decide(self.llrs[-1], self.bounds)
        return self.verdict


@dataclass
class _Records:
    """Jumps between the record lows and highs of a walk from 0: sums and sums of squares."""

    low: float = 0.0
    high: float = 0.0
    drops: float = 0.0
    drops2: float = 0.0
    rises: float = 0.0
    rises2: float = 0.0

    def add(self, value: float) -> None:
        drop, rise = max(0.0, self.low - value), max(0.0, value - self.high)
        self.low, self.high = min(self.low, value), max(self.high, value)
        self.drops, self.drops2 = self.drops + drop, self.drops2 + drop**2
        self.rises, self.rises2 = self.rises + rise, self.rises2 + rise**2

    def overshoot(self) -> tuple[float, float]:
        return (
            self.drops2 / (2 * self.drops) if self.drops else 0.0,
            self.rises2 / (2 * self.rises) if self.rises else 0.0,
        )


def overshoot(llrs: Iterable[float]) -> tuple[float, float]:
    """Mean excess (below the lower, above the upper bound), both >= 0, with which a walk that has
    taken these values would cross a bound, from the jumps between its records (Siegmund 8.33).
    """
    records = _Records()
    for value in llrs:
        records.add(value)
    return records.overshoot()


def _decide(llr: float, bounds: tuple[float, float]) -> Verdict:
    if llr < bounds[0]:
        return "H0"
    return "H1" if llr > bounds[1] else "continue"


def _tilt(gains: Floats, seen: Floats) -> Floats:
    """`seen` bent the least (in likelihood) so that the mean of `gains` becomes 0."""
    from scipy.optimize import brentq

    low, high = -1 / float(gains.max()), -1 / float(gains.min())
    margin = 1e-14 * (high - low)

    def mean(theta: float) -> float:
        return float(np.sum(seen * gains / (1 + theta * gains)))

    low, high = low + margin, high - margin
    if mean(low) <= 0:
        theta = low
    elif mean(high) >= 0:
        theta = high
    else:
        theta = brentq(mean, low, high, xtol=1e-16, rtol=1e-15)
    bent: Floats = seen / (1 + theta * gains)
    return bent


def _fit_mean(values: Floats, seen: Floats, score: float) -> Floats:
    """Most likely distribution of mean `score` on `values`, given the frequencies `seen`."""
    return _tilt(values - score, seen)


def _fit_t(values: Floats, seen: Floats, t: float) -> Floats:
    """Most likely distribution whose (mean - 1/2) / deviation is `t`, by at most ten tilts."""
    fit = np.full(len(values), 1 / len(values))
    for _ in range(10):
        mean = float(fit @ values)
        deviation = math.sqrt(float(fit @ (values - mean) ** 2))
        gains = values - 0.5 - t * deviation / 2 * (1 + ((values - mean) / deviation) ** 2)
        last, fit = fit, _tilt(gains, seen)
        if float(np.max(np.abs(fit - last))) < 1e-9:
            break
    return fit


def _worse(
    lower: float, upper: float, drift: float, sigma: float, time: float, end: float
) -> float:
    """Chance that a Brownian motion from 0 leaves by `lower` before `time`, or is at `time` still
    between the bounds and below `end`. Exact: reflected images, summed in logarithms.
    """
    width, scale = upper - lower, sigma * math.sqrt(time)
    tilt, shift = drift / sigma**2, drift * time
    reach = math.ceil(5 * scale / width) + 2
    turns = 2 * width * np.arange(-reach, reach + 1)
    # First passages through `lower`: one per image, at the signed distance `way`.
    way = turns - lower
    far, pull = np.abs(way), abs(tilt)
    through = np.exp(tilt * lower - pull * far + log_ndtr((abs(shift) - far) / scale))
    through += np.exp(tilt * lower + pull * far + log_ndtr((-abs(shift) - far) / scale))
    left = float(np.sum(np.sign(way) * through))
    # Alive at `time` in [lower, end]: images at `turns`, mirror images at 2 lower + `turns`.
    images = np.concatenate([turns, turns + 2 * lower])
    signs = np.repeat([1.0, -1.0], len(turns))
    a, b = (lower - images - shift) / scale, (end - images - shift) / scale
    flip = a > 0
    a, b = np.where(flip, -b, a), np.where(flip, -a, b)
    mass = np.exp(tilt * images + log_ndtr(b)) - np.exp(tilt * images + log_ndtr(a))
    return min(1.0, max(0.0, left + float(np.sum(signs * mass))))


def _solve(worse: Callable[[float], float], level: float, centre: float, width: float) -> float:
    """Elo at which `worse` equals `level`, looked for ever farther from `centre`."""
    from scipy.optimize import brentq

    reach = 30 * width
    while True:
        low, high = max(centre - reach, -FARTHEST), min(centre + reach, FARTHEST)
        at_low, at_high = worse(low) - level, worse(high) - level
        if at_low * at_high <= 0:
            return float(brentq(lambda elo: worse(elo) - level, low, high, xtol=1e-10))
        if low == -FARTHEST and high == FARTHEST:
            return high if at_low > 0 else low
        reach *= 2
