"""A script: a file of commands to engines, some with an expected answer; `joute suite FILE`.

Where a suite of ours has positions and accepted actions, a script is in the language of a protocol,
and is put to our engines and to outside programs alike.
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
    """The expected answer, as the file gives it; `expected` is PASSED, KNOWN for an answer that is
    known to be wrong, or IGNORED for one that does not count.
    """

    pattern: str
    expected: str = PASSED


class Step(NamedTuple):
    """A command of a script at a line: its number in the file (or ""), the command as written, the
    text sent to the engine, and the expected answer, if any. One with a `fault` is not sent.
    """

    line: int
    number: str
    command: str
    said: str
    wanted: Wanted | None = None
    fault: str = ""

    @property
    def name(self) -> str:
        """Its number, or its line."""
        return self.number or f"line {self.line}"


class Reply(NamedTuple):
    """The result of a step with an expected answer: the answer, whether it is as expected, or ""
    and the reason why there is none (`failure`), and the milliseconds that it took.
    """

    got: str
    passes: bool = False
    failure: str = ""
    ms: float = 0.0


class Replies(NamedTuple):
    """An engine's results for a script: a reply for each step with an expected answer, and the
    errors in other steps, a line each.
    """

    replies: tuple[Reply, ...]
    errors: tuple[str, ...] = ()


class Script(Member, ABC, kind="script"):
    """A format of scripts for engines of a game; `ending` ends the name of such a file."""

    game: ClassVar[str]
    ending: ClassVar[str]

    @abstractmethod
    def read(self, path: Path) -> tuple[Step, ...]:
        """Return the steps of a file; raise Refused with the line of an error."""

    @abstractmethod
    def run(self, steps: Sequence[Step], engine: Playing) -> Replies:
        """Put all steps to an engine, one after the other."""


def verdict(wanted: Wanted, reply: Reply) -> str:
    """Return the verdict on a reply, one of VERDICTS."""
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
