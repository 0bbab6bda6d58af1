"""Whether a run has played all that its study asks for: then the same command need not find that out again.

A search asks its tuner anew for every point to see which games are missing, which takes seconds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

from joute.results.store import Store
from joute.studies.play.progress import Outcome
from joute.studies.study import Study

ENDED = "ended"  # the key of the note


class Ended:
    """The note of a run that it is over: its study, its games, and what it kept `beside` them."""

    def __init__(self, study: Study, store: Store, beside: Callable[[], str | None]) -> None:
        self._store, self._beside = store, beside
        timed = study.budget is not None and study.budget.seconds is not None
        text = json.dumps(study.resolved(), sort_keys=True, default=str)
        self._study = "" if timed else hashlib.sha256(text.encode()).hexdigest()

    def __bool__(self) -> bool:
        noted = self._store.meta().get(ENDED)
        return noted is not None and noted == self._note()

    def note(self, outcome: Outcome) -> None:
        """Note that the run is over, if it is."""
        note = self._note()
        if note is not None and not (outcome.stopped or outcome.missing or outcome.exhausted):
            self._store.set_meta({ENDED: note})

    def _note(self) -> str | None:
        beside = self._beside()
        if not self._study or beside is None:
            return None
        games = self._store.rows("SELECT COUNT(*) FROM games")[0][0]
        return json.dumps([self._study, games, beside])
