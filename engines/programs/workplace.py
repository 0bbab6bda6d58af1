"""Where a program with a parameter file runs: a temporary folder that holds the file and goes with it.

A program that takes the file's path (`{file}` in its command) works in the current folder, as others
do. Any other opens the file by its name, and works in the temporary folder: there stands everything
that stands in the current one, as links, but for the file. The files that its command names are
copied: a script that asks where it lies itself finds the file beside it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from joute.engines.programs.folders import sweep, unswept_folder

MOST = 5_000  # links that are made for a process
LARGEST = 1 << 24  # bytes of a file that is copied


class Workplace:
    """A folder for one process. Raises OSError where it cannot be made."""

    def __init__(self, name: str, text: str) -> None:
        sweep_once(os.getpid())
        self.folder = Path(unswept_folder())
        self.file = self.folder / name
        self.cwd: Path | None = None
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self.file.write_text(text, "utf-8")
            os.utime(self.file, (0, self.file.stat().st_mtime))
        except BaseException:
            self.remove()
            raise

    def furnish(self, words: Sequence[str]) -> list[str]:
        """Make it like the current folder, to work in; return the words of the command as they are
        seen from there: those that lead out of the folder are made absolute.
        """
        named = {os.path.normpath(word) for word in words}
        name, here, made = self.file.relative_to(self.folder), Path.cwd(), 0
        try:
            for part in reversed(name.parents):
                for entry in os.scandir(here / part) if (here / part).is_dir() else ():
                    path, made = part / entry.name, made + 1
                    if made > MOST:
                        raise OSError(
                            f"the current folder has more than {MOST:,} entries: write {{file}} in the command"
                        )
                    if path == name or path in name.parents:
                        continue
                    if str(path) in named and entry.is_file() and entry.stat().st_size < LARGEST:
                        shutil.copy2(entry.path, self.folder / path)
                    else:
                        os.symlink(entry.path, self.folder / path)
        except BaseException:
            self.remove()
            raise
        self.cwd = self.folder
        return [seen_from_below(word) for word in words]

    def was_opened(self) -> bool | None:
        """Whether somebody has read the file; None where the system does not note that."""
        if self.file.stat().st_atime:
            return True
        self.file.read_bytes()
        return False if self.file.stat().st_atime else None

    def remove(self) -> None:
        """Remove the folder with all that the program wrote there."""
        shutil.rmtree(self.folder, ignore_errors=True)


def seen_from_below(word: str) -> str:
    """Return a word of a command as a folder like the current one sees it: a path that leads out of that
    one is absolute.
    """
    out = word.startswith(f"..{os.sep}") and os.path.exists(word)
    return os.path.abspath(word) if out else word


@cache
def sweep_once(process: int) -> None:
    """Remove the folders of dead processes, once in the life of a process."""
    sweep()
