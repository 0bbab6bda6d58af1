"""Announces the total time of a run once it is known, and again when it turns out to be wrong.

A dry run measures a few games and guesses the later stages: who plays in them, and how long their
games last. Here all games are measured while they are played.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from joute.results.quantity import duration
from joute.studies.play.progress import Progress

SURE = 4.0  # seconds of play before the first estimate
LATELY = 30.0  # seconds over which the rate is measured ...
ENOUGH = 20  # ... and games, at least
WORTH = 60.0  # seconds below which nothing is announced
OFF = 0.25  # relative error of an announcement that needs no correction


class Eta:
    """The time of a run, from its first game to the last game of its last stage.

    `games`: expected games by stage; under "" those of stages without a name yet, or of all.
    `first`: the first estimate, in seconds; `seconds`: the current one; both None until known.
    """

    def __init__(
        self,
        games: Mapping[str, int],
        say: Callable[[str], None],
        most: bool = False,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """With `most` a test may end after far fewer games: then no time is announced."""
        self._expected, self._done = dict(games), dict[str, int]()
        self._say, self._most, self._now = say, most, now
        self._begun: float | None = None
        self._lately = deque[tuple[float, int]]()
        self._stage, self._said = "", 0.0
        self.first: float | None = None
        self.seconds: float | None = None

    def begin(self, stage: str, total: int, done: int) -> None:
        """Begin a stage of so many games, some of them done."""
        if stage not in self._expected:
            self._expected[""] = max(0, self._expected.get("", 0) - total)
        self._expected[stage], self._done[stage], self._stage = total, done, stage

    @property
    def left(self) -> int:
        """Games still to come."""
        return sum(max(0, n - self._done.get(stage, 0)) for stage, n in self._expected.items())

    def played(self, games: int) -> None:
        """Count games of the stage."""
        now = self._now()
        self._done[self._stage] = self._done.get(self._stage, 0) + games
        if self._begun is None:  # earlier time was the start of the workers
            self._begun = now
        self._lately.append((now, games))
        since = self._lately[0][0]
        counted = sum(n for _, n in self._lately) - self._lately[0][1]
        if now - since < SURE or counted < ENOUGH:
            return
        self.seconds = now - self._begun + self.left * (now - since) / counted
        while now - self._lately[0][0] > LATELY and counted - self._lately[1][1] >= ENOUGH:
            self._lately.popleft()
            counted -= self._lately[0][1]
        self._tell()

    def _tell(self) -> None:
        assert self.seconds is not None
        if self.first is None:
            self.first = self._said = self.seconds
            if self.seconds > WORTH and not self._most:
                self._say(f"this takes about {duration(self.seconds)} in all")
        elif self._most:
            return  # a test ends when it has decided: the most games there could be tell nothing
        elif abs(self.seconds - self._said) > max(WORTH, OFF * self._said):
            self._say(
                f"this takes about {duration(self.seconds)} in all (earlier estimate: "
                f"{duration(self._said)})"
            )
            self._said = self.seconds

    def watching(self, progress: Progress) -> Progress:
        """Return the same progress, which also reports to this object."""

        def begin(stage: str, total: int, done: int, **more: Any) -> None:
            self.begin(stage, total, done)
            progress.begin(stage, total, done, **more)

        def advance(games: int) -> None:
            self.played(games)
            progress.advance(games)

        return replace(progress, begin=begin, advance=advance)
