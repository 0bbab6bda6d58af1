"""A column of a table on the report's page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Bar(NamedTuple):
    """An interval with its middle for drawing, in percent of the width of its cell."""

    low: float
    middle: float
    high: float


@dataclass(frozen=True)
class Column:
    """Its title, its cells as text, whether they are numbers; `bars` are drawn instead of texts,
    with a line at `even`; a column that `wraps` breaks its texts into lines; one that is `below` is written
    across the table, under the other cells of its row.
    """

    title: str
    cells: list[str]
    numeric: bool = True
    bars: tuple[Bar, ...] = ()
    even: float = 50.0
    wraps: bool = False
    below: bool = False
