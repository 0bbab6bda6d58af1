"""Kinds of study, one file each, found by scanning this folder; a file is named like its kind.

A kind gives `KIND`, its name; `Model`, the pydantic model of its files; `plan(model, desk)`, which
makes entrants, stages and stop rule and tells the desk every fault; and `resolve(study)`, its own
part of a study file that says everything.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any, Protocol, cast

from engines.errors import unknown

if TYPE_CHECKING:
    from studies.file.engines import Desk
    from studies.file.models import Common
    from studies.study import Planned, Study


class Kind(Protocol):
    """What a module in this folder offers."""

    KIND: str
    Model: type[Common]

    def plan(self, model: Any, desk: Desk) -> Planned:
        """Return the kind's part of the plan; what is wrong is told to the desk."""

    def resolve(self, study: Study) -> dict[str, Any]:
        """Return the kind's part of the resolved study file."""


def kinds() -> list[str]:
    """Return the names of all kinds."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def find_kind(name: str) -> Kind:
    """Return a kind; raise Refused with the nearest known name."""
    if name not in kinds():
        raise unknown("kind", name, kinds())
    return cast(Kind, importlib.import_module(f"{__name__}.{name}"))
