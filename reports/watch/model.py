"""What a search's model says while it plays: fitted in the background, for a fit takes seconds.

It is fitted anew when a good part of its games is new, and never so often that it would take more than a
small share of the machine.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from dataclasses import dataclass, field

import numpy as np

from joute.engines.errors import ANYTHING
from joute.reports.page.answer import Answer, answer
from joute.reports.page.decision import Decision
from joute.reports.page.search import Curve, Search
from joute.reports.page.search_answer import ends_text, gain_text, point_text
from joute.reports.page.words import counted, listed, percent
from joute.results.frames import Results
from joute.studies.tuner.answer import UNKNOWN

SHARE = 0.01  # of the machine that fits may take while a run plays
MORE = 0.15  # share of new games that is worth a fit
FEWEST = 4  # trials
NICE = 10


@dataclass(frozen=True)
class Modelled:
    """What a fit said: the answer, a curve by axis, where the best may lie by axis (words), and of how
    many trials it knows.
    """

    answer: Answer
    curves: dict[str, Curve] = field(default_factory=dict)
    ranges: dict[str, str] = field(default_factory=dict)
    trials: int = 0
    games: int = 0
    fault: str = ""


class Model:
    """The latest fit of a search, and the next one on its way."""

    def __init__(self) -> None:
        self.latest: Modelled | None = None
        self._thread: threading.Thread | None = None
        self._rest = 0.0  # no fit before this moment

    def follow(self, results: Results, playing: bool) -> Modelled | None:
        """Return the latest fit of a search; begin a new one where it is time."""
        if self._thread is not None and self._thread.is_alive():
            return self.latest
        games, known = len(results.games), self.latest.games if self.latest else 0
        new = games > known * (1 + MORE) if playing else games != known
        enough = len(results.trials) >= FEWEST or not playing
        if enough and (new or self.latest is None) and time.monotonic() >= self._rest:
            self._thread = threading.Thread(target=self._fit, args=(results, playing), daemon=True)
            self._thread.start()
        return self.latest

    def _fit(self, results: Results, playing: bool) -> None:
        begun = time.thread_time()
        with contextlib.suppress(
            AttributeError, OSError
        ):  # behind the workers, where that is known
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
        try:
            self.latest = modelled(results, playing)
        except ANYTHING as error:  # the rest of the page is told
            said = Answer(["The model of the search cannot be fitted to these games."])
            found = Modelled(said, games=len(results.games), fault=repr(error)[:200])
            self.latest = found
        spent = time.thread_time() - begun
        self._rest = time.monotonic() + spent / SHARE / (os.cpu_count() or 1) * playing


def modelled(results: Results, playing: bool) -> Modelled:
    """Fit the model of a search; return what it says."""
    found = Search.of(results)
    said = answer(results)
    if playing and found.kind == "tune" and results.trials and found.final() is None:
        said = Answer(so_far(found), None)
    curves, ranges = dict[str, Curve](), dict[str, str]()
    if results.trials:
        curves = {axis.name: found.curve(axis) for axis in found.axes}
        ranges = {axis.name: ends_text(found.best_ranges.get(axis.name)) for axis in found.axes}
    return Modelled(said, curves, ranges, len(results.trials), len(results.games))


def so_far(found: Search) -> list[str]:
    """Say what the model of a tune study expects before its confirmation."""
    told = found.answer
    low, mean, high = told.estimate(told.best)
    against = listed(found.pool)
    lines = [
        f"So far {point_text(found.best)} is expected to score {percent(mean)} ({percent(low)} to "
        f"{percent(high)}) against {against}, by the model of {counted(found.games_read, 'game')}."
    ]
    default = found.default_point
    if default and found.inside(default):
        place, other = found.space.places([found.best, default])
        if not np.array_equal(place, other):
            gain = told.compare(place, other)
            decision = Decision(
                UNKNOWN, gain.mean, gain.low, gain.high, found.games_read, None, None, True
            )
            lines.append(
                f"Against the default, {point_text(default)}, that is {gain_text(decision)}; the "
                f"chance that it is better at all is {percent(min(gain.sure, 0.999), 1)}."
            )
    left = told.regret
    lines.append(
        f"The best point of the space may score {100 * left:.1f} points more than this one: what the "
        "search can still find."
    )
    return lines
