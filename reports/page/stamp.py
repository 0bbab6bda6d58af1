"""Whether the page of a run tells what would be told now: then it need not be drawn again."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from pathlib import Path

from joute.reports.reading.answer import Answer
from joute.results.frames import Results

REPORT = "report.html"
HEAD = 1000  # characters of a page among which its stamp is


def stamp_of(results: Results, answered: Answer) -> str:
    """Return a digest of what a page tells: the version, the games and the answer."""
    told = [version("joute"), len(results.games), len(results.trials), *answered.lines]
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16]


def page_as_it_is(results: Results, answered: Answer) -> Path | None:
    """Return the page of a run that tells these games and this answer already; None if there is none."""
    page = results.folder / REPORT
    try:
        with page.open(encoding="utf-8", errors="replace") as file:
            return page if f'content="{stamp_of(results, answered)}"' in file.read(HEAD) else None
    except OSError:
        return None
