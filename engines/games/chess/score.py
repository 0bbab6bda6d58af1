"""Values of positions as programs for chess write them: centipawns, or moves to a mate."""

from __future__ import annotations

import math

from joute.engines.record import FURTHEST, WIN

LEAST, MOST = 1e-4, 3e4  # chance that is told, centipawns at most


def plies_to_mate(value: float) -> int | None:
    """Return in how many plies a value has the game won, or, below 0, lost; None for any other. In 0 plies
    it is lost.
    """
    plies = WIN - abs(value)
    if not 0 <= plies <= FURTHEST:
        return None
    return round(plies) if value > 0 else -round(plies)


def centipawns(value: float, tells: str) -> float:
    """Return a value that is no mate in centipawns, those of its chance where it `tells` a "return"."""
    if tells == "return":
        chance = min(max(value, LEAST), 1 - LEAST)
        return 400 * math.log10(chance / (1 - chance))
    return min(max(value, -MOST), MOST)
