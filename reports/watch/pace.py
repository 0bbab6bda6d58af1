"""The progress of a run: games stored and to come, speed, and time left."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from joute.reports.reading.unfinished import total_of
from joute.results.meta import PACES, PROGRESS

LATELY = 60.0  # seconds over which the speed is measured
LEAST = 3.0  # seconds before it is shown


@dataclass(frozen=True)
class Progress:
    """The progress of a run. `state`: "playing", "done", "stopped" (it can go on) or "unknown" (the
    run has no notes on it); `total`: games it will have, if known (`most`: at most); `left`:
    seconds to come; `rate`: games a second.
    """

    state: str
    games: int
    total: int | None
    most: bool
    stage: str
    rate: float | None
    left: float | None
    workers: int | None
    ended: str = ""
    paces: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    """What each worker has played: games, and the seconds that it took for them."""

    @property
    def share(self) -> float | None:
        """The share of its games that are played; None if unknown."""
        if self.ended in ("H0", "H1"):  # a test may end early
            return 1.0
        return min(1.0, self.games / self.total) if self.total else None


class Pace:
    """Follows the games of a run; ask it after every look."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._seen = deque[tuple[float, int]]()

    def progress(
        self, meta: Mapping[str, str], games: int, playing: bool, surplus: int = 0
    ) -> Progress:
        """Return the progress of a run with so many games now, `surplus` ones included: only a budget
        counts those.
        """
        noted: dict[str, Any] = json.loads(meta.get(PROGRESS) or "{}")
        rate = self._rate(noted, games, playing)
        total = total_of(noted)
        counted = games if noted.get("budget") else games - surplus
        ended = str(noted.get("ended") or "")
        state = "playing" if playing else "unknown"
        if noted and not playing:
            state = "done" if ended in ("done", "H0", "H1") else "stopped"
        left = None
        if playing and noted.get("seconds"):
            left = max(0.0, noted["begun"] + noted["seconds"] - self._now())
        elif playing and total is not None and rate:
            left = max(0, total - counted) / rate
        return Progress(
            state, counted, total, bool(noted.get("most")), str(noted.get("stage") or ""), rate, left,
            noted.get("workers"), ended, json.loads(meta.get(PACES) or "{}"),
        )  # fmt: skip

    def _rate(self, noted: Mapping[str, Any], games: int, playing: bool) -> float | None:
        """Return the recent games a second; since the run began if it is not watched for long; over
        all of it if it has ended.
        """
        now = self._now()
        if not playing:
            self._seen.clear()
            return mean_rate(noted, games, noted.get("end"))
        if not self._seen or games != self._seen[-1][1]:
            self._seen.append((now, games))
        while len(self._seen) > 2 and now - self._seen[1][0] > LATELY:
            self._seen.popleft()
        begun, had = self._seen[0]
        if now - begun >= LEAST and games > had:
            return (games - had) / (now - begun)
        return mean_rate(noted, games, now)


def mean_rate(noted: Mapping[str, Any], games: int, end: float | None) -> float | None:
    """Return the games a second since a run began; None if unknown, or the time is too short."""
    if not noted.get("begun") or end is None:
        return None
    spent, played = end - noted["begun"], games - noted.get("had", 0)
    return played / spent if spent >= 1 and played > 0 else None
