"""Lines that are kept from run to run: beside the bytecode, or with the user's caches."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

BESIDE = Path(__file__).parent / "__pycache__"
MOST = 4000  # lines of a list, the latest


def places(name: str) -> list[Path]:
    """Return where a file that is kept from run to run may lie, the first choice first."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    own = [Path(caches) / "joute" / name] if os.path.isabs(caches) else []  # "~": there is no home
    return [BESIDE / name, *own]


def kept(name: str) -> list[str]:
    """Return the lines of a list, the oldest first; those that cannot be read are missing."""
    lines: list[str] = []
    for place in places(name):
        with contextlib.suppress(OSError, ValueError):
            lines += place.read_text().splitlines()
    return lines


def keep(name: str, line: str) -> None:
    """Add a line to a list, where that can be written; a long list loses its older half."""
    for place in places(name):
        with contextlib.suppress(OSError, ValueError):
            place.parent.mkdir(parents=True, exist_ok=True)
            lines = place.read_text().splitlines() if place.exists() else []
            if len(lines) < MOST:
                with place.open("a") as file:
                    file.write(f"{line}\n")
            else:
                place.write_text("".join(f"{one}\n" for one in [*lines[len(lines) // 2 :], line]))
            return
