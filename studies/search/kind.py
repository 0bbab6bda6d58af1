"""What the kinds that search a space share: scan and tune."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from math import isfinite
from typing import Any

from joute.engines.output import Output
from joute.engines.parameter import Parameter, Value
from joute.engines.programs.option import Reach
from joute.harness.schedule import seatings
from joute.harness.worker import Task
from joute.studies.file.entrant import Entrant
from joute.studies.kind import Kind
from joute.studies.play.run_folder import warm
from joute.studies.search.estimate import estimate_search, points_tried
from joute.studies.search.plan import ScanPlan, TunePlan
from joute.studies.search.space import Space
from joute.studies.study import Study
from joute.studies.tuner.axis import Axis


class SearchKind(Kind):
    """A kind that plays points of a space against a pool."""

    ends_itself = True
    least_tried = 4

    def reach(self, study: Study, entrant: Entrant) -> Sequence[Reach]:
        """Return what the ranges of the space and of the declarations reach: for the base engine alone."""
        plan = plan_of(study)
        if entrant != plan.default:
            return ()
        searched = [
            Reach(f"space.{axis.name}", axis.name, reached(axis)) for axis in plan.space.axes
        ]
        return [
            *(Reach(f"parameters.{p.name}", p.name, ends_of(p)) for p in study.parameters.values()),
            *searched,
        ]

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


def ends_of(declared: Parameter) -> tuple[Value, ...]:
    """Return the ends of a declared range, as far as it has any, or the choices."""
    if declared.choices:
        return declared.choices
    ends = (end for end in (declared.low, declared.high) if isfinite(end))
    return tuple(declared.check(end) for end in ends)


def reached(axis: Axis) -> tuple[Value, ...]:
    """Return the choices of an axis, or its ends, and of one without steps a number between."""
    if axis.kind == "choice":
        return axis.choices
    if axis.discrete:
        return axis.nth(0), axis.nth(1), axis.nth(axis.count - 1)
    return axis.low, axis.low + (axis.high - axis.low) / 3, axis.high


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
