"""What people tune in chess: 5 to 12 weak numbers, 20 to 60 Elo in all, many draws.

`CHESS-7-3` is the fourth problem of seed 7, everywhere and for ever. Landscapes are those of the drawn
family; a draw has 40 % between equals. Made for duels, where settings differ by a few Elo.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from benchmarks.tuners.family import CLASSES, _finished
from benchmarks.tuners.problem import Problem
from joute.engines.errors import Refused

NAME = "CHESS"
KINDS = ("INTEGERS", "SMOOTH", "RIDGED", "KINKED")  # landscapes, in turn
AXES = (5, 12)
ELO, TOP, DRAWS = (20.0, 60.0), (0.5, 0.55), (0.4, 0.4)


@lru_cache(maxsize=256)
def chess(name: str) -> Problem:
    """Return a problem by its name; Refused, with what is allowed, if it is none."""
    numbers = name.split("-")[1:]
    if len(numbers) != 2 or not all(n.isdecimal() and len(n) < 16 for n in numbers):
        raise Refused(f"{name}: no problem; one of these is {NAME}-SEED-PLACE, say {NAME}-7-0")
    seed, place = map(int, numbers)
    rng, kind = np.random.default_rng([*NAME.encode(), seed, place]), KINDS[place % len(KINDS)]
    sketch = CLASSES[kind](rng)
    while not AXES[0] <= len(sketch.space) <= AXES[1]:
        sketch = CLASSES[kind](rng)
    sketch = replace(sketch, elo=ELO, top=TOP, draws=DRAWS)
    return _finished(name, sketch, f"weak and drawish: {kind.lower()}", rng)
