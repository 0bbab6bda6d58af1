"""A run for its page: read and computed anew when it is time, the same answer in between.

A look takes some time of the machine that plays the run, so the next one waits until that is a
small share; nothing is read while nobody asks.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joute.engines.errors import ANYTHING, JouteError, cut
from joute.reports.html import page as html_page
from joute.reports.telling import telling_of
from joute.reports.watch.background_fit import FittedModel
from joute.reports.watch.boards import Boards, listed
from joute.reports.watch.pace import Pace
from joute.reports.watch.parts import NAMES, Now, parts
from joute.results.database import DATABASE, damaged
from joute.results.following import Following
from joute.results.frames import Results
from joute.results.writing import being_written

SHARE = 0.01  # share of the machine for looks at a playing run
LEAST, MOST = 1.0, 20.0  # seconds between two looks at a run that plays
IDLE = 3.0  # and at one that does not
LONG = 200  # characters of an error
MODEL = 1.0  # seconds after which a fit that is under way is asked for again


@dataclass(frozen=True)
class LiveState:
    """The content of the page: `number` grows with every change; `fault`: why nothing is new."""

    number: int
    name: str
    about: str
    parts: dict[str, str]
    wait: float
    fault: str = ""


class Live:
    """A run folder for its pages, any number of them at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._following, self._model, self._pace = Following(folder), FittedModel(), Pace()
        self._boards = Boards()
        self._lock, self._board_lock = threading.Lock(), threading.Lock()
        self._state = LiveState(0, folder.name, "", dict.fromkeys(NAMES, ""), LEAST)
        self._results: Results | None = None
        self._due = 0.0

    def state(self, now: bool = False) -> LiveState:
        """Return the state, a new one if it is time, or always with `now`."""
        with self._lock:
            if now or time.monotonic() >= self._due:
                self._look()
            return self._state

    def first(self) -> None:
        """Look for the first time; raise StoreError if the folder has no readable run."""
        with self._lock:
            self._look(strict=True)

    def _look(self, strict: bool = False) -> None:
        begun = time.thread_time()  # not the clock: on a busy machine that would be no measure
        playing = being_written(self.folder)
        try:
            results = self._following.look()
            self._results = results
            fault, wait = "", self._compute(results, playing)
        except JouteError as error:
            if strict:
                raise
            fault, wait = str(error), IDLE
        except ANYTHING as error:  # what stands there means nothing: somebody wrote into it
            damage = damaged(self.folder / DATABASE, cut(repr(error), LONG))
            if strict:
                raise damage from error
            fault, wait = str(damage), IDLE
        if fault != self._state.fault:
            old = self._state
            self._state = LiveState(old.number + 1, old.name, old.about, old.parts, wait, fault)
        rest = min((time.thread_time() - begun) / SHARE / (os.cpu_count() or 1), MOST)
        first = self._state.number <= 1  # it has read all that was there
        self._due = time.monotonic() + max(wait, rest * playing * (not first))

    def _compute(self, results: Results, playing: bool) -> float:
        games = len(results.games) + results.surplus
        progress = self._pace.progress(results.meta, games, playing, results.surplus)
        model = None
        if telling_of(results).modelled:
            model = self._model.follow(results, playing)
            if not playing and model is not None and model.games != len(results.games):
                model = None  # of the search as it was: what has been played since may decide
        html_parts = parts(Now(results, progress, model, self._following.hosts))
        if html_parts != self._state.parts or self._state.fault:
            name = results.meta.name or self.folder.name
            number = self._state.number + 1
            self._state = LiveState(number, name, about(results), html_parts, LEAST)
        if telling_of(results).modelled and (model is None or model.games != len(results.games)):
            return MODEL
        return LEAST if playing else IDLE

    def page(self, nonce: str) -> str:
        """Return the whole page; `nonce` identifies its own script."""
        state = self.state()
        return html_page(
            "watch.html.jinja", name=state.name, about=state.about, parts=state.parts,
            number=state.number, wait=self.wait(), fault=state.fault, nonce=nonce,
        )  # fmt: skip

    def update(self, since: int, now: bool = False) -> dict[str, Any]:
        """Return the changes since the state of a number."""
        state = self.state(now)
        update: dict[str, Any] = {"number": state.number, "wait": self.wait(), "fault": state.fault}
        if state.number != since:
            update |= {"name": state.name, "about": state.about, "parts": state.parts}
        return update

    def wait(self) -> float:
        """Return the seconds after which asking again is worthwhile."""
        return round(max(0.5, self._due - time.monotonic()), 2)

    def games(self, kind: str, page: int) -> dict[str, Any]:
        """Return a page of the list of games."""
        results = self._results
        if results is None:
            return {"rows": [], "total": 0, "number": 0, "pages": 1, "kinds": []}
        return listed(results, kind, page)

    def game(self, key: str) -> dict[str, Any] | None:
        """Return a game; None if there is none."""
        with self._board_lock:  # a first one may compile the game's rules
            return self._boards.game(self.folder, key)


def about(results: Results) -> str:
    """Describe the run in a line."""
    meta, engines = results.meta, len(results.engines)
    words = [
        meta.get("kind", ""),
        meta.get("game", ""),
        meta.clock,
        f"{engines} engine{'' if engines == 1 else 's'}",
    ]
    return " · ".join([*(word for word in words if word), f"seed {meta.get('seed', '')}"])
