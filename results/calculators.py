"""The calculators of the front door: Elo and SPRT from counts, in numbers and in words."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

from joute.engines.errors import Refused, shown, unboxed
from joute.engines.output import Output
from joute.results.sprt import Sprt
from joute.results.statistics import Counts, elo_of, estimate

MOST = 10**15  # games that are counted


def counts_of(wdl: Sequence[float], pairs: Sequence[int] | None) -> list[int]:
    """Return outcome counts, worst to best, from wins, draws and losses, or from the counts of pairs."""
    if bool(wdl) == (pairs is not None):
        raise Refused("give either W D L or --pairs n0 n1 n2 n3 n4")
    pairs = unboxed(pairs)
    if pairs is not None and not isinstance(pairs, Sequence):
        raise Refused(f"pairs = {shown(pairs)}; allowed: five counts")
    counts: list[float] = [unboxed(n) for n in (wdl[::-1] if pairs is None else pairs)]
    if len(counts) != (3 if pairs is None else 5):
        given = "W D L are three counts" if pairs is None else "pairs have five counts"
        raise Refused(f"{given}, not {len(counts)}")
    for n in counts:
        if not (isinstance(n, Real) and 0 <= n <= MOST and n == int(n)):
            given = f"{n:g}" if isinstance(n, float) else shown(n)
            raise Refused(f"{given} is no count: counts are whole numbers from 0 to {MOST}")
    return [int(n) for n in counts]


def elo_report(counts: Counts) -> Output:
    """Return score, Elo, normalised Elo and LOS of outcome counts (worst to best)."""
    if not sum(counts):
        raise Refused("no games: there is nothing to compute")
    estimated = estimate(counts)
    low, high = (
        elo if elo is not None else elo_of(score) if 0 < score < 1 else None
        for elo, score in (
            (estimated.elo_low, estimated.score_low),
            (estimated.elo_high, estimated.score_high),
        )
    )
    unit = "pairs" if len(counts) == 5 else "games"
    note = estimated.note.replace("blocks", unit)
    data: dict[str, Any] = {
        "elo": estimated.elo,
        "elo_error": estimated.elo_error,
        "nelo": estimated.nelo,
        "nelo_error": estimated.nelo_error,
        "los": estimated.los,
        "score": estimated.score,
        "score_low": estimated.score_low,
        "score_high": estimated.score_high,
        "elo_low": low,
        "elo_high": high,
        "blocks": estimated.blocks,
        "method": estimated.method,
        "note": note,
    }
    lines = [
        f"score  {estimated.score:.4f}  [{estimated.score_low:.4f}, {estimated.score_high:.4f}]  "
        f"({estimated.blocks} {unit}, 95 %, {estimated.method})"
    ]
    if estimated.elo is not None and low is not None and high is not None:
        lines.append(f"Elo    {estimated.elo:+.2f}  [{low:+.1f}, {high:+.1f}]")
    elif low is not None:
        lines.append(f"Elo    at least {low:+.1f}")
    elif high is not None:
        lines.append(f"Elo    at most {high:+.1f}")
    if estimated.nelo is not None and estimated.nelo_error is not None:
        lines.append(f"nElo   {estimated.nelo:+.2f} +/- {estimated.nelo_error:.2f}")
    if estimated.los is not None:
        lines.append(f"LOS    {100 * estimated.los:.2f} %")
    if note:
        lines.append(note)
    return Output(data, "\n".join(lines))


def sprt_report(
    elo0: float, elo1: float, alpha: float, beta: float, model: str, counts: Counts
) -> Output:
    """Return log-likelihood ratio, bounds and verdict of a GSPRT."""
    for name, value in (("elo0", elo0), ("elo1", elo1), ("alpha", alpha), ("beta", beta)):
        if not isinstance(value, Real):
            raise Refused(f"{name} = {shown(value)}; allowed: a number")
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
