"""The folder of one game: temporary, like the current folder, and gone with all that was written there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import mkdtemp

from joute.engines.programs.folders import unswept_folder
from joute.engines.programs.workplace import MOST, Workplace, seen_from_below, sweep_once


class GameFolder(Workplace):
    """What stands in the current folder, as links; and `own`, a folder in it for files of ours, which no
    link can lead out of. Raises OSError where it cannot be made.
    """

    def __init__(self) -> None:
        sweep_once(os.getpid())
        self.folder = self.cwd = Path(unswept_folder())
        try:
            for made, entry in enumerate(os.scandir(Path.cwd())):
                if made >= MOST:
                    raise OSError(f"the current folder has more than {MOST:,} entries")
                os.symlink(entry.path, self.folder / entry.name)
            self.own = Path(mkdtemp(prefix=".joute-", dir=self.folder))
        except BaseException:
            self.remove()
            raise

    def furnish(self, words: Sequence[str]) -> list[str]:
        """Return words as they are seen from the folder: those that lead out of the current one are
        made absolute.
        """
        return [seen_from_below(word) for word in words]
