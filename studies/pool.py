"""The default engine of a search and the pool of opponents that every point meets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from studies.desk import Desk
from studies.entrant import Entrant
from studies.entrants import draft_of_table, named

DEFAULT = "default"


def default_and_pool(
    opponents: Sequence[Mapping[str, Any]], desk: Desk
) -> tuple[Entrant | None, tuple[Entrant, ...]]:
    """Return the base engine and the opponents in their order; without any, the base is the pool.

    An opponent that is the base engine itself is the default, whatever its name.
    """
    engine = desk.engine(dict(desk.base), lambda setting: "engine")
    default = None if engine is None else Entrant(DEFAULT, engine, dict(engine.settings))
    drafts = [draft_of_table(table, f"opponents.{i}", desk) for i, table in enumerate(opponents)]
    pool = named(drafts, desk)
    if default is None:
        return None, pool
    if not opponents:
        return default, (default,)
    for i, draft in enumerate(drafts):
        if draft.name and draft.name.startswith("#"):
            desk.fault(
                f"opponents.{i}.name", f"{draft.name!r}: names that begin with # are trials'"
            )
        if draft.name == DEFAULT and draft.engine and draft.engine.text != default.engine.text:
            desk.fault(f"opponents.{i}.name", f"{DEFAULT!r} is the name of the base engine")
    return default, tuple(default if e.engine.text == default.engine.text else e for e in pool)
