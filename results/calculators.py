"""The calculators of the front door: Elo and SPRT from counts, in numbers and in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from joute.engines.errors import Refused
from joute.engines.output import Output
from joute.results.sprt import Sprt
from joute.results.statistics import Counts, elo_of, estimate

MOST = 10**15  # games that are counted


def counts_of(wdl: Sequence[float], pairs: Sequence[int] | None) -> list[int]:
    """Return outcome counts, worst to best, from wins, draws and losses, or from the counts of pairs."""
    if bool(wdl) == (pairs is not None):
        raise Refused("give either W D L or --pairs n0 n1 n2 n3 n4")
    counts = list(pairs) if pairs is not None else list(wdl)[::-1]
    if len(counts) != (3 if pairs is None else 5):
        given = "W D L are three counts" if pairs is None else "pairs have five counts"
        raise Refused(f"{given}, not {len(counts)}")
    if not all(0 <= n <= MOST and n == int(n) for n in counts):
        raise Refused(f"counts are whole numbers from 0 to {MOST}")
    return [int(n) for n in counts]


def elo_report(counts: Counts) -> Output:
    """Return score, Elo, normalised Elo and LOS of outcome counts (worst to best)."""
    if not sum(counts):
        raise Refused("no games: there is nothing to compute")
    found = estimate(counts)
    data: dict[str, Any] = {
        "elo": found.elo,
        "elo_error": found.elo_error,
        "nelo": found.nelo,
        "nelo_error": found.nelo_error,
        "los": found.los,
        "score": found.score,
        "score_low": found.score_low,
        "score_high": found.score_high,
        "elo_low": found.elo_low,
        "elo_high": found.elo_high,
        "blocks": found.blocks,
        "method": found.method,
        "note": found.note,
    }
    unit = "pairs" if len(counts) == 5 else "games"
    lines = [
        f"score  {found.score:.4f}  [{found.score_low:.4f}, {found.score_high:.4f}]  "
        f"({found.blocks} {unit}, 95 %, {found.method})"
    ]
    low, high = (
        elo if elo is not None else elo_of(score) if 0 < score < 1 else None
        for elo, score in (
            (found.elo_low, found.score_low),
            (found.elo_high, found.score_high),
        )
    )
    if found.elo is not None and low is not None and high is not None:
        lines.append(f"Elo    {found.elo:+.2f}  [{low:+.1f}, {high:+.1f}]")
    elif low is not None:
        lines.append(f"Elo    at least {low:+.1f}")
    elif high is not None:
        lines.append(f"Elo    at most {high:+.1f}")
    if found.nelo is not None and found.nelo_error is not None:
        lines.append(f"nElo   {found.nelo:+.2f} +/- {found.nelo_error:.2f}")
    if found.los is not None:
        lines.append(f"LOS    {100 * found.los:.2f} %")
    if found.note:
        lines.append(found.note)
    return Output(data, "\n".join(lines))


def sprt_report(
    elo0: float, elo1: float, alpha: float, beta: float, model: str, counts: Counts
) -> Output:
    """Return log-likelihood ratio, bounds and verdict of a GSPRT."""
    try:
        test = Sprt(elo0, elo1, alpha, beta, model)
    except ValueError as error:
        raise Refused(f"sprt: {error}") from None
    lower, upper = test.bounds()
    data = {
        "llr": test.llr(counts),
        "lower": lower,
        "upper": upper,
        "verdict": test.verdict(counts),
    }
    words = {
        "H0": f"accept H0: the difference is at most {elo0:g}",
        "H1": f"accept H1: the difference is at least {elo1:g}",
        "continue": "cannot tell yet: play on",
    }
    text = f"LLR {data['llr']:.4f}  [{lower:.4f}, {upper:.4f}]  {words[str(data['verdict'])]}"
    return Output(data, text)
