"""The budget of a study: games, blocks or time, and the text that says it."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Budget:
    """Where a run stops on its own: exactly one of the three is set."""

    seconds: int | None = None
    games: int | None = None
    blocks: int | None = None

    def in_games(self, games_per_block: int) -> int | None:
        """Return the budget in games; None for a time budget."""
        return self.games if self.blocks is None else self.blocks * games_per_block

    @property
    def text(self) -> str:
        """The budget as a study file writes it."""
        if self.seconds is not None:
            return f"{self.seconds}s"
        return f"{self.games} games" if self.games is not None else f"{self.blocks} blocks"


TIME = re.compile(r"^(?=\d)(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$")
NUMBER = re.compile(r"^(\d+) ?(game|block)s?$")


def budget_of(text: str) -> Budget | None:
    """Return the budget that a text names; None if it names none."""
    text = text.strip()
    if (match := TIME.match(text)) and any(match.groups()):
        hours, minutes, seconds = (int(part or 0) for part in match.groups())
        total = 3600 * hours + 60 * minutes + seconds
        return Budget(seconds=total) if total else None
    if (match := NUMBER.match(text)) and int(match[1]):
        number = int(match[1])
        return Budget(games=number) if match[2] == "game" else Budget(blocks=number)
    return None
