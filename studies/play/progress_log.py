"""Writes the progress of a run to its notes (`meta`), for `joute watch`."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from joute.harness.runner import RunPace
from joute.results.meta import PACES, PROGRESS
from joute.results.store import Store
from joute.studies.file.budget import Budget
from joute.studies.play.progress import Outcome, Progress

EVERY = 5.0  # seconds between notes on workers


class ProgressLog:
    """The progress of a run in its notes: when it began, its games then, its workers, expected
    games by stage ("": of stages without a name yet; none where something else ends it), the budget
    in seconds or in games, and when and how it ended.

    Written when a run or a stage begins and when the run ends; in between, every few seconds, only
    the games of each worker.
    """

    def __init__(
        self,
        store: Store,
        workers: int,
        games: Mapping[str, int] | None,
        budget: Budget | None = None,
        most: bool = False,
    ) -> None:
        """With `most`, fewer than these games may be played."""
        self._store, self._noted = store, 0.0
        self._said: dict[str, Any] = {
            "begun": round(time.time(), 1),
            "had": int(store.rows("SELECT MAX(number) FROM games")[0][0] or 0),
            "workers": workers,
            "games": dict(games) if games is not None else None,
            "seconds": budget.seconds if budget else None,
            "budget": budget.games if budget else None,
            "most": most,
            "stage": "",
            "ended": "",
            "end": None,
        }

    def begin(self, stage: str, total: int) -> None:
        """Note a stage of so many games."""
        games = self._said["games"]
        if games is not None:
            if stage not in games and "" in games:
                games[""] = max(0, games[""] - total)
            games[stage] = total
        self._said["stage"] = stage
        self._write()

    def ended(self, outcome: Outcome) -> None:
        """Note the end of the run."""
        self._said["ended"] = outcome.stopped or outcome.decided or "done"
        self._said["end"] = round(time.time(), 1)
        self._write()

    def watching(self, progress: Progress) -> Progress:
        """Return the same progress, which also reports to this object."""

        def begin(stage: str, total: int, done: int, unit: str = "game", **more: Any) -> None:
            if unit == "game":
                self.begin(stage, total)
            progress.begin(stage, total, done, **more, **({} if unit == "game" else {"unit": unit}))

        return replace(progress, begin=begin)

    def paces(self, paces: Mapping[str, RunPace], now: bool = False) -> None:
        """Note the games of each worker since the run began or was resumed, if it is time."""
        if paces and (now or time.monotonic() - self._noted > EVERY):
            self._noted = time.monotonic()
            noted = {worker: [p.results, round(p.seconds, 2)] for worker, p in paces.items()}
            self._store.set_meta({PACES: json.dumps(noted)})

    def _write(self) -> None:
        self._store.set_meta({PROGRESS: json.dumps(self._said)})
