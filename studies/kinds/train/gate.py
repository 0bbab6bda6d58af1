"""The gate: whether a new network replaces the champion, and why, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from joute.results.quantity import SHARE, Quantity
from joute.results.statistics import estimate_means
from joute.studies.learning.plan import GatePlan


def verdict(plan: GatePlan, scores: Sequence[float], decided: str) -> dict[str, Any]:
    """Return the outcome of a gate. `scores`: block means of the new network; `decided`: the
    hypothesis that a sequential test accepted, "" if it did not decide, which keeps the champion.
    """
    e = estimate_means(scores)
    score = f"scores {Quantity('', SHARE, e.score, e.score_low, e.score_high).cell} in {len(scores)} blocks"
    if plan.sprt is None:
        accepted = e.score >= plan.score
        why = f"{'reaches' if accepted else 'does not reach'} {100 * plan.score:g} %"
    else:
        accepted = decided == "H1"
        test = f"SPRT({plan.sprt.elo0:g}, {plan.sprt.elo1:g})"
        why = {
            "H1": f"{test} passed",
            "H0": f"{test} failed",
            "": f"{test} did not decide within {plan.sprt.max_blocks} blocks",
        }[decided]
    outcome = "champion" if accepted else "rejected, the champion stays"
    return {
        "accepted": accepted,
        "score": e.score,
        "low": e.score_low,
        "high": e.score_high,
        "blocks": len(scores),
        "decided": bool(plan.sprt is None or decided),
        "text": f"{score}: {why}: {outcome}",
    }
