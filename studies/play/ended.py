"""Whether a run has played all that its study asks for: then the same command need not find that out again.

A search asks its tuner anew for every point to see which games are missing, which takes seconds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

from joute.results.meta import ENDED
from joute.results.store import Store
from joute.studies.play.progress import Outcome
from joute.studies.study import Study


class Ended:
    """The note of a run that it is over: its study, its games, and what it kept `beside` them."""

    def __init__(self, study: Study, store: Store, beside: Callable[[], str | None]) -> None:
        self._study, self._store, self._beside = study, store, beside

    def __bool__(self) -> bool:
        noted = self._store.meta().get(ENDED)
        return noted is not None and noted == self._note()

    def note(self, outcome: Outcome) -> None:
        """Note that the run is over, if it is."""
        note = self._note()
        if note is not None and not (outcome.stopped or outcome.missing or outcome.exhausted):
            self._store.set_meta({ENDED: note})

    def _note(self) -> str | None:
        beside, budget = self._beside(), self._study.budget
        if beside is None or (budget is not None and budget.seconds is not None):
            return None
        text = json.dumps(self._study.resolved(), sort_keys=True, default=str)
        study = hashlib.sha256(text.encode()).hexdigest()
        games = self._store.rows("SELECT COUNT(*) FROM games")[0][0]
        return json.dumps([study, games, beside])
