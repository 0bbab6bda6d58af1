"""Where the files that engines' texts name lie on this machine.

At home that is where the text says. A worker on another machine has copies of what travelled with the
run, in a folder laid out like the parent's file system: relative names are right there by themselves (it
is the current directory that is copied), absolute ones are looked for below `mirror` first.
"""

from __future__ import annotations

import hashlib
import os
import socket
from functools import lru_cache
from pathlib import Path

mirror = ""
host = ""
"""What this machine of a cluster is called; "" at home."""
HOST = "JOUTE_HOST"


def host_name() -> str:
    """Return what this machine is called: its host name, or what the environment says instead."""
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
