"""Temporary folders named after the process that made them: the next one removes those of the dead."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

FOLDERS = "joute-"  # prefix of such folders' names; the process id follows
SEMAPHORES = Path(
    "/dev/shm"
)  # where Linux keeps those of loky's pools, by their maker's process id


def new_folder() -> str:
    """Make a temporary folder, and remove those that processes which were killed left, with the
    semaphores of their pools: a folder's name notes whose it was.
    """
    sweep()
    return unswept_folder()


def unswept_folder() -> str:
    """Make such a folder, and remove nothing: for those that are made every few milliseconds."""
    return tempfile.mkdtemp(prefix=f"{FOLDERS}{os.getpid()}-")


def sweep() -> None:
    """Remove the folders and semaphores of processes that are dead."""
    with contextlib.suppress(OSError):
        for left in Path(tempfile.gettempdir()).glob(f"{FOLDERS}*-*"):
            owner = left.name.removeprefix(FOLDERS).partition("-")[0]
            if owner.isdigit() and not _lives(int(owner)):
                for semaphore in SEMAPHORES.glob(f"sem.loky-{owner}-*"):
                    with contextlib.suppress(OSError):  # another user's
                        semaphore.unlink()
                shutil.rmtree(left, ignore_errors=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's process
        pass
    return True
