"""Simulated games for the tuner, shared by tests."""

from __future__ import annotations

import random
from collections.abc import Callable

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
