"""Detects whether a process writes a run, without touching its lock: trying the lock would hold it
for a moment, in which a run could not begin.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from joute.results.database import DATABASE, LOCK, companions

LOCKS = Path("/proc/locks")
LATELY = 60.0  # seconds since the last batch, where the system does not list lock holders


def being_written(folder: Path, now: Callable[[], float] = time.time) -> bool:
    """Whether a process holds the lock of a run; where the system cannot tell, whether it was
    written lately.
    """
    try:
        held = LOCKS.read_text()
    except OSError:
        return _lately(folder, now())
    try:
        return _holds(held, os.stat(folder / LOCK).st_ino)
    except OSError:
        return False  # no lock was ever made there


def _holds(locks: str, inode: int) -> bool:
    # The inode alone: a file's device is another one here where file systems lie upon each other.
    words = (line.split() for line in locks.splitlines() if "FLOCK" in line)
    return any(word.endswith(f":{inode}") for line in words for word in line)


def _lately(folder: Path, now: float) -> bool:
    path = folder / DATABASE
    return now - max(map(_written, (path, *companions(path)[:1]))) < LATELY


def _written(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0
