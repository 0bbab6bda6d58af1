"""A line while a run plays, if an engine fails often: the owner may mend it now, not after the budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from joute.engines.errors import cut
from joute.engines.record import RESIGNED, GameRecord

FEW = 10  # failed games from which on something is said, once
SHARE = 0.1  # of the games so far
LONG = 200  # characters of what went wrong


class EarlyFailures:
    """Counts games and those in which an engine failed, as they come."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._games = self._failed = 0
        self._said = False

    def add(self, records: Iterable[GameRecord]) -> None:
        """Count games; say once that an engine fails in many."""
        for record in records:
            self._games += 1
            failed = [seat for seat in record.seats if seat.failure not in ("", RESIGNED)]
            self._failed += bool(failed)
            if failed and not self._said and self._failed >= max(FEW, SHARE * self._games):
                self._said = True
                seat = failed[0]
                self._say(
                    f"an engine failed in {self._failed} of {self._games} games so far; now ({seat.failure}): "
                    f"{cut(seat.failure_text, LONG)}; Ctrl-C stops the run, and its games are kept"
                )
