"""Positions of chess by their texts, for slow twins of searches."""

from __future__ import annotations

from joute.engines.position import Position

WORTH = {"p": 100, "n": 320, "b": 330, "r": 500, "q": 900, "k": 0}


def name(position: Position) -> str:
    """Return what makes two positions the same."""
    return " ".join(str(position.text()).split()[:4])


def material(position: Position) -> float:
    """Return the men's worth as the evaluation of that name has it, for the side to move."""
    men = str(position.text()).split()[0]
    total = sum(
        (1 if sign.isupper() else -1) * WORTH[sign.lower()] for sign in men if sign.isalpha()
    )
    return float(total if position.to_move == 0 else -total)
