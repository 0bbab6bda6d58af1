"""Reads a run again and again while it grows; each time only what is new.

Nothing is locked and nothing written: a connection lives for one look, and every statement is a
separate transaction, so that the writer's log can always be taken over. Games are stored whole and
in the order of their numbers, hence all up to the last number are there with their seats.
"""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from joute.engines.record import TrialRecord
from joute.results.database import DATABASE, companions, no_run
from joute.results.frames import Results
from joute.results.growing import Growing
from joute.results.meta import LEFT, Meta
from joute.results.store import Store

PART = 10_000
"""Games that are read in one transaction."""


class Stamp(NamedTuple):
    """A database file and when it and its log were written last: the same while nothing happens."""

    file: tuple[int, int]
    written: tuple[tuple[int, int], ...]


class Following:
    """A run folder, read as it grows."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stamp: Stamp | None = None
        self._growing = Growing(folder)
        self._results: Results | None = None
        self._meta = Meta()
        self._trials: list[TrialRecord] = []

    @property
    def hosts(self) -> dict[str, int]:
        """Which machine has played how many games, where that is noted."""
        return self._growing.hosts

    def look(self) -> Results:
        """Return the current results of the run: the same object as before where nothing has
        changed.

        Raises StoreError where it is gone, damaged or of another version; a later look may succeed.
        """
        stamp = stamp_of(self.folder)
        if self._results is not None and stamp == self._stamp:
            return self._results
        if self._stamp is None or stamp.file != self._stamp.file:
            self._forget()  # another run: it was started afresh
        quiet = self._stamp is not None and self._results is not None
        with closing(Store.again(self.folder)) as store:
            results = self._read(store, quiet)
        self._results, self._stamp = results, stamp
        return results

    def _forget(self) -> None:
        self._growing, self._results = Growing(self.folder), None
        self._meta, self._trials = Meta(), []

    def _read(self, store: Store, again: bool) -> Results:
        meta = store.meta()
        moved = again and any(
            meta.get(key) != self._meta.get(key)
            for key in meta.keys() | self._meta.keys()
            if key.startswith("tables of ") or key in ("identity", "merged", LEFT)
        )
        [(last,)] = store.rows("SELECT MAX(number) FROM games")
        if moved or (last or 0) < self._growing.last:
            self._growing, self._trials = Growing(self.folder), []  # a study that has changed
        self._meta = meta
        new = self._grow(store, int(last or 0))
        self._growing.engines(store)
        self._read_trials(store)
        if not new:  # it is when a stage ends that games are left out
            self._growing.leave_out(
                number for (number,) in store.rows("SELECT number FROM games WHERE surplus")
            )
        return self._growing.results(meta, tuple(self._trials))

    def _grow(self, store: Store, last: int) -> int:
        begin = self._growing.last
        for first in range(begin, last, PART):
            self._growing.read(store, first, min(first + PART, last))
        return last - begin

    def _read_trials(self, store: Store) -> None:
        known = self._trials[-1].number if self._trials else -1
        self._trials += store.trials(known)
        [(count,)] = store.rows("SELECT COUNT(*) FROM trials")
        if count != len(self._trials):
            self._trials = store.trials()


def stamp_of(folder: Path) -> Stamp:
    """Return the stamp of a run; raise RunMissing where there is none."""
    path = folder / DATABASE
    try:
        one = path.stat()
    except OSError:
        raise no_run(folder) from None
    written = [(one.st_size, one.st_mtime_ns)]
    try:
        log = os.stat(companions(path)[0])  # not the index beside it: readers write that
        written.append((log.st_size, log.st_mtime_ns))
    except OSError:
        written.append((0, 0))
    return Stamp((one.st_dev, one.st_ino), tuple(written))
