"""Workers whose turn does not end, as in a compiled loop without end: they are ended.

What counts is the CPU time of the worker itself, so that nobody is ended for a busy machine, for a
program that it waits for, or for the time in which it was stopped.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterable

from joute.engines.errors import Refused
from joute.engines.player import Player
from joute.engines.programs.cpu_time import cpu_seconds
from joute.harness.inflight import turn_of

LOOK = 0.5  # seconds between two looks
LONGEST = 1800  # seconds of CPU time for a turn without a limit of time
AFTER_LIMIT = 300  # seconds, and ten times its limit, for a turn that has one
VARIABLE = "JOUTE_LONGEST_TURN"  # of the environment: seconds for every turn, in place of these


class Overlong:
    """What is known of the workers whose states are in a folder; `ended` says of some why they are."""

    def __init__(self, folder: str) -> None:
        self.ended: dict[int, str] = {}
        self._folder = folder
        self._begun: dict[
            int, tuple[bytes, float]
        ] = {}  # the turn, and the CPU time when it was seen
        self._next = 0.0

    def look(self, workers: Iterable[int]) -> None:
        """Look at workers, by their process ids, where it is time to; end those that do not end."""
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + LOOK
        for worker in workers:
            turn, seconds = turn_of(self._folder, worker)
            spent = cpu_seconds(worker) if seconds else 0.0
            known, begun = self._begun.get(worker, (b"", 0.0))
            if turn != known:
                self._begun[worker] = turn, spent
            elif seconds and spent - begun > seconds:
                self.ended[worker] = (
                    f"its turn (or the game's rules) took more than {seconds} s of CPU time: an "
                    f"endless loop? {VARIABLE}=SECONDS sets another limit"
                )
                with contextlib.suppress(OSError):  # it has ended
                    os.kill(worker, signal.SIGKILL)


def allowed(player: Player | None = None, move_time_ms: float | None = None) -> int:
    """Return the seconds of CPU time that a turn may take before its process is ended."""
    if given := os.environ.get(VARIABLE):
        if not (given.isdecimal() and 0 < int(given) < 1 << 31):
            raise Refused(f"{VARIABLE}={given}: allowed: a whole number of seconds from 1 up")
        return int(given)
    limit = (player and player.limit_ms) or move_time_ms
    return LONGEST if limit is None else AFTER_LIMIT + int(10 * limit / 1e3)
