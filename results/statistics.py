"""Score, Elo and their intervals from counts of blocks: pure functions, no store, no tables.

A block is one opening with all its seatings; its value is the mean return of the tested engine, in
[0, 1]. Two players: a pair of games, value in {0, 1/4, 1/2, 3/4, 1}. All numbers are from the point
of view of the tested engine; all intervals are 95 %.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit

Counts: TypeAlias = Sequence[float]
"""Numbers of outcomes, worst first: L, D, W (single games) or LL, LD, WL + DD, WD, WW (pairs)."""

NELO = 800 / math.log(10)
"""Normalised Elo for one standard deviation of a single game (Van den Bergh)."""

ENOUGH = 30
"""Blocks from which the large-sample formulas are used."""

EMPTY = 1e-3
"""Pseudo-count of an empty cell in the large-sample formulas (fishtest)."""

EDGE = 1e-3
"""Large-sample Elo: scores are held this far from 0 and 1, hence within 1200 Elo (fishtest)."""

SAME = 1e-12
"""Block means closer than this are the same value."""

Z = float(ndtri(0.975))


@dataclass(frozen=True)
class Formula:
    """The large-sample formulas alone (fishtest's, empty cells filled): scores in [0, 1], the rest
    in Elo, `los` a probability; `*_error` are half widths of 95 % intervals.
    """

    score: float
    deviation: float
    elo: float
    elo_low: float
    elo_high: float
    elo_error: float
    nelo: float
    nelo_error: float
    los: float


@dataclass(frozen=True)
class Estimate:
    """The tested engine's strength from N blocks. None: unbounded, or undefined for these blocks.

    `score*` are in [0, 1], `elo*` and `nelo*` in Elo (`*_error`: half width of the 95 % interval),
    `los` is the probability of being the stronger. `method` is "normal", "Student t", "Wilson" or
    "exact bound"; `note` is a sentence on what the reader should know, or "".
    """

    blocks: int
    score: float
    score_low: float
    score_high: float
    elo: float | None = None
    elo_low: float | None = None
    elo_high: float | None = None
    elo_error: float | None = None
    nelo: float | None = None
    nelo_error: float | None = None
    los: float | None = None
    method: str = "normal"
    note: str = ""


SURE = 0.975  # the likelihood from which an engine is said to be stronger: an interval of 95 %


def is_sure(estimate: Estimate) -> bool:
    """Whether blocks tell which of two engines is stronger."""
    if estimate.los is None:  # all blocks are equal: the exact bound decides
        return estimate.score_low > 0.5 or estimate.score_high < 0.5
    return max(estimate.los, 1 - estimate.los) >= SURE


def elo_of(score: float) -> float:
    """Elo difference at which the expected score is `score`; ValueError outside ]0, 1[."""
    if not 0 < score < 1:
        raise ValueError(f"an Elo needs a score strictly between 0 and 1, not {score}")
    return 400 * math.log10(score / (1 - score))


def score_of(elo: float) -> float:
    """Expected score, in [0, 1], of an engine that is `elo` Elo stronger than its opponent."""
    power = 10 ** (-min(abs(elo), 1e5) / 400)
    return 1 / (1 + power) if elo >= 0 else power / (1 + power)


def wilson(successes: float, n: float) -> tuple[float, float]:
    """Wilson's 95 % interval, in [0, 1], of the chance behind `successes` out of `n` trials."""
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes out of {n} trials is impossible")
    if n == 0:
        return 0.0, 1.0
    rate = successes / n
    centre = (rate + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * math.sqrt(rate * (1 - rate) / n + Z**2 / (4 * n**2))
    return max(0.0, min(rate, centre - half)), min(1.0, max(rate, centre + half))


def pair_counts(values: Iterable[float]) -> tuple[int, int, int, int, int]:
    """Five counts, worst first, of pairs worth 0, 1/4, 1/2, 3/4 or 1; else ValueError."""
    quarters = 4 * np.asarray(list(values), dtype=np.float64)
    cells = np.rint(quarters)
    if not np.all((np.abs(quarters - cells) < 1e-9) & (cells >= 0) & (cells <= 4)):
        raise ValueError("the value of a pair of games is 0, 1/4, 1/2, 3/4 or 1")
    counts = np.bincount(cells.astype(np.int64), minlength=5)
    return int(counts[0]), int(counts[1]), int(counts[2]), int(counts[3]), int(counts[4])


def cells_of(counts: Counts) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Values in [0, 1] and numbers of the cells, worst first; ValueError on an impossible list."""
    cells = np.asarray(counts, dtype=np.float64)
    if cells.shape not in ((3,), (5,)):
        raise ValueError("counts are three (L, D, W) or five (pairs, worst first) numbers")
    if not np.all(np.isfinite(cells)) or np.any(cells < 0):
        raise ValueError(f"counts cannot be negative or infinite: {list(counts)}")
    return np.linspace(0, 1, len(cells)), cells


def moments(counts: Counts) -> tuple[float, float, float]:
    """Blocks, mean and variance of their values, after filling empty cells as fishtest does."""
    values, cells = cells_of(counts)
    cells = np.where(cells == 0, EMPTY, cells)
    total = float(cells.sum())
    mean = float(cells @ values) / total
    return total, mean, float(cells @ (values - mean) ** 2) / total


def formula(counts: Counts) -> Formula:
    """Return the large-sample formulas for any number of blocks; `estimate` knows their limit.

    Source: fishtest `stat_util.get_elo`; Van den Bergh, "Normalized Elo".
    """
    total, mean, variance = moments(counts)
    games = 2 if len(counts) == 5 else 1
    return _large(total, mean, math.sqrt(variance), math.sqrt(games))


def estimate(counts: Counts) -> Estimate:
    """Estimate from outcome counts: exact bound if all blocks are equal, Student t below 30 blocks
    (Wilson for single games without draws), the large-sample formulas from 30 on.
    """
    values, cells = cells_of(counts)
    if np.any(cells != np.rint(cells)):
        raise ValueError(f"counts are whole numbers: {list(counts)}")
    blocks = int(cells.sum())
    if np.count_nonzero(cells) < 2:
        return _constant(blocks, float(values[cells > 0][0]) if blocks else 0.5)
    games = 2 if len(cells) == 5 else 1
    mean = float(cells @ values) / blocks
    if blocks >= ENOUGH:
        return _normal(blocks, mean, formula(counts))
    if games == 1 and cells[1] == 0:
        return _win_rate(int(cells[2]), blocks)
    deviation = math.sqrt(float(cells @ (values - mean) ** 2) / blocks)
    return _student(blocks, mean, deviation, math.sqrt(games), games=True)


def estimate_means(values: ArrayLike, *, elo: bool = True, pairs: bool = False) -> Estimate:
    """Estimate from a list of block means in [0, 1], for tables of any size (a return of 1/2 is
    even). Normalised Elo is not defined here; `elo=False` also leaves the Elo out. `pairs`: the blocks
    are pairs of games, of which a few claim no more than as many perfect ones.
    """
    means = np.asarray(values, dtype=np.float64)
    if means.ndim != 1 or not np.all((means >= -SAME) & (means <= 1 + SAME)):
        raise ValueError("block means are a list of numbers between 0 and 1")
    means = np.clip(means, 0, 1)
    blocks = len(means)
    if blocks == 0 or float(np.ptp(means)) <= SAME:
        estimated = _constant(blocks, float(means[0]) if blocks else 0.5)
    else:
        mean, deviation = float(means.mean()), float(means.std())
        if blocks >= ENOUGH:
            estimated = _normal(blocks, mean, _large(blocks, mean, deviation, 1.0))
        else:
            estimated = _student(blocks, mean, deviation, 1.0, games=pairs)
    estimated = replace(estimated, nelo=None, nelo_error=None)
    if not elo:
        estimated = replace(estimated, elo=None, elo_low=None, elo_high=None, elo_error=None)
    return estimated


def resolvable_elo(blocks: int, draw_ratio: float = 0.0) -> float | None:
    """Smallest Elo difference that `blocks` pairs find four times in five (95 % two-sided test).

    Assumes a pair's two games independent, equal engines and `draw_ratio` draws, so that the value
    of a pair has variance (1 - draw_ratio) / 8; no draws is the worst case. None: too few blocks.
    """
    if not 0 <= draw_ratio <= 1:
        raise ValueError(f"a draw ratio is between 0 and 1, not {draw_ratio}")
    if blocks < 2:
        return None
    needed = _critical(blocks, 0.975) + _critical(blocks, 0.8)
    score = 0.5 + needed * math.sqrt((1 - draw_ratio) / 8 / blocks)
    return elo_of(score) if score < 1 - EDGE else None


def _critical(blocks: int, level: float) -> float:
    """Quantile of a mean of `blocks` blocks, in standard errors: Student below 30, then normal."""
    return float(ndtri(level) if blocks >= ENOUGH else stdtrit(blocks - 1, level))


def _edged_elo(score: float) -> float:
    return elo_of(min(max(score, EDGE), 1 - EDGE))


def _large(total: float, mean: float, deviation: float, root_games: float) -> Formula:
    """Large-sample formulas from moments; `root_games` = square root of the games in a block."""
    error = deviation / math.sqrt(total)
    low, high = _edged_elo(mean - Z * error), _edged_elo(mean + Z * error)
    unit = NELO / (root_games * deviation)
    return Formula(
        score=mean,
        deviation=deviation,
        elo=_edged_elo(mean),
        elo_low=low,
        elo_high=high,
        elo_error=(high - low) / 2,
        nelo=(mean - 0.5) * unit,
        nelo_error=Z * error * unit,
        los=float(ndtr((mean - 0.5) / error)),
    )


def _normal(blocks: int, mean: float, large: Formula) -> Estimate:
    error = Z * large.deviation / math.sqrt(blocks)
    low, high = max(0.0, min(mean, large.score - error)), min(1.0, max(mean, large.score + error))
    base = Estimate(
        blocks, mean, low, high, nelo=large.nelo, nelo_error=large.nelo_error, los=large.los
    )
    if large.elo_low == large.elo_high:
        return replace(base, note="the score is too near 0 or 1 for an Elo within 1200")
    cut = large.score - error < EDGE or large.score + error > 1 - EDGE
    return replace(
        base,
        elo=large.elo,
        elo_low=large.elo_low,
        elo_high=large.elo_high,
        elo_error=large.elo_error,
        note="the interval is cut at 1200 Elo and open on that side" if cut else "",
    )


def _student(
    blocks: int, mean: float, deviation: float, root_games: float, games: bool = False
) -> Estimate:
    """Few blocks: Student t with `blocks` - 1 degrees of freedom; `deviation` divides by N.

    Blocks that are `games`, or pairs of them, claim no more than as many perfect ones would: an engine that
    scores `most` wins them all with a chance of 2.5 % at best, and one of two equals with that of a toss each.
    """
    error = deviation / math.sqrt(blocks - 1)
    wide = _critical(blocks, 0.975)
    unit = NELO / (root_games * deviation)
    low, high = max(0.0, mean - wide * error), min(1.0, mean + wide * error)
    los = float(stdtr(blocks - 1, (mean - 0.5) / error))
    if games:
        most, luck = 0.025 ** (1 / blocks), 0.5**blocks
        low, high = min(low, most), max(high, 1 - most)
        los = min(max(los, luck), 1 - luck)
    return replace(
        _with_elo(blocks, mean, low, high),
        nelo=(mean - 0.5) * unit,
        nelo_error=wide * error * unit,
        los=los,
        method="Student t",
        note=f"only {blocks} blocks: the interval is rough",
    )


def _win_rate(wins: int, blocks: int) -> Estimate:
    """Few games, none drawn: Wilson's interval, and the test of 1/2 that goes with it."""
    mean = wins / blocks
    deviation = math.sqrt(mean * (1 - mean))
    return replace(
        _with_elo(blocks, mean, *wilson(wins, blocks)),
        nelo=(mean - 0.5) * NELO / deviation,
        nelo_error=Z / math.sqrt(blocks) * NELO,
        los=float(ndtr((2 * mean - 1) * math.sqrt(blocks))),
        method="Wilson",
        note=f"only {blocks} games: the interval is rough",
    )


def _with_elo(blocks: int, mean: float, low: float, high: float) -> Estimate:
    """Score and Elo with their ends; an end at score 0 or 1 has no Elo."""
    elo_low = elo_of(low) if low > 0 else None
    elo_high = elo_of(high) if high < 1 else None
    error = None if elo_low is None or elo_high is None else (elo_high - elo_low) / 2
    return Estimate(blocks, mean, low, high, elo_of(mean), elo_low, elo_high, error)


def _constant(blocks: int, value: float) -> Estimate:
    """All blocks alike: no spread to measure, only a bound on how often another value can come.

    With 95 % confidence a block takes `value` with probability 0.05 ** (1 / N) or more; whatever
    the other blocks are worth, the score then lies between the two ends given.
    """
    surely = 0.05 ** (1 / blocks) if blocks else 0.0
    note = "no block was played"
    if blocks == 1:
        note = "a single block was played: the spread is unknown"
    elif blocks:
        note = f"all {blocks} blocks ended the same way, so the interval is an exact bound"
    return Estimate(
        blocks,
        value,
        surely * value,
        max(value, 1 - surely * (1 - value)),
        elo=elo_of(value) if blocks and 0 < value < 1 else None,
        method="exact bound",
        note=note,
    )
