"""Simulated games for the tuner, shared by tests."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
from scipy.special import ndtr

from joute.studies.tuner.domain import Point
from joute.studies.tuner.tuner import Tuner

Chance = Callable[[Point], float]


def fair(point: Point) -> float:
    """Return the chance to win where nothing matters."""
    return 0.5


def results(games: int, chance: float, dice: random.Random) -> tuple[int, int, int]:
    """Return games won, drawn and lost, without draws."""
    won = sum(dice.random() < chance for _ in range(games))
    return won, 0, games - won


def play(tuner: Tuner, games: int, chance: Chance = fair, chunk: int = 20, seed: int = 1) -> Tuner:
    """Play games as the tuner asks for them, so many at a time."""
    dice, left = random.Random(seed), games
    while left >= tuner.block:
        for point, count in tuner.ask(min(chunk, left)):
            tuner.tell(point, *results(count, chance(point), dice))
            left -= count
    return tuner


def pairs_of(
    count: int, score: float, draws: float, correlation: float, rng: np.random.Generator
) -> tuple[list[int], tuple[int, int, int]]:
    """Return pairs by their scores, and their wins, draws and losses: a Gaussian copula of the two
    games. `correlation`: that of the results of even games without draws.
    """
    r, win = math.sin(math.pi * correlation / 2), score - draws / 2
    z = rng.standard_normal((count, 2))
    z[:, 1] = r * z[:, 0] + math.sqrt(1 - r * r) * z[:, 1]
    u = ndtr(z)
    points = np.where(u < win, 2, np.where(u < win + draws, 1, 0))
    scores = np.bincount(points.sum(1), minlength=5)
    won, drawn, lost = (int((points == k).sum()) for k in (2, 1, 0))
    return [int(n) for n in scores], (won, drawn, lost)
