"""What a game knows of its endings from files: by it a referee ends a game early."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from joute.engines.kernels.compile import Words


class Tablebases(Protocol):
    """The tables of some folders, opened; `Game.tablebases` returns them."""

    men: int  # most men on the board
    content: str  # what identifies the tables, wherever they lie

    def returns(self, W: Words, at: int) -> list[float] | None:
        """Return the returns of a position by perfect play; None for one that they do not know."""


def content_of(files: Sequence[Path], men: int) -> str:
    """Return the content of files: number, men, a digest of names and sizes."""
    names = sorted(f"{file.name} {file.stat().st_size}" for file in files)
    digest = hashlib.sha256("\n".join(names).encode()).hexdigest()[:8]
    return f"{len(names)} tables, up to {men} men ({digest})"
