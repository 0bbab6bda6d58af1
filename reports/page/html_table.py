"""A column of a table on the report's page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """Its title, its cells as text, and whether it is numbers."""

    title: str
    cells: list[str]
    numeric: bool = True
