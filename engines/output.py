"""An answer of the front door in both its forms."""

from __future__ import annotations

from typing import Any, NamedTuple


class Output(NamedTuple):
    """The data that --json prints, and the text for a person."""

    data: Any
    text: str
