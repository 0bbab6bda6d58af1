"""An index of the rooms' members, kept beside their bytecode, or with the user's caches where that folder
cannot be written: reading the files takes half a second.
"""

from __future__ import annotations

import contextlib
import hashlib
import marshal
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from joute.engines.kept_lines import places

OWN = hashlib.sha256(str(Path(__file__).parent).encode()).hexdigest()[:12]
NAME = f"members-{OWN}.index"  # several installations may share a user's caches
Row: TypeAlias = tuple[str, str, str, dict[str, Any]]
"""A member: its kind, its name, its class, and the attributes that are plain values."""


def index_of(
    files: Sequence[Path], read: Callable[[Path], list[Row] | None]
) -> dict[Path, list[Row]]:
    """Return the rows that `read` finds in each file: those of the last time while no file has
    changed, come or gone. A file in which it finds an error (None) is read again the next time.
    """
    stamp = [(str(file), *_state(file)) for file in files]
    for place in places(NAME):
        with contextlib.suppress(OSError, ValueError, EOFError, TypeError):
            before, rows = marshal.loads(place.read_bytes())
            if before == stamp:
                return dict(zip(files, rows, strict=True))
    by_file = [read(file) for file in files]
    if None not in by_file:
        _keep(marshal.dumps((stamp, by_file)))
    return {file: rows or [] for file, rows in zip(files, by_file, strict=True)}


def _state(file: Path) -> tuple[int, int]:
    stat = os.stat(file)
    return stat.st_mtime_ns, stat.st_size


def _keep(data: bytes) -> None:
    """Write the index, whole or not at all; where it cannot be written, everything is read each time."""
    for place in places(NAME):
        with contextlib.suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=place.parent)
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.chmod(name, 0o644)
            os.replace(name, place)
            return
