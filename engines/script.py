"""A script: a file of commands to engines, some with the answer that is wanted; `joute suite FILE`.

Where a suite of ours has positions and accepted actions, a script is in the language of a protocol,
and is put to an engine of ours as to somebody else's program.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple

from joute.engines.protocol import Playing
from joute.engines.registry import Member, entries, make

PASSED, FAILED = "passed", "failed"
UNEXPECTED = "unexpected pass"
KNOWN = "expected failure"
IGNORED = "ignored"
VERDICTS = (PASSED, FAILED, UNEXPECTED, KNOWN, IGNORED)


class Wanted(NamedTuple):
    """What an answer is to be like, as the file says it; `expected` is PASSED, KNOWN for an answer that
    is known to be wrong, or IGNORED for one that does not count.
    """

    pattern: str
    expected: str = PASSED


class Step(NamedTuple):
    """A command of a script, at a line of it: its number in the file (or ""), the command as it stands
    there, what is said to the engine, and the answer that is wanted, if one is.
    """

    line: int
    number: str
    command: str
    said: str
    wanted: Wanted | None = None

    @property
    def name(self) -> str:
        """Its number, or where it stands."""
        return self.number or f"line {self.line}"


class Reply(NamedTuple):
    """What came of a step that wants an answer: the answer, whether it is as wanted, or "" and why
    there is none (`failure`), and the milliseconds that it took.
    """

    got: str
    passes: bool = False
    failure: str = ""
    ms: float = 0.0


class Replies(NamedTuple):
    """What an engine made of a script: a reply for each step that wants one, and what went wrong in
    other steps, a line each.
    """

    replies: tuple[Reply, ...]
    errors: tuple[str, ...] = ()


class Script(Member, ABC, kind="script"):
    """A format of scripts for engines of a game; `ending` ends the name of such a file."""

    game: ClassVar[str]
    ending: ClassVar[str]

    @abstractmethod
    def read(self, path: Path) -> tuple[Step, ...]:
        """Return the steps of a file; raise Refused with the line of what is wrong."""

    @abstractmethod
    def run(self, steps: Sequence[Step], engine: Playing) -> Replies:
        """Put all steps to an engine, one after the other."""


def verdict(wanted: Wanted, reply: Reply) -> str:
    """Return what a reply is worth, one of VERDICTS."""
    if wanted.expected == IGNORED:
        return IGNORED
    if wanted.expected == KNOWN and not reply.failure:
        return UNEXPECTED if reply.passes else KNOWN
    return PASSED if reply.passes else FAILED


def script_of(file: str) -> Script | None:
    """Return the format of a file by its name's ending, or None."""
    for name, entry in entries("script").items():
        if file.lower().endswith(entry.fact("ending")):
            script: Script = make("script", name)
            return script
    return None
