"""The history of a training run besides its games: one entry for each generation, in `run.db`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from joute.results.meta import GENERATIONS
from joute.results.store import Store


class History:
    """The entries of a run's generations by number; 0 is the first network. Their fields:
    `docs/training.md`.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.entries: dict[int, dict[str, Any]] = read_history(store.meta())

    def note(self, generation: int, **facts: Any) -> dict[str, Any]:
        """Note facts about a generation, at once in the store."""
        entry = self.entries.setdefault(generation, {"generation": generation})
        entry.update(facts)
        entries = [self.entries[number] for number in sorted(self.entries)]
        self._store.set_meta({GENERATIONS: json.dumps(entries)})
        return entry

    @property
    def accepted(self) -> list[int]:
        """The generations that became champion, in order."""
        return [number for number, entry in sorted(self.entries.items()) if entry.get("accepted")]

    @property
    def champion(self) -> int:
        """The last generation that became champion."""
        return self.accepted[-1]


def read_history(meta: Mapping[str, str]) -> dict[int, dict[str, Any]]:
    """Return the generations that a run has noted."""
    return {entry["generation"]: entry for entry in json.loads(meta.get(GENERATIONS) or "[]")}
