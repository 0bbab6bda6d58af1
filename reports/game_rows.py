"""A game as a row of a list: players, result, length."""

from __future__ import annotations

from typing import Any

from joute.engines.errors import cut
from joute.engines.record import NORMAL
from joute.results.frames import Results

LONG = 200
"""Characters of a name that are shown."""


def row_of(results: Results, row: int) -> dict[str, Any]:
    """Return a game's players, result, length and remarks."""
    players = results.players
    seats = results.seats.iloc[players * row : players * (row + 1)]
    names = [cut(str(name), LONG) for name in seats["engine"]]
    ranks, failures = seats["rank"].tolist(), [str(text) for text in seats["failure"]]
    first = [i for i, rank in enumerate(ranks) if rank == min(ranks)]
    result = f"{names[first[0]]} wins" if len(first) == 1 else "a draw" if players == 2 else "level"
    if players > 2 and len(first) == 1:
        result = f"{names[first[0]]} first"
    if len({*names}) == 1 and len(first) == 1:
        result = f"seat {first[0] + 1} wins"
    game = results.games.iloc[row]
    failed = [f"{name}: {kind}" for name, kind in zip(names, failures, strict=True) if kind]
    place = f"{game['stage']}{', ' + str(game['group']) if game['group'] else ''}"
    ended = "" if game["termination"] == NORMAL else str(game["termination"]).replace("_", " ")
    return {
        "who": " – ".join(names),
        "result": result,
        "plies": int(game["plies"]),
        "note": "; ".join(part for part in (place, *failed, "" if failed else ended) if part),
    }
