"""Detects that this process was suspended: the length of a turn is then no player's fault.

SIGSTOP, Ctrl-Z and a debugger stop a process while the clocks run on; SIGCONT, which continues it,
is noted. A sleeping machine needs nothing: the clock of turns sleeps with it.
"""

from __future__ import annotations

import signal
import threading
import time
from types import FrameType

_noticing = False
_continued = float("-inf")  # when, by the clock of turns


def notice_suspensions() -> None:
    """Note from now on when this process goes on; once does, and only the main thread can."""
    global _noticing
    if _noticing or threading.current_thread() is not threading.main_thread():
        return
    _noticing = True
    if hasattr(signal, "SIGCONT"):
        before = signal.getsignal(signal.SIGCONT)

        def noted(number: int, frame: FrameType | None) -> None:
            global _continued
            _continued = time.perf_counter()
            if callable(before):
                before(number, frame)

        signal.signal(signal.SIGCONT, noted)


def suspended_since(begun: float) -> bool:
    """Whether this process went on after a stop since then, by `time.perf_counter()`."""
    return _continued >= begun
