"""What processes took of the processors, as Linux tells it in `/proc/PID/stat`; elsewhere nothing is told."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from joute.engines.programs.run_queue import descendants, waits_of


def cpu_seconds(process: int | str, ended: bool = False) -> float:
    """Return the CPU time of a process, of all its threads, with `ended` also that of its children
    that have ended; 0 where the system does not say.
    """
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11 : 15 if ended else 13])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError):
        return 0.0


class Usage:
    """The CPU time of this process and all below it, and how long those below waited for a processor,
    in seconds, as far as `look` has seen it; None where the system does not tell.
    """

    def __init__(self) -> None:
        self.told = bool(cpu_seconds("self"))
        self.cpu = self.waited = 0.0
        self._waits: dict[
            int | str, int
        ] = {}  # nanoseconds, of those that were there at the last look
        self.look()

    def look(self) -> tuple[float, float]:
        """Look, which is needed now and then: the waits of a process are gone with it. Return both."""
        every = [*descendants("self")]
        self.cpu = sum(cpu_seconds(process, ended=True) for process in every)
        waits = {process: waits_of(process) for process in every[1:]}
        self.waited += sum(self._grown(waits)) / 1e9
        self._waits = waits
        return self.cpu, self.waited

    def _grown(self, waits: dict[int | str, int]) -> Iterable[int]:
        return (max(0, now - self._waits.get(process, 0)) for process, now in waits.items())
