"""Workers that were stopped, by an engine or by anybody: each is continued once, and ended the next time.

Looks are counted, not seconds: where this process was stopped too, as by Ctrl-Z, none were made.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from joute.harness.overlong import Overlong

LOOK = 0.5  # seconds between two looks
STOPPED = "its process was stopped (SIGSTOP) while it played alone, and again after it continued"
STILL = 20  # looks, one after the other, that find a worker stopped


class Stopped:
    """What is known of some workers; `ended` are the ids of those that were."""

    def __init__(self) -> None:
        self.ended: set[int] = set()
        self._looks: Counter[int] = Counter()
        self._continued: set[int] = set()
        self._next = 0.0

    def look(self, workers: Iterable[int]) -> None:
        """Look at workers, by their process ids, where it is time to: continue or end the stopped."""
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + LOOK
        for worker in workers:
            self._looks[worker] = self._looks[worker] + 1 if is_stopped(worker) else 0
            if self._looks[worker] < STILL:
                continue
            self._looks[worker] = 0
            again = worker in self._continued
            (self.ended if again else self._continued).add(worker)
            with contextlib.suppress(OSError):  # it has ended
                os.kill(worker, signal.SIGKILL if again else signal.SIGCONT)


class Guard:
    """Looks at workers in a thread, until it is over, for those that were stopped and those whose turn
    does not end; `workers` gives their process ids, and their states are in a folder.
    """

    def __init__(self, workers: Callable[[], Iterable[int]], folder: str) -> None:
        self._workers, self._folder, self._over = workers, folder, threading.Event()
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        stopped, overlong = Stopped(), Overlong(self._folder)
        while not self._over.wait(LOOK):
            workers = [*self._workers()]
            stopped.look(workers)
            overlong.look(workers)

    def end(self) -> None:
        """Look no more."""
        self._over.set()


def is_stopped(process: int) -> bool:
    """Whether a process is stopped by a signal; False where the system does not say."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "T"
    except (OSError, IndexError):
        return False
