"""Numbers as the answer and the report write them."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, noun: str) -> str:
    """Return a number of things with their noun."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def ordinal(number: int) -> str:
    """Return 1st, 2nd, 3rd, 4th."""
    return {1: "1st", 2: "2nd", 3: "3rd"}.get(number, f"{number}th")


def outcome(returns: Sequence[float]) -> str:
    """Say who won a finished game, by the return of each player."""
    said = f"returns {', '.join(f'{share:.12g}' for share in returns)}"
    best = [player for player, share in enumerate(returns, 1) if share == max(returns)]
    if len(best) == 1:
        return f"player {best[0]} won ({said})"
    return f"{'a draw' if len(best) == len(returns) else 'nobody won alone'} ({said})"


def percent(share: float, decimals: int = 1) -> str:
    """Return a share in [0, 1] as a percentage."""
    return f"{100 * share:.{decimals}f} %"


def likelihood(chance: float) -> str:
    """Return a likelihood as a percentage that never claims certainty."""
    if chance > 0.9995:
        return "over 99.9 %"
    return "under 0.1 %" if chance < 0.0005 else percent(chance)


def elo_text(elo: float | None, decimals: int = 0) -> str:
    """Return an Elo with its sign; "?" where there is none."""
    if elo is None:
        return "?"
    text = f"{elo:+.{decimals}f}"
    return f"{0:.{decimals}f}" if float(text) == 0 else text


def elo_ends(low: float | None, high: float | None) -> str:
    """Return an interval of Elo, with an infinite end where there is none; "" without both ends."""
    if low is None and high is None:
        return ""
    ends = ("-∞" if low is None else elo_text(low), "+∞" if high is None else elo_text(high))
    return " to ".join(ends)


def milliseconds(ms: float) -> str:
    """Return a time with the unit and the decimals that suit its size."""
    if ms >= 1000:
        return f"{ms / 1000:.3g} s"
    return f"{ms:.3g} ms" if ms >= 0.01 else f"{1000 * ms:.2g} µs"


def listed(words: Sequence[str]) -> str:
    """Return words as English lists them."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"
