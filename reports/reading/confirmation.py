"""The final at another limit: the best point against the default, each as it will play."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from joute.reports.reading.match import unbiased
from joute.reports.reading.words import counted
from joute.results.frames import Results
from joute.results.meta import CONFIRMATION
from joute.results.quantity import elo_ends, elo_text, likelihood, percent, percent_ends
from joute.results.sprt import Sprt, Verdict
from joute.results.statistics import SURE, Estimate, estimate, pair_counts

STAGE = CONFIRMATION
Outcome = Literal["better", "worse", "failed", "unknown"]


@dataclass(frozen=True)
class Confirmation:
    """`best` and `default` are the names of both engines at the `limit`, an engine's settings in
    words. `estimate` is of the best one against the default; None before the end. `test` is the
    verdict of a sequential test in words, "" without one.
    """

    best: str
    default: str
    limit: str
    outcome: Outcome = "unknown"
    estimate: Estimate | None = None
    test: str = ""
    planned: int = 0
    blocks: tuple[float, ...] = ()

    @property
    def finished(self) -> bool:
        """Whether all its games have been played."""
        return self.estimate is not None

    def line(self) -> str:
        """Say what these games alone tell."""
        if self.estimate is None:
            return (
                f"At {self.limit}: not finished, {counted(len(self.blocks), 'block')} of "
                f"{self.planned}; nothing is said before the end."
            )
        one = self.estimate
        parts = [
            f"{percent(one.score)} ({percent_ends(one.score_low, one.score_high)}) against the "
            f"default at the same limit, {counted(one.blocks, 'block')}"
        ]
        if self.test:
            parts.append(self.test)
        elif one.elo is not None:
            ends = elo_ends(one.elo_low, one.elo_high)
            parts.append(f"Elo {elo_text(one.elo)}" + (f" ({ends})" if ends else ""))
        if one.los is not None and not self.test:
            parts.append(f"LOS {likelihood(one.los)}")
        parts += [one.note] if one.note else []
        return f"At {self.limit}: {'; '.join(parts)}."


def confirmation_of(results: Results) -> Confirmation | None:
    """Return the final at another limit; None for a study without one, or before it has begun."""
    noted = results.meta.of(STAGE, None)
    if noted is None:
        return None
    best, default, limit = noted["best"], noted["default"], noted["limit"]
    planned, test = int(noted["blocks"]), noted["sprt"]
    seats = results.seats[(results.seats["stage"] == STAGE) & (results.seats["engine"] == best)]
    order = results.games.set_index("block")["order"]
    scores: dict[int, list[float]] = {}
    for block, returns in zip(seats["block"], seats["returns"], strict=True):
        scores.setdefault(int(order.loc[[block]].iloc[0]), []).append(float(returns))
    whole = [sum(scores[n]) / 2 for n in sorted(scores) if len(scores[n]) == 2]
    known = Confirmation(best, default, limit, planned=planned, blocks=tuple(whole))
    verdict, text = (
        ("continue", "") if not test else tested(Sprt(**json.loads(test)), whole, planned)
    )
    if not whole or (len(whole) < planned and verdict == "continue"):
        return known
    found = estimate(pair_counts(whole))
    return Confirmation(
        *(best, default, limit, outcome_of(found, verdict if test else "")),
        *(found, text, planned, tuple(whole)),
    )


def outcome_of(found: Estimate, verdict: str) -> Outcome:
    """Return what a finished confirmation shows; a sequential test decides by its verdict: passed,
    failed, or undecided after all its blocks.
    """
    if verdict:
        return "better" if verdict == "H1" else "failed" if verdict == "H0" else "unknown"
    if found.los is None:
        low, high = found.score_low > 0.5, found.score_high < 0.5
        return "better" if low else "worse" if high else "unknown"
    return "better" if found.los >= SURE else "worse" if found.los <= 1 - SURE else "unknown"


def tested(sprt: Sprt, blocks: list[float], most: int) -> tuple[Verdict, str]:
    """Return the verdict of a sequential test after these blocks, `most` of them, and a phrase on it."""
    watch, counts = sprt.watch(), [0] * 5
    verdict: Verdict = "continue"
    for score in blocks:
        counts[round(4 * score)] += 1
        verdict = watch.feed(tuple(counts))
        if verdict != "continue":
            break
    said = {
        "H0": "failed",
        "H1": "passed",
        "continue": f"is undecided after {most} blocks (final.sprt.max_blocks)",
    }[verdict]
    text = f"SPRT({sprt.elo0:g}, {sprt.elo1:g}) {said}"
    if not blocks:
        return verdict, text
    return verdict, f"{text}, {unbiased(sprt.after(tuple(counts), watch.llrs))}"
