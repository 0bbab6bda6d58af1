"""The runs that were made, a JSON line each: whatever kills the benchmark, whole runs stay."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from filelock import FileLock

from joute.engines.errors import Refused

HEADER = {"store": "runs of benchmarks.tuners", "format": 1}
KEY = ("problem", "shape", "tuner", "version", "seed", "games", "default")
MORE = ("correlation",)  # only in the key of runs that have it


class Store:
    """A file of runs. Several processes may add to it; a line that a kill cut short counts as not there.

    Raises Refused where the file is none of ours, or its folder is missing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.parent.is_dir():
            raise Refused(f"{path}: {path.parent} is no folder")
        if path.is_dir():
            raise Refused(f"{path} is a folder, not a file of runs")
        self._rows: dict[str, dict[str, Any]] = {}
        self.torn = 0
        if path.exists() and path.stat().st_size:
            self._read()

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, key: dict[str, Any]) -> dict[str, Any] | None:
        """Return the run with a key, if it was made."""
        return self._rows.get(identity(key))

    def rows(self, keys: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the runs with these keys that were made, in their order."""
        stored = (self.get(key) for key in keys)
        return [row for row in stored if row is not None]

    def add(self, row: dict[str, Any]) -> None:
        """Add a run: one write, on the disk before this returns."""
        line = f"{json.dumps(row, allow_nan=False)}\n"
        with open(self.path, "ab", buffering=0) as file, FileLock(f"{self.path}.lock"):
            if not os.fstat(file.fileno()).st_size:
                line = f"{json.dumps(HEADER)}\n{line}"
            elif not _ends_whole(self.path):
                line = f"\n{line}"
            file.write(line.encode())
            os.fsync(file.fileno())
        self._rows[identity(row)] = row

    def _read(self) -> None:
        lines = self.path.read_bytes().split(b"\n")
        if _parsed(lines[0]) != HEADER:
            raise Refused(f"{self.path}: not a file of runs of this benchmark; name another one")
        for line in filter(None, lines[1:]):
            row = _parsed(line)
            if isinstance(row, dict) and set(KEY) <= row.keys():
                self._rows[identity(row)] = row
            else:
                self.torn += 1


def identity(row: dict[str, Any]) -> str:
    """Return the key of a run as a text."""
    return json.dumps([row[name] for name in (*KEY, *(name for name in MORE if name in row))])


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _ends_whole(path: Path) -> bool:
    """Whether a whole line stands at the end of a file that is not empty."""
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read() == b"\n"
