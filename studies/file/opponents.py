"""The default engine of a search and the pool of opponents that every point meets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from joute.studies.file.differences import settings_changed
from joute.studies.file.entrant import Entrant
from joute.studies.file.entrants import draft_of_table, named
from joute.studies.file.models import Common
from joute.studies.file.study_checker import StudyChecker
from joute.studies.search.plan import ScanPlan, TunePlan

DEFAULT = "default"
BUDGET = "is missing; allowed: a text like '8h', '2h30m' or '5000 games'"


class SearchModel(Common):
    """The keys of all searches: a space, and the opponents of its points."""

    space: dict[str, Any] = Field(
        description="a table of parameters",
        examples=[{}],
        title="what is searched: parameters, or search, evaluation and generator",
    )
    opponents: list[dict[str, Any]] = Field(
        [],
        description="a list of tables, [[opponents]]",
        title="the opponents that every point meets in turn; if none, the base engine",
    )


def shared_table(plan: ScanPlan | TunePlan) -> dict[str, Any]:
    """Return the part of a resolved study file that all searches share."""
    return {
        "engine": dict(plan.default.engine.settings),
        "space": {axis.name: axis.as_written() for axis in plan.space.axes},
        "opponents": [{"name": e.name, "spec": e.engine.text} for e in opponents_of(plan)],
    }


def opponents_of(plan: ScanPlan | TunePlan) -> tuple[Entrant, ...]:
    """Return all opponents of a search, held-out ones last."""
    return (*plan.pool, *plan.held_out) if isinstance(plan, TunePlan) else plan.pool


def distinct(default: Entrant | None, pool: tuple[Entrant, ...]) -> tuple[Entrant, ...]:
    """Return the pool and the default, each engine once."""
    every = [*pool, *([default] if default else [])]
    return tuple({entrant.engine.text: entrant for entrant in every}.values())


def need_budget(model: Common, checker: StudyChecker) -> None:
    """Note that a search has no budget."""
    if model.budget is None and not checker.errors.at("budget"):
        checker.error("budget", BUDGET)


def not_the_base(text: str, base: Entrant, number: int) -> str:
    """Say that an opponent has the base engine's name and is another engine. The study of a run names
    the base engine among its opponents so, and a setting of [engine] then changes only one of them.
    """
    moved = settings_changed(text, base.engine.text)
    where = f" in {', '.join(change.what for change in moved)}" if moved else ""
    return (
        f"{DEFAULT!r} is the name of the base engine, from which this opponent differs{where}; "
        f"give it another name: --set opponents.{number}.name=before"
    )


def default_and_pool(
    opponents: Sequence[Mapping[str, Any]], checker: StudyChecker
) -> tuple[Entrant | None, tuple[Entrant, ...]]:
    """Return the base engine and the opponents in order; without opponents, the base is the pool.

    An opponent equal to the base engine is the default, whatever its name.
    """
    engine = checker.engine(dict(checker.base), lambda setting: "engine")
    default = None if engine is None else Entrant(DEFAULT, engine, dict(engine.settings))
    drafts = [draft_of_table(table, f"opponents.{i}", checker) for i, table in enumerate(opponents)]
    pool = named(drafts, checker)
    if default is None:
        return None, pool
    if not opponents:
        return default, (default,)
    for i, draft in enumerate(drafts):
        if draft.name and draft.name.startswith("#"):
            checker.error(
                f"opponents.{i}.name",
                f"{draft.name!r}: names that begin with # are reserved for trials",
            )
        if draft.name == DEFAULT and draft.engine and draft.engine.text != default.engine.text:
            checker.error(f"opponents.{i}.name", not_the_base(draft.engine.text, default, i))
    return default, tuple(default if e.engine.text == default.engine.text else e for e in pool)
