"""Numbers as studies write them."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """Say a time in words."""
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
