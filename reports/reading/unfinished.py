"""Whether a run has games that were to be played and are not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from joute.results.frames import Results
from joute.results.meta import PROGRESS

OVER = ("done", "H0", "H1", "budget")  # how a run ends by itself


def missing(results: Results) -> str:
    """Return how far a run is that was to play more games, `44 of 4,000 games are played`; "" for one
    that is over, or of which nobody knows how long it is.
    """
    noted = results.meta.of(PROGRESS, {})
    total, played = total_of(noted), len(results.games)
    if total is None or noted.get("most") or noted.get("ended") in OVER or played >= total:
        return ""
    return f"{played:,} of {total:,} games are played"


def total_of(noted: Mapping[str, Any]) -> int | None:
    """Return the number of games that a run will have, as far as it has noted that."""
    games = noted.get("games")
    total = sum(games.values()) if games else None
    budget = noted.get("budget")
    return budget if total is None else min(total, budget or total)
