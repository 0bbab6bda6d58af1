"""What the kinds that search a space share: scan and tune."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from joute.engines.output import Output
from joute.harness.schedule import seatings
from joute.harness.worker import Task
from joute.studies.kind import Kind
from joute.studies.play.run_folder import warm
from joute.studies.search.estimate import estimate_search, points_tried
from joute.studies.search.plan import ScanPlan, TunePlan
from joute.studies.search.space import Space
from joute.studies.study import Study


class SearchKind(Kind):
    """A kind that plays points of a space against a pool."""

    ends_itself = True
    least_tried = 4

    def code(self, study: Study) -> dict[str, Any]:
        """Return the digests of all engines of the space."""
        return {"search_code": code_of(plan_of(study).space)}

    def noted(self, study: Study) -> dict[str, Any]:
        """Return what reports need of the search."""
        return {"search": search_noted(study, plan_of(study), self.stages[0])}

    def tried(self, study: Study) -> Iterable[Task]:
        """Return games of points drawn at random."""
        plan = plan_of(study)
        return points_tried(study, plan.space, [entrant.engine for entrant in plan.pool])

    def cost(self, study: Study, workers: int, seconds: float | None) -> Output:
        """Describe the cost of the search and its confirmation."""
        return estimate_search(study, plan_of(study), workers, seconds)

    def expected(self, study: Study, workers: int) -> dict[str, int] | None:
        """Return the games in all; None for a time budget."""
        games = self.cost(study, workers, None).data["games"]
        return None if games is None else {"": games}


def plan_of(study: Study) -> ScanPlan | TunePlan:
    """Return the plan of a search."""
    assert isinstance(study.own, ScanPlan | TunePlan)
    return study.own


def code_of(space: Space) -> list[str]:
    """Return the digests of all engines of a space; compile their kernels."""
    digests: set[str] = set()
    for point in space.corners():
        engine = space.engine(point)
        if engine.digest not in digests:
            warm(engine)
            digests.add(engine.digest)
    return sorted(digests)


def search_noted(study: Study, plan: ScanPlan | TunePlan, stage: str) -> dict[str, Any]:
    """Return what reports need of a search: its stage, axes, default, pool, sampler, ..."""
    return {
        "stage": stage,
        "axes": [asdict(axis) for axis in plan.space.axes],
        "default": plan.default.name,
        "pool": [entrant.name for entrant in plan.pool],
        "held_out": [e.name for e in plan.held_out] if isinstance(plan, TunePlan) else [],
        "rows": len(seatings(study.game.players, copies=True)),
        "sampler": plan.sampler if isinstance(plan, TunePlan) else plan.draw,
        "blocks": plan.trial_blocks if isinstance(plan, TunePlan) else 1,
        "prune_risk": plan.prune_risk if isinstance(plan, TunePlan) else 0.0,
        **({"against": plan.against} if isinstance(plan, TunePlan) else {}),
        "base": dict(plan.default.engine.settings),
    }
