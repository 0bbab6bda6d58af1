"""A trial of a search: a point, the blocks played there, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass, field

from joute.studies.tuner.domain import Point

COMPLETE, PRUNED = "complete", "pruned"
POOL, ITSELF, BOTH = "pool", "itself", "both"  # whom the points of a search play
UNPLAYED = "even"  # a point of a scan that is its own opponent: nothing was played


@dataclass
class Trial:
    """One trial: its number, its point, the mean return of each finished block, how it ended.

    `blocks`: the blocks it gets, if its sampler says so. `results`: games won, drawn and lost (with
    more than two seats: returns as shares of a win), as far as known. `block_games`: the games of a
    block, if its sampler is to be told by block. `other`: of a duel between two points the second one;
    results are those of the first.
    """

    number: int
    point: Point
    values: list[float] = field(default_factory=list)
    state: str = ""
    blocks: int | None = None
    results: tuple[float, float, float] = (0.0, 0.0, 0.0)
    block_games: int | None = None
    other: Point | None = None

    @property
    def score(self) -> float:
        """Mean return over the blocks, in [0, 1]."""
        return sum(self.values) / len(self.values)
