"""`.tst`: regression suites of Go programs, GTP commands with the expected answers.

The format is GNU Go's: a command with a number before it is a test if `#? [PATTERN]` follows. The
pattern is a regular expression for the whole answer, `!` before it negates it, `*` behind the
bracket marks a test that is known to fail, `&` one that does not count; a bracket that is missing at
the end of the line is taken as there. The paths of `loadsgf` are relative to the file's folder; without
its file a `loadsgf` fails, and with it the tests up to the next board.
"""

from __future__ import annotations

import os
import re
import signal
import threading
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import ClassVar

from joute.engines.data import read_text
from joute.engines.errors import ANYTHING, Refused, cut
from joute.engines.games.go.gtp.controller import Controller
from joute.engines.games.go.gtp.side import Declined, GtpSide, asked
from joute.engines.player import PlayerFailure, brief
from joute.engines.programs.conversing import ConversingPlayer
from joute.engines.protocol import Playing
from joute.engines.script import IGNORED, KNOWN, PASSED, Replies, Reply, Script, Step, Wanted

COMMAND = re.compile(r"(?:(\d{1,9})\s+)?(\S.*)")
WANTED = re.compile(r"#\?\s*\[(?:(.*)\]\s*([*&]?)|([^\]]*))\s*")
EXPECTED = {"": PASSED, "*": KNOWN, "&": IGNORED}
BEGIN = ("loadsgf", "boardsize", "rectangular_boardsize", "clear_board")  # set up a new board
SET_UP = (*BEGIN, "play", "undo", "genmove", "black", "white", "set_free_handicap",
          "fixed_handicap", "place_free_handicap")  # fmt: skip
TRIES = 3  # times that an engine may end, with no test answered between, before it is given up
LONGEST_PATTERN = 5000  # characters: Python compiles one of a million for minutes
PATTERN_SECONDS = 5  # of CPU time that one comparison may take
LONG = 200  # characters of an answer that are kept, and of a pattern that are shown


class Tst(Script):
    """GNU Go's and GoGui's format of tests."""

    name = "tst"
    summary = "regression tests of GTP programs, as GNU Go and gogui-regress have them"
    game: ClassVar[str] = "go"
    ending = ".tst"

    def read(self, path: Path) -> tuple[Step, ...]:
        """Return the commands, and for tests the expected answer."""
        try:
            lines = read_text(path, latin=True).splitlines()
        except OSError as error:
            raise Refused(f"{path}: {error.strerror or error}") from None
        steps: list[Step] = []
        for number, line in enumerate(lines, 1):
            try:
                _add(steps, number, line.strip(), path.parent)
            except Refused as error:
                raise Refused(f"{path}: line {number}: {error}") from None
        if not any(step.wanted for step in steps):
            raise Refused(f"{path}: has no test: a command with a number, then #? [PATTERN]")
        return tuple(steps)

    def run(self, steps: Sequence[Step], engine: Playing) -> Replies:
        """Send all commands. If a board cannot be set up, its tests fail without being asked."""
        voice = voice_of(engine)
        try:
            return _Run(voice).all(steps)
        finally:
            voice.end()


def _add(steps: list[Step], number: int, line: str, folder: Path) -> None:
    """Add the command or the pattern of a line."""
    if line.startswith("#?"):
        steps[-1:] = [_wanting(steps, line)]
        return
    line = "".join(c if c >= " " else " " for c in line.partition("#")[0]).strip()
    match = COMMAND.fullmatch(line)
    if match is not None:
        steps.append(_step(number, match[1] or "", match[2], folder))


def _wanting(steps: Sequence[Step], line: str) -> Step:
    match = WANTED.fullmatch(line)
    pattern = (match[1] or match[3] or "").strip() if match else ""
    if match is None or not pattern:
        raise Refused(f"{cut(line, LONG)!r} is not of the form #? [PATTERN], maybe with * or &")
    if len(pattern) > LONGEST_PATTERN:
        raise Refused(f"a pattern of {len(pattern)} characters; allowed: {LONGEST_PATTERN}")
    if not steps or steps[-1].wanted:
        raise Refused("#? stands behind no command whose answer it could mean")
    try:
        with warnings.catch_warnings(action="ignore"):
            re.compile(pattern.removeprefix("!"))
    except (re.error, RecursionError, OverflowError) as error:
        raise Refused(f"[{cut(pattern, LONG)}] is no regular expression: {error}") from None
    return steps[-1]._replace(wanted=Wanted(pattern, EXPECTED[match[2] or ""]))


def _step(line: int, number: str, command: str, folder: Path) -> Step:
    """Return a command with its path as the engine finds it, which GTP wants without blanks."""
    words = command.split()
    if words[0] != "loadsgf" or len(words) == 1:
        return Step(line, number, command, command)
    file = folder / words[1]
    if not file.is_file():
        return Step(line, number, command, "", fault=f"no such file in {folder}")
    ways = (str(file.resolve()), os.path.relpath(file))
    if not (able := [way for way in ways if not re.search(r"\s", way)]):
        raise Refused(f"{ways[0]!r} has blanks, which GTP cannot say")
    return Step(line, number, command, " ".join([words[0], able[0], *words[2:]]))


def passes(wanted: str, got: str) -> bool:
    """Whether an answer is like a pattern, or with ! before it is not; raise Endless."""
    with limited(PATTERN_SECONDS), warnings.catch_warnings(action="ignore"):
        matches = re.fullmatch(wanted.removeprefix("!").strip(), got, re.DOTALL) is not None
    return matches != wanted.startswith("!")


class Endless(Exception):
    """A pattern was compared for too long: the tries of some grow without end, as of (a+)+b."""

    def __init__(self) -> None:
        super().__init__(f"its pattern takes more than {PATTERN_SECONDS} s to compare")


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise Endless in the main thread after so much CPU time, where the system can."""
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "SIGVTALRM"):
        yield
        return

    def ended(number: int, frame: FrameType | None) -> None:
        raise Endless

    before = signal.signal(signal.SIGVTALRM, ended)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


class Ended(Exception):
    """Whoever was asked has ended, or is of no more use; the next command begins anew."""


class Voice(ABC):
    """Answers GTP commands."""

    @abstractmethod
    def answer(self, command: str) -> str:
        """Return the answer; raise Declined for `?`, Ended for none."""

    @abstractmethod
    def end(self) -> None:
        """Let go of it."""


class Outside(Voice):
    """A program."""

    def __init__(self, player: ConversingPlayer) -> None:
        self._player = player

    def answer(self, command: str) -> str:
        """Ask, within the time of a turn."""
        try:
            return self._player.aside(lambda lines: asked(lines, command))
        except Declined:
            raise
        except PlayerFailure as failure:
            raise Ended(brief(failure.text)) from None
        except Refused as error:
            self._player.close()
            raise Ended(str(error)) from None

    def end(self) -> None:
        """Send it away."""
        self._player.close()


class Ours(Voice):
    """An engine of ours."""

    def __init__(self, engine: Playing) -> None:
        self._engine = engine
        self._controller: Controller | None = None

    def answer(self, command: str) -> str:
        """Ask."""
        try:
            self._controller = self._controller or Controller(self._engine)
            reply = self._controller.answer(command) or "?"
        except ANYTHING as error:
            self.end()
            raise Ended(f"crash: {error!r}") from None
        text = reply[1:].strip().lstrip("0123456789").strip()
        if reply[0] == "?":
            raise Declined(f"{command} is answered by ? {cut(text, LONG)}")
        return text

    def end(self) -> None:
        """Let go of its player."""
        if self._controller is not None:
            self._controller.close()
        self._controller = None


def voice_of(engine: Playing) -> Voice:
    """Return the voice of an engine: its program where that speaks GTP, else our own."""
    player = engine.player()
    if isinstance(player, ConversingPlayer) and isinstance(player.side, GtpSide):
        return Outside(player)
    player.close()
    return Ours(engine)


class _Run:
    """The state of a run: the fault of the board (""), the errors, how often the program ended."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        self._broken = ""
        self._ended = 0
        self._restart = False
        self._errors: list[str] = []

    def all(self, steps: Sequence[Step]) -> Replies:
        """Send all steps."""
        names = [step.command.split()[0] for step in steps]
        first = next((i for i, name in enumerate(names) if name in BEGIN), 0)
        before = [step for step in steps[:first] if not step.wanted]
        replies = []
        for step, name in zip(steps, names, strict=True):
            if self._restart and name in BEGIN and self._ended < TRIES:
                self._restart, self._broken = False, ""
                for one in before:  # settings for the whole file
                    self._one(one)
            reply = self._one(step, name in BEGIN)
            if step.wanted is not None:
                replies.append(reply)
        return Replies(tuple(replies), tuple(dict.fromkeys(self._errors)))

    def _one(self, step: Step, begins: bool = False) -> Reply:
        """Send one command of a script; a query is left out where the board could not be set up."""
        if self._restart or (self._broken and not begins):
            return Reply("", failure=f"not asked: {self._broken}")
        begun = time.perf_counter()
        try:
            if step.fault:
                raise Declined(step.fault)
            text = self._voice.answer(f"{step.number} {step.said}".strip())
        except (Declined, Ended) as error:
            ms = (time.perf_counter() - begun) * 1e3
            return self._failed(step, cut(" ".join(str(error).split()), LONG), ms, error)
        got = cut(" ".join(text.split()), LONG)
        ms = (time.perf_counter() - begun) * 1e3
        self._ended = 0 if step.wanted is not None else self._ended
        self._broken = "" if begins else self._broken
        try:
            return Reply(got, step.wanted is not None and passes(step.wanted.pattern, got), "", ms)
        except Endless as error:
            return Reply("", failure=str(error), ms=ms)

    def _failed(self, step: Step, why: str, ms: float, error: Exception) -> Reply:
        place = f"line {step.line}, {step.command}: {why}"
        if isinstance(error, Ended):
            self._ended += 1
            self._restart = True
            self._broken = place if self._ended < TRIES else f"given up after {TRIES} ends: {place}"
        elif step.command.split()[0] in SET_UP:
            self._broken = place
        if step.wanted is None:
            self._errors.append(place)
        return Reply("", failure=why, ms=ms)
