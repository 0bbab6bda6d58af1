"""`toml`: the engine as data, accepted wherever an engine is asked for."""

from __future__ import annotations

from typing import Any

import tomli_w

from joute.reports.export.contents import contents
from joute.reports.export.target import Order, Target, Written


class TomlTarget(Target):
    """The engine as data, accepted wherever an engine is asked for."""

    name = "toml"
    summary = "the engine as data, accepted as a SPEC by every joute command"
    ending = ".toml"
    use = "give {path} wherever joute takes a SPEC, as in: joute match {path} OTHER"

    def write(self, order: Order) -> Written:
        """Return the file."""
        text = tomli_w.dumps(without_none(contents(order)))
        return Written(text, order.engine)


def without_none(data: dict[str, Any]) -> dict[str, Any]:
    """Return data without None, which TOML does not have."""
    return {
        key: without_none(value) if isinstance(value, dict) else value
        for key, value in data.items()
        if value is not None
    }
