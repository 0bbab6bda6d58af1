"""Finds the files that engines' texts name, on this machine.

At home the names are paths. A worker on another machine has copies of the files shipped with the
run, in a folder laid out like the parent's file system: relative names are right there (its current
directory is the copy), absolute ones are looked for below `mirror` first.
"""

from __future__ import annotations

import hashlib
import os
import socket
from functools import lru_cache
from pathlib import Path

mirror = ""
host = ""
"""This machine's name in a cluster; "" at home."""
HOST = "JOUTE_HOST"


def host_name() -> str:
    """Return this machine's name: the host name, or the environment's."""
    return os.environ.get(HOST) or socket.gethostname()


def here(path: str | Path) -> Path:
    """Return where a file lies that a text names."""
    given = Path(path)
    if mirror and given.is_absolute() and (copy := Path(f"{mirror}{given}")).exists():
        return copy
    return given


def content(path: str | Path) -> str:
    """Return the digest of a file's content; raise OSError."""
    stat = os.stat(path)
    return _content(str(path), stat.st_mtime_ns, stat.st_size, stat.st_ino)


@lru_cache(maxsize=1024)
def _content(path: str, *unchanged: int) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
