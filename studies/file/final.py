"""[final]: the best point against the default at a limit of its own: tune short, confirm long."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from joute.engines.engine import NO_CLOCK, Engine
from joute.engines.errors import Refused
from joute.engines.parameter import LIMITS
from joute.engines.time_control import ALLOWED
from joute.studies.file.clock import clock_in
from joute.studies.file.entrant import Entrant
from joute.studies.file.models import A_COUNT, Count, Line, Strict
from joute.studies.file.sprt import Sprt, sprt_of
from joute.studies.file.study_checker import StudyChecker
from joute.studies.search.plan import LongFinal
from joute.studies.search.space import Space


class FinalModel(Strict):
    """[final]: another limit, and how many games are played at it."""

    limit: dict[str, Any] = Field(
        {},
        description="a table of settings, such as { depth = 8 }",
        title="settings of both engines that differ from the search's, such as a longer limit",
    )
    clock: Line | None = Field(
        default=None, description=ALLOWED, title="each player's clock in these games"
    )
    blocks: Count | None = Field(
        default=None, title="openings to play, two games each; or use final.sprt"
    )
    sprt: Sprt | None = Field(
        default=None,
        description="a table with elo1",
        title="stop as soon as one of two strengths is clearly more likely",
    )


def long_final(
    given: FinalModel | None, default: Entrant | None, space: Space | None, checker: StudyChecker
) -> LongFinal | None:
    """Return the plan of a final at another limit; None without one. Errors go to the checker."""
    if given is None:
        return None
    clock = clock_in(given.clock, "final.clock", checker.errors)
    sprt = sprt_of(given.sprt, "final.sprt", checker)
    if not given.limit and given.clock is None:
        checker.error(
            "final.limit",
            "is missing: [final] confirms at another limit than the search's; "
            "allowed: a table of settings, such as { depth = 8 }, or final.clock",
        )
    if sprt and given.blocks:
        checker.error("final.blocks", "cannot be combined with final.sprt")
    elif not sprt and not given.blocks and not checker.errors.under("final"):
        checker.error("final.blocks", f"is missing; allowed: {A_COUNT}, or [final.sprt]")
    if checker.game is not None and checker.game.players != 2:
        checker.error(
            "final", f"is for two players; {checker.game.label} has {checker.game.players}"
        )
    if default is None or space is None or checker.errors.under("final"):
        return None
    for name in given.limit:
        if name in {axis.name for axis in space.axes}:
            checker.error(f"final.limit.{name}", "is searched: the best point says its value")
    base = with_limit(space, given.limit)
    engine = long_engine(base, clock is not None or checker.clocks, checker)
    if engine is None or checker.errors.under("final"):
        return None
    if engine.text == default.engine.text and clock is None:
        checker.error("final.limit", "changes nothing: the search already plays so")
    blocks = sprt.max_blocks if sprt else given.blocks or 1
    longer = Space(space.game, base, space.axes, space.declared)
    return LongFinal(longer, engine, dict(given.limit), clock, blocks, sprt)


def with_limit(space: Space, limit: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a space with another limit in the place of their own, which may be what
    ends a search without a limit.
    """
    ends: set[str] = set()
    if any(name in LIMITS for name in limit):
        known = space.parameters(space.base)
        ends = {*LIMITS, *(name for name, p in known.items() if p.under_limit is not None)}
    return {**{n: v for n, v in space.base.items() if n not in ends}, **limit}


def long_engine(settings: dict[str, Any], clocks: bool, checker: StudyChecker) -> Engine | None:
    """Return the default with another limit, None with the fault noted."""
    assert checker.game is not None
    filled = checker.filled(settings)
    try:
        engine = Engine(checker.game, filled, declared=checker.declared_for(filled))
    except Refused as error:
        checker.error("final.limit", str(error))
        return None
    if engine.by_clock and not clocks:
        checker.error("final.limit", NO_CLOCK.replace("time.clock", "final.clock"))
    return engine


def table_of(plan: LongFinal) -> dict[str, Any]:
    """Return the table of a study file."""
    table: dict[str, Any] = {}
    if plan.limit:
        table["limit"] = dict(plan.limit)
    if plan.clock is not None:
        table["clock"] = plan.clock.text
    length = {"sprt": vars(plan.sprt)} if plan.sprt else {"blocks": plan.blocks}
    return {**table, **length}
