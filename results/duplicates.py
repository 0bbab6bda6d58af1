"""Repeated games: deterministic engines replay the same game, and a copy is not new evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Distinct:
    """Games of one pairing and how many of them differ."""

    pairing: str
    games: int
    distinct: int

    @property
    def repeats(self) -> int:
        """Games that repeat an earlier game of the pairing."""
        return self.games - self.distinct


def distinct_games(pairings: Sequence[str], digests: Sequence[str]) -> tuple[list[Distinct], str]:
    """Distinct games per pairing, in order of first appearance, and a sentence that names the
    remedy if some game repeats (else ""). `digests[i]` is the line of play of game i.
    """
    seen: dict[str, list[str]] = {}
    for pairing, digest in zip(pairings, digests, strict=True):
        seen.setdefault(pairing, []).append(digest)
    found = [Distinct(name, len(lines), len(set(lines))) for name, lines in seen.items()]
    return found, _sentence(found)


def _sentence(found: Sequence[Distinct]) -> str:
    repeats = sum(one.repeats for one in found)
    if not repeats:
        return ""
    games = sum(one.games for one in found)
    worst = min(found, key=lambda one: one.distinct / one.games)
    where = f" (worst: {worst.pairing}, {worst.distinct} distinct of {worst.games})"
    return (
        f"{repeats} of {games} games repeat an earlier game of the same pairing{where}: only the "
        f"{games - repeats} distinct ones count as evidence, so the intervals are too narrow; "
        "use more openings or more random plies in them."
    )
