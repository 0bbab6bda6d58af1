"""What the tests of `joute export` share."""

from __future__ import annotations

from pathlib import Path

from tests.support.runs import here

GAME = "connect4[columns=7,rows=5]"
BEST = f"{GAME}/alphabeta:evaluation=lines,depth=3,width=0.6"


def refusal(*words: object) -> str:
    """Return the last line of a refusal; nothing is written."""
    before = set(Path().rglob("*"))
    done = here("export", *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert set(Path().rglob("*")) == before
    return done.stderr.splitlines()[-1].removeprefix("joute: ")
