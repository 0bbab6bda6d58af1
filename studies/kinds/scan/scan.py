"""`scan`: a few parameters drawn anew for every block; the score against their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from joute.harness.schedule import seatings
from joute.studies.file.budget import budget_of
from joute.studies.file.models import Count, Strict
from joute.studies.file.opponents import (
    SearchModel,
    default_and_pool,
    distinct,
    need_budget,
    shared_table,
)
from joute.studies.file.study_checker import StudyChecker
from joute.studies.search.kind import SearchKind
from joute.studies.search.plan import ScanPlan
from joute.studies.search.space import space_of
from joute.studies.study import Planned, Study

if TYPE_CHECKING:
    from joute.studies.play.study_run import StudyRun

MOST = 2


class Scan(Strict):
    """[scan]: how the points are drawn."""

    draw: Literal["uniform", "sobol"] = Field(
        default="sobol",
        title="how the points of the blocks are sampled",
    )
    openings: Count = Field(default=200, title="number of different openings that the blocks share")


class ScanModel(SearchModel):
    """A scan's study file."""

    scan: Scan = Field(Scan(), title="how the space is scanned")


class ScanKind(SearchKind):
    """A few parameters drawn anew for every block; the score against their values."""

    name = "scan"
    summary = "the score against one or two parameters, sampled at random for every block"
    model = ScanModel
    stages = ("scan",)

    def plan(self, model: ScanModel, checker: StudyChecker) -> Planned:
        """Return the default, the pool and the points to draw."""
        default, pool = default_and_pool(model.opponents, checker)
        space = space_of(model.space, checker)
        if space is not None and len(space.axes) > MOST:
            names = ", ".join(axis.name for axis in space.axes)
            checker.error(
                "space", f"{names}: a scan takes one or two parameters; for more use the kind tune"
            )
        need_budget(model, checker)
        if default is None or not pool or space is None or checker.game is None:
            return Planned(distinct(default, pool), ())
        blocks = blocks_in(model.budget, checker.game.players)
        plan = ScanPlan(space, default, pool, model.scan.draw, model.scan.openings, blocks)
        return Planned(distinct(default, pool), (), own=plan)

    def resolve(self, study: Study) -> dict[str, Any]:
        """Return the scan's part of the resolved file."""
        plan = study.own
        assert isinstance(plan, ScanPlan)
        return {
            **shared_table(plan),
            "scan": {"draw": plan.draw, "openings": plan.openings},
        }

    def check(self, study: Study) -> None:
        """Refuse an unplayable study, before anything is written."""
        from joute.studies.kinds.scan.play import check

        check(study)

    def play(self, run: StudyRun) -> None:
        """Play the study."""
        from joute.studies.kinds.scan.play import scan

        scan(run)


def blocks_in(text: str | None, players: int) -> int | None:
    """Return the number of blocks that a budget means; None for a time budget."""
    budget, games_per_block = budget_of(text) if text else None, len(seatings(players, copies=True))
    games = budget.in_games(games_per_block) if budget else None
    return None if games is None else max(1, games // games_per_block)
