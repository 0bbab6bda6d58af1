"""What a run tells while it plays, and how it ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Progress:
    """What a run tells while it plays; every call may be ignored."""

    begin: Callable[[str, int, int], None] = lambda stage, total, done: None
    advance: Callable[[int], None] = lambda games: None
    end: Callable[[], None] = lambda: None
    say: Callable[[str], None] = lambda text: None


@dataclass
class Outcome:
    """How a run ended: games played now, and why it stopped if it did not play everything."""

    folder: Path
    played: int = 0
    failures: int = 0
    stopped: str = ""  # "", "budget" or "interrupted"
    missing: int = 0
    decided: str = ""
    exhausted: bool = False  # an open-ended match has had all openings that there are
    notes: list[str] = field(default_factory=list)
