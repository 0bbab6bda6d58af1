"""A clock in a study file."""

from __future__ import annotations

from joute.engines.errors import Refused
from joute.engines.time_control import TimeControl, time_control
from joute.studies.file.validation import Errors


def clock_in(text: str | None, path: str, errors: Errors) -> TimeControl | None:
    """Return the clock of a text; None without one, or with its fault noted at `path`."""
    if text is None:
        return None
    try:
        return time_control(text)
    except Refused as error:
        errors.add(path, str(error))
        return None
