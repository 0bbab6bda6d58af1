"""Writes the goldens anew: `python -m tests.frozen.renew`, or behind it the names of some facts.

The runs in `run_of_0_1` and `run_of_0_2` are never made anew: they are what older versions have left on disks.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.frozen.facts import FACTS, goldens_of


def renew(chosen: Sequence[str]) -> None:
    """Write the goldens of these facts, and tell which have changed."""
    for name in chosen or FACTS:
        with tempfile.TemporaryDirectory() as folder:
            found = FACTS[name](Path(folder))
        home = goldens_of(name)
        before = {str(p.relative_to(home)): p for p in home.rglob("*") if p.is_file()}
        for file in sorted(set(before) - set(found)):
            if name != "kernels":  # those of other versions stay
                before[file].unlink()
                print(f"{name}/{file}: is no more")
        for file, text in found.items():
            path = home / file
            if not path.is_file() or path.read_bytes() != text.encode():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text.encode())
                print(f"{name}/{file}: {'changed' if file in before else 'new'}")


if __name__ == "__main__":
    renew(sys.argv[1:])
