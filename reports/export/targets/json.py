"""`json`: the engine as data, accepted wherever an engine is asked for."""

from __future__ import annotations

import json

from joute.reports.export.contents import contents
from joute.reports.export.target import Order, Target, Written


class JsonTarget(Target):
    """The engine as data, accepted wherever an engine is asked for."""

    name = "json"
    summary = "the engine as data, accepted as a SPEC by every joute command"
    ending = ".json"
    use = "give {path} wherever joute takes a SPEC, as in: joute match {path} OTHER"

    def write(self, order: Order) -> Written:
        """Return the file."""
        text = json.dumps(contents(order), indent=2) + "\n"
        return Written(text, order.engine)
