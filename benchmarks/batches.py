"""The games of a search that is under way, kept so that a search that was stopped plays none again."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Asked = Sequence[Any]


class Batches:
    """Batches of games in the order in which a tuner asked for them, one a line of a file; a line that a
    kill cut short counts as not there. Where a tuner asks for something else than before, as another
    version of it does, what follows is forgotten.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._kept = path, list[str]()
        text = path.read_text("utf-8") if path.exists() else ""
        self._before = deque(line for line in text.splitlines() if whole(line))

    def take(self, asked: Asked) -> list[float] | None:
        """Return the scores of the next batch; None if it has to be played."""
        if not self._before:
            return None
        line = self._before.popleft()
        then, scores = json.loads(line)
        if then != json.loads(json.dumps(asked)):
            self._before.clear()
            self._path.write_text("".join(f"{kept}\n" for kept in self._kept), "utf-8")
            return None
        self._kept.append(line)
        return [float(score) for score in scores]

    def add(self, asked: Asked, scores: Sequence[float]) -> None:
        """Keep a batch that was played."""
        line = json.dumps([asked, scores])
        self._kept.append(line)
        with open(self._path, "a", encoding="utf-8") as file:
            file.write(f"\n{line}")


def whole(line: str) -> bool:
    """Whether a line of the file is that of a batch."""
    try:
        return bool(json.loads(line))
    except ValueError:
        return False
