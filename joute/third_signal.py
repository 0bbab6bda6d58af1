"""Ends the program at the third Ctrl-C or SIGTERM, wherever it is.

Python hears a signal between two of its own steps: not before a compiled kernel returns, which one with
an endless loop never does. The system's handler writes each signal to a pipe at once, and kernels let
other threads run: one that reads the pipe is enough.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

LAST = 3  # signals
PATIENCE = 3.0  # seconds after the one before, until it is told how to end the program
STOPPING = (signal.SIGINT, signal.SIGTERM)
HINT = "still busy, perhaps in a kernel that does not end (joute check finds one); once more ends it at once"


@contextmanager
def last_resort() -> Iterator[None]:
    """Count signals in the meantime; only in the main thread."""
    heard, told = os.pipe()
    os.set_blocking(told, False)
    before, over = signal.set_wakeup_fd(told, warn_on_full_buffer=False), threading.Event()
    threading.Thread(target=_count, args=(heard, over), daemon=True).start()
    try:
        yield
    finally:
        over.set()
        signal.set_wakeup_fd(before)
        os.close(told)


def _count(heard: int, over: threading.Event) -> None:
    """Read signals until the other end of the pipe is closed; the last one ends the program."""
    count = 0
    while numbers := os.read(heard, 1):
        if numbers[0] not in STOPPING:
            continue
        count += 1
        if count == LAST:
            _say("stopped at once")
            os._exit(128 + numbers[0])
        if count == LAST - 1:
            threading.Thread(target=_hint, args=(over,), daemon=True).start()
    os.close(heard)


def _hint(over: threading.Event) -> None:
    if not over.wait(PATIENCE):
        _say(HINT)


def _say(text: str) -> None:
    os.write(2, f"joute: {text}\n".encode())
