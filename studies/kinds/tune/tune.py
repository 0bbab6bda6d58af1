"""`tune`: search a space against a pool, then the best point and the default on fresh openings."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from joute.engines.errors import Refused, unknown
from joute.engines.output import Output
from joute.engines.registry import every
from joute.results.meta import CONFIRMATION
from joute.studies.file.entrant import Entrant
from joute.studies.file.final import FinalModel, long_final, table_of
from joute.studies.file.models import Count, Strict
from joute.studies.file.opponents import (
    DEFAULT,
    SearchModel,
    default_and_pool,
    distinct,
    need_budget,
    shared_table,
)
from joute.studies.file.study_checker import StudyChecker
from joute.studies.search.kind import SearchKind
from joute.studies.search.plan import JOURNAL, TunePlan, budget_fault
from joute.studies.search.sampler import Sampler, able, find_sampler
from joute.studies.search.space import Space, space_of
from joute.studies.search.trial import BOTH, ITSELF, POOL
from joute.studies.search.url import without_password
from joute.studies.study import Planned, Study

if TYPE_CHECKING:
    from joute.studies.play.study_run import StudyRun

Risk = Annotated[float, Field(ge=0, lt=0.5)]


class Tune(Strict):
    """[tune]: how the space is searched."""

    sampler: str = Field(
        default="joute",
        description="the name of a sampler",
        title="the sampler that proposes points",
    )
    trial_blocks: Count = Field(
        default=8,
        title="blocks of a full trial; the sampler joute chooses its own sizes",
    )
    rung_blocks: Count = Field(
        default=4,
        title="blocks after which a trial is judged; not used by the sampler joute",
    )
    parallel_trials: Count = Field(default=8, title="trials in flight at once")
    prune_risk: Risk = Field(
        default=0.05,
        description="a number from 0 (never give up) to below 0.5",
        title="the risk of giving up the best trial early",
    )
    candidates: Annotated[int, Field(ge=1, le=20)] = Field(
        default=1,
        title="points that go on after the search; more than one are screened first",
    )
    held_out: list[str] = Field(
        default=[],
        description="a list of names of opponents",
        title="opponents that only the final meets: does the gain hold against them?",
    )
    against: Literal["pool", "itself", "both"] | None = Field(
        default=None,
        description=f"{POOL}, {ITSELF} or {BOTH}",
        title="whom the points of the search play: the opponents, each other, or both in turn (as far as "
        "that can be, both)",
    )
    storage: str | None = Field(
        default=None,
        description="the URL of an Optuna storage",
        title="finished trials are also copied there, for optuna-dashboard and other machines",
    )


class TuneModel(SearchModel):
    """A tune study's file."""

    tune: Tune = Field(Tune(), title="how the space is searched")
    final: FinalModel | None = Field(
        None,
        description="a table with limit or clock, and blocks or sprt",
        title="the best point against the default at a longer limit, after the search",
    )


class TuneKind(SearchKind):
    """Search a space against a pool, then the best point and the default on fresh openings."""

    name = "tune"
    summary = "search a space against a pool of opponents, then confirm the best point against the default"
    model = TuneModel
    stages = ("search", "screen", "final")
    openings_grow = True

    def kept_beside(self, study: Study, folder: Path) -> str | None:
        """Return the digest of Optuna's copy of the trials; None where that is elsewhere."""
        plan, journal = study.own, folder / JOURNAL
        assert isinstance(plan, TunePlan)
        if plan.storage:
            return None
        return hashlib.sha256(journal.read_bytes()).hexdigest() if journal.exists() else ""

    def plan(self, model: TuneModel, checker: StudyChecker) -> Planned:
        """Return the default, the pool and the plan of the search."""
        default, opponents = default_and_pool(model.opponents, checker)
        pool, held_out = divided(opponents, model.tune.held_out, checker)
        space = space_of(model.space, checker)
        settings = model.tune
        sampler = None
        try:
            sampler = find_sampler(settings.sampler)
        except Refused as error:
            checker.error("tune.sampler", str(error))
        if (
            space is not None
            and sampler is not None
            and (why := sampler.missing() or sampler.refuse(space))
        ):
            can = ", ".join(able(space))
            checker.error("tune.sampler", f"{settings.sampler} {why}; samplers that can: {can}")
        need_budget(model, checker)
        against = POOL
        if default is not None and pool and space is not None:
            against = whom(settings, sampler, default, pool, space, checker)
        long = long_final(model.final, default, space, checker)
        if default is None or not pool or space is None or checker.game is None:
            return Planned(distinct(default, opponents), ())
        plan = TunePlan(
            space=space,
            default=default,
            pool=pool,
            sampler=settings.sampler,
            trial_blocks=settings.trial_blocks,
            rung_blocks=min(settings.rung_blocks, settings.trial_blocks),
            parallel=settings.parallel_trials,
            prune_risk=settings.prune_risk,
            candidates=settings.candidates,
            storage=settings.storage,
            held_out=held_out,
            long=long,
            against=against,
            by_default=settings.against is None,
        )
        if fault := budget_fault(model.budget, plan, checker.game.players):
            checker.error("budget", fault)
        later = (CONFIRMATION,) if long else ()
        clocks = {CONFIRMATION: long.clock} if long and long.clock else {}
        engines = (long.default,) if long else ()
        return Planned(
            distinct(default, opponents), (), own=plan, later=later, clocks=clocks,
            later_engines=engines,
        )  # fmt: skip

    def resolve(self, study: Study) -> dict[str, Any]:
        """Return the tune study's part of the resolved file."""
        plan = study.own
        assert isinstance(plan, TunePlan)
        return {
            **shared_table(plan),
            "tune": {
                "sampler": plan.sampler,
                "trial_blocks": plan.trial_blocks,
                "rung_blocks": plan.rung_blocks,
                "parallel_trials": plan.parallel,
                "prune_risk": plan.prune_risk,
                "candidates": plan.candidates,
                "against": plan.against,
                **({"held_out": [e.name for e in plan.held_out]} if plan.held_out else {}),
                **({"storage": without_password(plan.storage)} if plan.storage else {}),
            },
            **({"final": table_of(plan.long)} if plan.long else {}),
        }

    def as_begun(self, study: Study, identity: Mapping[str, Any]) -> Study:
        """Return a study as its run was begun: one of before points played each other by default goes on
        against its opponents alone.
        """
        plan = study.own
        assert isinstance(plan, TunePlan)
        if plan.by_default and "against" not in identity.get("search", {}):
            return replace(study, own=replace(plan, against=POOL))
        return study

    def further(self, study: Study, workers: int, play: bool) -> Output | None:
        """Describe the cost of a final at another limit."""
        from joute.studies.kinds.tune.long_cost import cost_of

        assert isinstance(study.own, TunePlan)
        return None if study.own.long is None else cost_of(study, study.own.long, workers, play)

    def check(self, study: Study) -> None:
        """Refuse an unplayable study, before anything is written."""
        from joute.studies.kinds.tune.playable import check

        check(study)

    def play(self, run: StudyRun) -> None:
        """Play the study."""
        from joute.studies.kinds.tune.play import tune

        tune(run)


def whom(
    settings: Tune,
    sampler: Sampler | None,
    default: Entrant,
    pool: tuple[Entrant, ...],
    space: Space,
    checker: StudyChecker,
) -> str:
    """Return whom the points of the search play, as asked for; else the opponents and each other, if
    points can play each other, as then fewer games tell as much. Note why what was asked for cannot be.
    """
    asked, alone = settings.against, all(entrant is default for entrant in pool)
    why = no_duels(sampler, default, space, checker)
    if asked is None:
        if why or (alone and settings.storage):
            return POOL
        return ITSELF if alone else BOTH
    if asked != POOL and why:
        checker.error("tune.against", f"{asked} {why}")
    if asked == BOTH and alone:
        checker.error(
            "tune.against",
            f"{BOTH} needs an opponent besides the default; allowed: {ITSELF}, in which the default "
            "plays as well",
        )
    if asked == ITSELF and settings.storage:
        checker.error(
            "tune.storage",
            "a game between two points is no trial of Optuna's; allowed with "
            f"tune.against = '{POOL}' or '{BOTH}'",
        )
    return asked


def no_duels(sampler: Sampler | None, default: Entrant, space: Space, checker: StudyChecker) -> str:
    """Return why points of the space cannot play each other; "" if they can."""
    if checker.game is not None and checker.game.players != 2:
        return f"is for games of two players; allowed: {POOL}"
    if sampler is not None and not sampler.duels:
        able_to = " or ".join(name for name, one in every("sampler").items() if one.duels)
        return f"needs the sampler {able_to}, and {sampler.name} is chosen"
    if space.point_of(default.engine) is None:
        return (
            "compares all points with the default, which is outside [space] or between its steps; "
            f"allowed: {POOL}, or ranges that hold it"
        )
    return ""


def divided(
    opponents: tuple[Entrant, ...], names: Sequence[str], checker: StudyChecker
) -> tuple[tuple[Entrant, ...], tuple[Entrant, ...]]:
    """Return the opponents of the search and the held-out ones; note wrong names."""
    known = [entrant.name for entrant in opponents]
    for name in names:
        if name not in known:
            checker.error("tune.held_out", str(unknown("opponent", name, known)))
        elif name == DEFAULT:
            checker.error("tune.held_out", "the default is what the search improves")
    pool = tuple(entrant for entrant in opponents if entrant.name not in names)
    if opponents and not pool:
        checker.error(
            "tune.held_out", "names all opponents; allowed: all but one, which the search needs"
        )
    return pool, tuple(entrant for entrant in opponents if entrant.name in names)
