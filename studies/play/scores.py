"""What an engine scored in the games of a block."""

from __future__ import annotations

from collections.abc import Mapping

from joute.harness.schedule import Block
from joute.results.store import Returns


def returns_of(block: Block, games: Mapping[int, Returns], engine: str) -> list[float]:
    """Return an engine's returns in a block's games (by seating: returns of all seats)."""
    return [
        value
        for seating, returns in games.items()
        for name, value in zip(block.seats(seating), returns, strict=True)
        if name == engine
    ]


def mean_return(block: Block, games: Mapping[int, Returns], engine: str) -> float:
    """Return an engine's mean return in the games of a block."""
    values = returns_of(block, games, engine)
    return sum(values) / len(values)
