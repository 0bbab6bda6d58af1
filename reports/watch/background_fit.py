"""The model of a search while it plays, fitted in the background, as a fit takes seconds.

It is fitted anew when a good part of its games is new, but never takes more than a small share of
the machine.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time

from joute.engines.errors import ANYTHING
from joute.reports.reading.answer import Answer
from joute.reports.reading.modelled import Modelled
from joute.reports.telling import telling_of
from joute.results.frames import Results

SHARE = 0.01  # of the machine that fits may take while a run plays
MORE = 0.15  # share of new games that calls for a fit
FEWEST = 4  # trials
NICE = 10


class FittedModel:
    """The latest fit of a search, and the next one in progress."""

    def __init__(self) -> None:
        self.latest: Modelled | None = None
        self._thread: threading.Thread | None = None
        self._rest = 0.0  # no fit before this moment

    def follow(self, results: Results, playing: bool) -> Modelled | None:
        """Return the latest fit of a search; begin a new one if it is time."""
        if self._thread is not None and self._thread.is_alive():
            return self.latest
        games, known = len(results.games), self.latest.games if self.latest else 0
        new = games > known * (1 + MORE) if playing else games != known
        enough = len(results.trials) >= FEWEST or not playing
        rested = time.monotonic() >= self._rest or not playing
        if enough and (new or self.latest is None) and rested:
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
            self.latest = telling_of(results).model(playing)
        except ANYTHING as error:  # the rest of the page is shown
            answer = Answer(["The model of the search cannot be fitted to these games."])
            failed = Modelled(answer, games=len(results.games), fault=repr(error)[:200])
            self.latest = failed
        spent = time.thread_time() - begun
        self._rest = time.monotonic() + spent / SHARE / (os.cpu_count() or 1) * playing
