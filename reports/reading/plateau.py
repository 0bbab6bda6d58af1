"""Whether a training has stopped to improve: by the ladder, and by the losses on new games."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from joute.results.quantity import elo_ends
from joute.results.ratings.ratings import Ratings

LAST = 6
"""Iterations, of late, by which a trend is judged."""
FEWEST = 4
"""Iterations that a trend needs."""
HARDLY = 50.0
"""Elo that the last generations may have gained at most, where "no more" is said."""
BY_HEART = 2.0
"""So many times as large is the loss of a memorised value on new games as on those it learnt from."""
FELL, FLAT = 0.1, 0.02
"""Or on its own games the loss fell by more than the first share, on new ones by less than the second."""


class Trend(NamedTuple):
    """A line through values: the first and the last of it, and the 95 % interval of its slope."""

    first: float
    last: float
    low: float
    high: float

    @property
    def falls(self) -> bool:
        """Whether the values surely fall."""
        return self.high < 0


def trend_of(values: Sequence[float]) -> Trend | None:
    """Return the trend of the last values, by least squares and Student's t; None if they are too few."""
    y = np.asarray(values[-LAST:], float)
    if len(y) < FEWEST:
        return None
    x = np.arange(len(y)) - (len(y) - 1) / 2
    slope = float(x @ y / (x @ x))
    line = y.mean() + slope * x
    error = math.sqrt(float(((y - line) ** 2).sum()) / (len(y) - 2) / float(x @ x))
    half = float(stdtrit(len(y) - 2, 0.975)) * error
    return Trend(float(line[0]), float(line[-1]), slope - half, slope + half)


def outlook(
    ratings: Ratings, first: str, last: str, alike: int, entries: Sequence[Mapping[str, Any]]
) -> str:
    """Say of generations that cannot be told apart, `first` to `last`, whether more games may help."""
    gained = ratings.elo_interval(ratings.names.index(last), ratings.names.index(first))
    ends = elo_ends(gained.low, gained.high) or "unknown"
    told = (
        f"The last {alike} generations of the ladder cannot be told apart ({last} over {first}: "
        f"Elo {ends})"
    )
    losses = [e["fresh"]["policy_loss"] + e["fresh"]["value_loss"] for e in entries if "fresh" in e]
    trend = trend_of(losses)
    if trend is None:
        return f"{told}; after so few iterations nobody can tell whether more games help."
    moved = f"from {trend.first:.2f} to {trend.last:.2f} in the last {min(len(losses), LAST)} iterations"
    if trend.falls:
        return f"{told}, but the loss on new games still falls, {moved}: more games may help."
    if gained.high is not None and gained.high <= HARDLY:
        return (
            f"{told}, and the loss on new games no longer falls surely, {moved}: more games of the "
            "same kind may not help."
        )
    return f"{told}; the loss on new games, {moved}, does not tell whether more games help."


def by_heart(entries: Sequence[Mapping[str, Any]]) -> str:
    """Say that the value has lately memorised the games it learnt from; "" if not.

    New games of an iteration were evaluated by its parent before it learnt from them.
    """
    learnt = {e["generation"]: e["learnt"]["value_loss"] for e in entries if "learnt" in e}
    pairs = [
        (learnt[e["parent"]], e["fresh"]["value_loss"])
        for e in entries
        if "fresh" in e and e["parent"] in learnt
    ]
    if not pairs:
        return ""
    late = pairs[-3:]
    own, new = (sum(losses) / len(late) for losses in zip(*late, strict=True))
    advice = "fewer learn.epochs, a larger learn.window or another selfplay.value_mix may help."
    if new >= BY_HEART * own:
        return (
            f"The value has memorised games: its squared error is {own:.2f} on games that it learnt "
            f"from and {new:.2f} on new ones (always answering 0 gives at most 1); {advice}"
        )
    trends = [trend_of([pair[i] for pair in pairs]) for i in (0, 1)]
    if trends[0] is None or trends[1] is None:
        return ""
    mine, others = trends[0], trends[1]
    if (
        mine.falls
        and mine.last < (1 - FELL) * mine.first
        and others.last > (1 - FLAT) * others.first
    ):
        return (
            f"The value learns games by heart: its squared error fell from {mine.first:.2f} to "
            f"{mine.last:.2f} on games that it learns from, but on new ones it went from "
            f"{others.first:.2f} to {others.last:.2f}; {advice}"
        )
    return ""
