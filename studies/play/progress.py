"""What a run reports while it plays, and how it ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Progress:
    """Callbacks of a run while it plays; all may ignore their calls.

    `begin` takes a stage, its number of games (or of another unit), how many are done, and whether a
    test may end it long before; `tell` a text to show beside them.
    """

    begin: Callable[..., None] = lambda stage, total, done, unit="game", test=False: None
    advance: Callable[[int], None] = lambda games: None
    tell: Callable[[str], None] = lambda text: None
    end: Callable[[], None] = lambda: None
    say: Callable[[str], None] = lambda text: None


@dataclass
class Outcome:
    """How a run ended: games played now, and why it stopped if it did not play everything."""

    folder: Path
    played: int = 0
    failures: int = 0
    stopped: str = ""  # "", "budget", "interrupted" or "changed"
    missing: int = 0
    at_most: bool = False  # fewer than `missing` may be left: a test ends the match
    decided: str = ""
    seconds: float = 0.0  # taken in all
    expected: float | None = None  # seconds of the first estimate
    exhausted: bool = False  # an open-ended match ran out of openings
