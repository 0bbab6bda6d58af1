"""`json`: the engine as data, read back wherever an engine is asked for."""

from __future__ import annotations

import json

from engines.exported import contents
from reports.export.targets import Order, Written

NAME = "json"
SUMMARY = "the engine as data, which joute reads back"
ENDING = ".json"
PLAYS = False
USE = "a SPEC for joute, in the engine's place: joute play {path} {path}"


def write(order: Order) -> Written:
    """Return the file."""
    text = json.dumps(contents(order.engine, order.provenance), indent=2) + "\n"
    return Written(text, order.engine)
