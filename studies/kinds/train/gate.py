"""The gate: whether a new network replaces the champion, and why, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from joute.results.statistics import estimate_means
from joute.studies.learning.plan import GatePlan


def verdict(plan: GatePlan, scores: Sequence[float], decided: str) -> dict[str, Any]:
    """Return what the blocks of a gate say: `scores` are the new network's means, `decided` the
    hypothesis that a sequential test accepted, "" if it was given up. A gate that does not decide keeps
    the champion.
    """
    estimate = estimate_means(scores)
    said = f"{100 * estimate.score:.1f} % ({100 * estimate.score_low:.1f} to {100 * estimate.score_high:.1f})"
    said = f"scores {said} in {len(scores)} blocks"
    if plan.sprt is None:
        accepted = estimate.score >= plan.score
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
        "score": estimate.score,
        "low": estimate.score_low,
        "high": estimate.score_high,
        "blocks": len(scores),
        "decided": bool(plan.sprt is None or decided),
        "text": f"{said}: {why}: {outcome}",
    }
