"""CPU pinning: each worker, with the programs it starts, gets a separate core.

A claim is a locked file in a folder that all processes of a user share; it ends with the process.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

wanted = False  # set in workers; a process that starts workers must stay free
_held: list[int] = []  # the descriptor that holds our claim
_before: set[int] = set()  # the processors that this process had before it


def claim() -> int | None:
    """Pin this process to a processor without another claim; None where that is impossible."""
    if not wanted or _held or not hasattr(os, "sched_setaffinity"):
        return None
    folder = Path(tempfile.gettempdir()) / f"joute-processors-{os.getuid()}"
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        for number in sorted(os.sched_getaffinity(0)):
            if _locked(folder / str(number)):
                _before.update(os.sched_getaffinity(0))
                os.sched_setaffinity(0, {number})
                return number
    return None


def let_go() -> None:
    """Let the calling thread run on all processors again: one of a search that has several."""
    if _before:
        os.sched_setaffinity(0, _before)


def _locked(path: Path) -> bool:
    """Lock a file as long as this process lives; return whether it was free."""
    import fcntl

    held = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(held)
        return False
    _held.append(held)
    return True
