"""A study's `target`: its engines get the budget that the target's bot can afford, as measured."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

from joute.engines.check import LIMIT_RANGE
from joute.engines.engine import Engine
from joute.engines.errors import Refused, unknown
from joute.engines.parameter import text_of
from joute.engines.registry import every
from joute.engines.search import CLOCK, TIME
from joute.results.database import DATABASE
from joute.studies.search.plan import ScanPlan, TunePlan
from joute.studies.search.space import Space
from joute.studies.study import Study


def limit_setting(study: Study, folder: Path, say: Callable[[str], None]) -> str | None:
    """Return the override that sets the affordable limit, like `engine.nodes=5000`.

    A resumed run keeps the limit that it began with. None for a study without a target.
    """
    if study.target is None:
        return None
    able = {name: target() for name, target in every("target").items() if target.fits}
    if study.target not in able:
        raise unknown("target", study.target, able, study.name)
    plan = study.own
    if not isinstance(plan, ScanPlan | TunePlan):
        raise Refused(f"{study.name}: target: only scan and tune studies can have a target")
    engine = plan.default.engine
    if engine.limit is None or engine.timed:
        kinds = " or ".join(k for k in LIMIT_RANGE if k not in (TIME, CLOCK))
        raise Refused(
            f"{study.name}: target: needs {kinds} under [engine], which the target then "
            f"sets to what fits"
        )
    kind = engine.limit[0]
    before = kept(folder, kind)
    if before is not None:
        return f"engine.{kind}={before}"
    amounts = []
    for candidate in kinds_of(plan.space, engine):
        fit = able[study.target].affordable(candidate, say)
        assert fit.limit is not None
        amounts.append(fit.limit[1])
    amount = text_of(min(amounts))
    if float(amount) == engine.limit[1]:
        say(f"target {study.target}: its bot can afford the requested {kind} = {amount} per move")
    else:
        say(f"target {study.target}: {kind} = {amount} per move is what its bot can afford")
    return f"engine.{kind}={amount}"


def kept(folder: Path, kind: str) -> str | None:
    """Return the limit that a run in this folder was begun with."""
    resolved = folder / "study.toml"
    if not (folder / DATABASE).exists() or not resolved.is_file():
        return None
    try:
        amount = tomllib.loads(resolved.read_text("utf-8")).get("engine", {}).get(kind)
    except ValueError as error:
        raise Refused(f"{resolved} is damaged: {error}") from None
    return None if amount is None else text_of(amount)


def kinds_of(space: Space, default: Engine) -> list[Engine]:
    """Return one engine for each code in the space, with its numbers at their high end.

    There moves end by the limit, not at a depth that is soon reached.
    """
    engines = {default.digest: default}
    for point in space.corners():
        engine = space.engine(point)
        engines[engine.digest] = engine
    return list(engines.values())
