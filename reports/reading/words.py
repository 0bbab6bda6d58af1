"""Counts, lists and outcomes as the answer and the report write them; numbers: `results/quantity.py`."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, noun: str) -> str:
    """Return a number of things with their noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def ordinal(number: int) -> str:
    """Return 1st, 2nd, 3rd, 4th."""
    return {1: "1st", 2: "2nd", 3: "3rd"}.get(number, f"{number}th")


def outcome(returns: Sequence[float]) -> str:
    """Say who won a finished game, by the return of each player."""
    shares = f"returns {', '.join(f'{share:.12g}' for share in returns)}"
    best = [player for player, share in enumerate(returns, 1) if share == max(returns)]
    if len(best) == 1:
        return f"player {best[0]} won ({shares})"
    return f"{'a draw' if len(best) == len(returns) else 'nobody won alone'} ({shares})"


def listed_first(words: Sequence[str], most: int, rest: str = "more") -> str:
    """Return the first words as English lists them, and how many more there are; one more is named, too."""
    left = len(words) - most
    return listed([*words[:most], f"{left:,} {rest}"] if left > 1 else words)


def listed(words: Sequence[str]) -> str:
    """Return words as English lists them."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"
