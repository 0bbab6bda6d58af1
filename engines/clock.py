"""A player's clock: learns the speed of work that is done in slices between looks at it.

Kernels read no clock. They do a given amount of work (nodes, iterations); their caller asks here
for the amount that takes about `SLICE_MS`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

SLICE_MS = 0.5  # the clock is looked at about this often
NOTHING_LEFT = 0.05  # milliseconds that are no time any more
SHORTEST = 1e-3  # milliseconds that work takes at least, for the clock's grain
TRUST = 1.25  # of a slice that was faster than believed
FOREVER = 1 << 62  # an amount of work without end


class Clock:
    """Times the moves of a player, one after the other.

    `rate` is work a millisecond, between `slowest` and `fastest`; 0 as long as nothing was measured.
    Until then `usual` is believed, and `slowest` where a guard watches (it must not be late); if that
    is 0, what is measured first. Slower is believed at once, faster by and by, at most
    `trust` times what was believed: where cheap and dear work alternate, a slice that is planned by the
    cheap would end a hundred times too late.
    """

    def __init__(
        self,
        slowest: float = 0.0,
        usual: float = 0.0,
        fastest: float = math.inf,
        trust: float = TRUST,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._slowest, self._usual, self._fastest = slowest, usual, fastest
        self._trust, self._now = trust, now
        self.rate = 0.0
        self._first = usual  # believed before anything was measured
        self._begun = self._started = 0.0
        self._stopped = False

    def begin(self, guard_ms: float | None = None) -> None:
        """Begin a move; whether a guard watches is known from its time."""
        self._begun, self._stopped = self._now(), False
        self._first = self._usual if guard_ms is None else self._slowest

    def stop(self) -> None:
        """End the move's time now."""
        self._stopped = True

    @property
    def stopped(self) -> bool:
        """Whether the move's time was ended."""
        return self._stopped

    def slice(self, time_ms: float) -> int:
        """Start a piece of work: return how much is to be done, 0 once the move's time is over."""
        self.start()
        if self._stopped:
            return 0
        if time_ms == math.inf:
            return FOREVER
        left = time_ms - (self._started - self._begun) * 1e3
        if left <= NOTHING_LEFT:
            return 0
        return max(1, int(min(left, SLICE_MS) * (self.rate or self._first)))

    def start(self) -> None:
        """Start a piece of work; its amount is known only afterwards."""
        self._started = self._now()

    def spent(self) -> float:
        """Return the milliseconds since the piece was started."""
        return max((self._now() - self._started) * 1e3, SHORTEST)

    def learn(self, work: float, spent_ms: float) -> None:
        """Take in how long a piece took."""
        measured = work / spent_ms
        believed = self.rate or self._first or measured
        self.rate = min(max(min(measured, self._trust * believed), self._slowest), self._fastest)
