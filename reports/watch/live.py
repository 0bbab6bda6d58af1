"""A run as its page asks for it: read and computed anew when it is time, the same answer in between.

A look costs a little of the machine that plays the run, so the next one waits until that is a small
share of the time; nothing is read while nobody asks.
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
from joute.reports.watch.background_fit import Model
from joute.reports.watch.boards import Boards, listed
from joute.reports.watch.pace import Pace
from joute.reports.watch.parts import NAMES, Now, parts
from joute.results.database import DATABASE, damaged
from joute.results.following import Following
from joute.results.frames import Results
from joute.results.writing import being_written

SHARE = 0.01  # of the machine that looks at a run may take while it plays
LEAST, MOST = 1.0, 20.0  # seconds between two looks at a run that plays
IDLE = 3.0  # and at one that does not
LONG = 200  # characters of an error
MODEL = 1.0  # seconds after which a fit that is under way is asked for again


@dataclass(frozen=True)
class State:
    """What the page shows: `number` grows with every change; `fault` is why there is nothing new."""

    number: int
    name: str
    about: str
    parts: dict[str, str]
    wait: float
    fault: str = ""


class Live:
    """A run folder as pages ask for it, any number of them at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._following, self._model, self._pace = Following(folder), Model(), Pace()
        self._boards = Boards()
        self._lock, self._board_lock = threading.Lock(), threading.Lock()
        self._state = State(0, folder.name, "", dict.fromkeys(NAMES, ""), LEAST)
        self._results: Results | None = None
        self._due = 0.0

    def state(self, now: bool = False) -> State:
        """Return the state, a new one where it is time, or whenever it is asked for `now`."""
        with self._lock:
            if now or time.monotonic() >= self._due:
                self._look()
            return self._state

    def first(self) -> None:
        """Look for the first time; raise StoreError where the folder holds no run that can be read."""
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
            self._state = State(old.number + 1, old.name, old.about, old.parts, wait, fault)
        rest = min((time.thread_time() - begun) / SHARE / (os.cpu_count() or 1), MOST)
        first = self._state.number <= 1  # it has read all that was there
        self._due = time.monotonic() + max(wait, rest * playing * (not first))

    def _compute(self, results: Results, playing: bool) -> float:
        games = len(results.games) + results.surplus
        progress = self._pace.progress(results.meta, games, playing)
        model = None
        if telling_of(results).modelled:
            model = self._model.follow(results, playing)
        html_parts = parts(Now(results, progress, model, self._following.hosts))
        if html_parts != self._state.parts or self._state.fault:
            name = results.meta.name or self.folder.name
            number = self._state.number + 1
            self._state = State(number, name, about(results), html_parts, LEAST)
        if telling_of(results).modelled and (model is None or model.games != len(results.games)):
            return MODEL
        return LEAST if playing else IDLE

    def page(self, nonce: str) -> str:
        """Return the whole page; `nonce` is what tells its own script from any other."""
        state = self.state()
        return html_page(
            "watch.html.jinja", name=state.name, about=state.about, parts=state.parts,
            number=state.number, wait=self.wait(), fault=state.fault, nonce=nonce,
        )  # fmt: skip

    def update(self, since: int, now: bool = False) -> dict[str, Any]:
        """Return what has changed for a page that shows the state of a number."""
        state = self.state(now)
        update: dict[str, Any] = {"number": state.number, "wait": self.wait(), "fault": state.fault}
        if state.number != since:
            update |= {"name": state.name, "about": state.about, "parts": state.parts}
        return update

    def wait(self) -> float:
        """Return in how many seconds it is worth to ask again."""
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
    """Say in a line what run it is."""
    meta, engines = results.meta, len(results.engines)
    words = [
        meta.get("kind", ""),
        meta.get("game", ""),
        f"{engines} engine{'' if engines == 1 else 's'}",
    ]
    return " · ".join([*(word for word in words if word), f"seed {meta.get('seed', '')}"])
