"""A plot: one picture of a run, with the numbers that it shows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import pandas as pd
from matplotlib.figure import Figure

from joute.engines.registry import Member


class Plot(Member, ABC, kind="plot"):
    """A plot. `place` orders the plots of a page, from low to high; those that lead are shown first,
    the others folded away.

    Its subject is the games between engines (`joute.results.frames.Results`); with `of = "search"`
    the trials of a search (`joute.reports.reading.search.Search`), with `of = "training"` a whole
    training run, with `of = "train-search"` a search among trainings (`Results`).
    """

    title: ClassVar[str]
    place: ClassVar[int]
    of: ClassVar[str] = "games"
    leads: ClassVar[bool] = False

    @abstractmethod
    def wanted(self, subject: Any) -> bool:
        """Return whether the run has the plot's data."""

    @abstractmethod
    def draw(self, subject: Any) -> tuple[Figure, pd.DataFrame]:
        """Return the picture and its numbers."""
