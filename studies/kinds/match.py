"""`match`: A against B, for a fixed number of blocks or until an SPRT decides."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from pydantic import Field

from joute.studies.file.entrants import draft_of_table, named
from joute.studies.file.models import A_COUNT, NEEDED, Common, Count
from joute.studies.file.sprt import Sprt, sprt_of
from joute.studies.file.study_checker import StudyChecker
from joute.studies.kind import Kind
from joute.studies.study import Planned, StagePlan, Study

TABLE = "a table of settings, or with spec = '...'"


class MatchModel(Common):
    """A match's study file."""

    a: dict[str, Any] | None = Field(
        None, description=TABLE, title="the engine that is tested", json_schema_extra=NEEDED
    )
    b: dict[str, Any] | None = Field(
        None,
        description=TABLE,
        title="the engine it is tested against",
        json_schema_extra=NEEDED,
    )
    blocks: Count | None = Field(None, title="openings to play, two games each; or use sprt")
    sprt: Sprt | None = Field(
        None,
        description="a table with elo1",
        title="stop as soon as one of two strengths is clearly more likely",
    )


class MatchKind(Kind):
    """A against B, for a fixed number of blocks or until an SPRT decides."""

    name = "match"
    summary = "A against B, for a fixed number of blocks or until an SPRT decides"
    model = MatchModel

    def plan(self, model: MatchModel, checker: StudyChecker) -> Planned:
        """Return the two entrants, the one stage and the stop rule."""
        drafts = []
        for path, table in (("a", model.a), ("b", model.b)):
            if table is not None:
                drafts.append(draft_of_table(table, path, checker))
            elif not checker.errors.at(path):
                checker.error(path, f"is missing; allowed: {TABLE}")
        texts = [draft.engine.text for draft in drafts if draft.engine is not None]
        if len(texts) == 2 and drafts[1].engine is not None and texts[0] == texts[1]:
            drafts[1] = replace(drafts[1], engine=drafts[1].engine.twin())  # tries the harness
        entrants = named(drafts, checker)
        sprt = sprt_of(model.sprt, "sprt", checker)
        if sprt and model.blocks:
            checker.error(
                "blocks", "cannot be combined with [sprt], whose max_blocks ends the match"
            )
        elif not sprt and not model.blocks and not any(map(checker.errors.at, ("blocks", "sprt"))):
            checker.error("blocks", f"is missing; allowed: {A_COUNT}, or [sprt]")
        blocks = sprt.max_blocks if sprt else model.blocks or 1
        return Planned(entrants, (StagePlan("main", "all", None, blocks, "round_robin"),), sprt)

    def resolve(self, study: Study) -> dict[str, Any]:
        """Return the match's part of the resolved study file."""
        a, b = ({"name": e.name, "spec": e.engine.text} for e in study.entrants)
        length = {"sprt": asdict(study.sprt)} if study.sprt else {"blocks": study.stages[0].blocks}
        return {"a": a, "b": b, **length}
