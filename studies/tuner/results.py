"""Results as they are told: numbers of games, pairs by their scores, mean scores of blocks; all checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from joute.engines.errors import Refused, shown

MOST_GAMES = 10**9
SCORES = ("0", "1/2", "1", "3/2", "2")  # points of a pair
EXACT = 1e-6  # points, in games, that sums may differ by


def count(value: Any, what: str) -> float:
    """Return a number of games; raise Refused if it is invalid."""
    if not number(value):
        raise Refused(f"{what} = {shown(value)} is not a number of games")
    if not 0 <= value <= MOST_GAMES:  # false for NaN, too
        raise Refused(f"{what} = {shown(value)}; allowed: 0 to {MOST_GAMES}")
    return float(value)


def results_told(wins: Any, draws: Any, losses: Any) -> list[float]:
    """Return wins, draws and losses; nothing if no wins are given."""
    if wins is None:
        if draws or losses:
            raise Refused("draws or losses without wins; allowed: all three")
        return []
    told = ((wins, "wins"), (draws, "draws"), (losses, "losses"))
    return [count(value, what) for value, what in told]


def pairs_told(pairs: Any, results: Sequence[float]) -> list[int]:
    """Return five numbers of pairs; raise Refused if they are invalid, or are not the games of
    `results` (wins, draws, losses; empty: not known).
    """
    if isinstance(pairs, str) or not hasattr(pairs, "__len__") or len(pairs) != len(SCORES):
        raise Refused(
            f"pairs = {shown(pairs)}; allowed: five numbers, of pairs with {', '.join(SCORES)} points"
        )
    told = [exact(value, f"pairs with {score}") for value, score in zip(pairs, SCORES, strict=True)]
    points = sum(n * k / 2 for k, n in enumerate(told))
    agree("pairs", 2 * sum(told), points, results)
    if results:
        once = told[1] + told[3]  # pairs with one draw; an even pair has two or none
        draws = results[1] - once
        if not 0 <= draws <= 2 * told[2] or draws % 2:
            raise Refused(
                f"draws = {shown(results[1])}, but pairs with 1/2 and 3/2 are {once}, with 1 "
                f"{told[2]}; allowed: one draw in each of the former, two or none in the latter"
            )
    return told


def blocks_told(blocks: Any, size: int, results: Sequence[float]) -> list[float]:
    """Return mean scores of blocks of so many games; raise Refused likewise."""
    if isinstance(blocks, str | dict) or not hasattr(blocks, "__iter__"):
        raise Refused(f"blocks = {shown(blocks)}; allowed: a list of mean scores, from 0 to 1")
    means = list(blocks)
    for mean in means:
        if not number(mean) or not 0 <= mean <= 1:
            raise Refused(f"blocks hold {shown(mean)}; allowed: mean scores, from 0 to 1")
    agree("blocks", size * len(means), size * sum(means), results)
    return [float(mean) for mean in means]


def scores_of_pairs(means: Sequence[float]) -> list[int] | None:
    """Return how many pairs have 0, 1/2, 1, 3/2 and 2 points, by their mean scores; None if some mean
    is none of wins, draws and losses.
    """
    quarters = [round(4 * mean) for mean in means]
    if any(abs(4 * mean - k) > EXACT for mean, k in zip(means, quarters, strict=True)):
        return None
    return [quarters.count(k) for k in range(len(SCORES))]


def agree(what: str, games: float, points: float, results: Sequence[float]) -> None:
    """Raise Refused if results are not those of so many games with so many points."""
    if not results:
        return
    wins, draws, _ = results
    told = sum(results), wins + draws / 2
    if abs(told[0] - games) > EXACT * (1 + games) or abs(told[1] - points) > EXACT * (1 + games):
        raise Refused(
            f"{what} make {games:g} games and {points:g} points, but wins, draws and losses {told[0]:g} "
            f"and {told[1]:g}; allowed: the same games"
        )


def exact(value: Any, what: str) -> int:
    """Return a whole number of pairs; raise Refused if it is negative, fractional or too large."""
    if not number(value) or not 0 <= value <= MOST_GAMES or value != int(value):
        raise Refused(f"{what} = {shown(value)}; allowed: whole numbers from 0 to {MOST_GAMES}")
    return int(value)


def number(value: Any) -> bool:
    """Whether a value is a number."""
    return not isinstance(value, bool) and isinstance(value, int | float | np.integer | np.floating)
