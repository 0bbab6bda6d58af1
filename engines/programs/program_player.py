"""A player backed by an external program: starts and kills it, reports its failures."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any, NoReturn

from joute.engines.errors import Refused, cut
from joute.engines.parameter import Value
from joute.engines.player import RESIGNED, Player, PlayerFailure
from joute.engines.programs import placeholders
from joute.engines.programs.parameter_file import text_in
from joute.engines.programs.process import Program, Trouble
from joute.engines.programs.told import told_in
from joute.engines.programs.workplace import Workplace

RESIGNS = re.compile(r"\b(resign(s|ed|ing|ation)?|surrenders?|gives? up)\b", re.IGNORECASE)
STDERR = "its stderr ends:"  # before the last words of a program that ended
LONGEST = 1950  # characters of a failure's text
PATIENCE = 0.2  # seconds for a program to end by itself
PATHS = ("command", "env")  # texts in which {file} stands for a path


class OutsidePlayer(Player):
    """Base of players that run a program, for all protocols. `values` are the engine's.

    `filled` values complete the command where the protocol knows them only when it starts.
    """

    lines = True  # whether the program answers by lines
    announced: Mapping[str, Any] = {}  # its parameters, by name, if it has said which it takes

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._values = dict(values)
        self._command = str(values["command"])
        self._first_ms, self._turn_ms = float(values["first_ms"]), float(values["turn_ms"])
        self._pauses = values["pause_waiting"] == "on"
        self._memory = int(values.get("memory_mb", 0))
        self._program: Program | None = None

    def _start(self, **filled: Value) -> None:
        """Start the program, after killing the last one."""
        self._kill()
        values = {**self._values, **filled}
        words = words_of(values)
        self._command = shlex.join(self._own_of(words))
        place: Workplace | None = None
        try:
            if name := str(values.get("file", "")):
                place = Workplace(name, text_in(name, {n: values[n] for n in told_in(values)}))
                if takes_path(values):
                    values["file"] = str(place.file)
                    words = words_of(values)
                else:
                    words = place.furnish(words)
            environment = environment_of(values)
            self._program = Program(words, environment, self._memory, self.lines, place)
        except OSError as error:
            self._fail(Trouble("crash", f"has no place for its {name}: {error.strerror or error}"))
        except Trouble as trouble:
            if place is not None:
                place.remove()
            self._fail(trouble)
        if self._pauses and self._program is not None:
            self._program.pause()

    def opened_its_file(self) -> bool | None:
        """Whether the program has read its parameter file; None if it has none, or nobody knows."""
        place = self._program.place if self._program is not None else None
        return place.was_opened() if place is not None else None

    def _own_of(self, words: list[str]) -> list[str]:
        """Return the words of the command that are its owner's, by which failures name it."""
        return words

    def _filled(self, name: str, **filled: Value) -> str:
        """Return one of the texts with placeholders, filled."""
        return placeholders.fill(str(self._values.get(name, "")), {**self._values, **filled})

    def _see_off(self, program: Program) -> None:
        """Give a program that was sent away the time to go."""
        program.resume()
        program.wait(PATIENCE)

    def _kill(self) -> None:
        if self._program is not None:
            self._program.kill()
        self._program = None

    def _fail(self, trouble: Trouble) -> NoReturn:
        """Kill the program, and fail with its command, its failure and its last words."""
        program = self._program
        self._kill()
        raise self._failure(trouble, program)

    def _refuse(self, answer: str, shown: str, error: ValueError) -> NoReturn:
        """Fail with an answer that is no action: an illegal one, or a resignation."""
        if RESIGNS.search(answer):
            self._fail(Trouble(RESIGNED, f"answered {shown}"))
        self._fail(Trouble("illegal", f"answered {shown}: {cut(str(error))}"))

    def _failure(self, trouble: Trouble, program: Program | None) -> PlayerFailure:
        text = f"{self._command}: {trouble.text}"[: LONGEST // 2]
        source, tail = self._last_words(trouble, program)
        if tail:
            text += f"; {source}\n{tail[-(LONGEST - len(text)) :]}"
        failure = PlayerFailure(trouble.kind, text)
        failure.waited_ms = trouble.waited_ms
        return failure

    def _last_words(self, trouble: Trouble, program: Program | None) -> tuple[str, str]:
        """Return where a program told of its trouble, and what."""
        return STDERR, program.stderr_tail() if program is not None else ""


def takes_path(values: Mapping[str, Value]) -> bool:
    """Whether the program is told where its parameter file is."""
    return any("file" in placeholders.names_in(str(values.get(text, ""))) for text in PATHS)


def words_of(values: Mapping[str, Value]) -> list[str]:
    """Return the words of the command, split as in a shell, then filled."""
    return split("command", values)


def environment_of(values: Mapping[str, Value]) -> dict[str, str]:
    """Return the variables that are set."""
    variables = {}
    for word in split("env", values):
        name, equals, value = word.partition("=")
        if not equals or not name.isidentifier():
            raise Refused(f"env: {word!r} is not of the form NAME=value")
        variables[name] = value
    return variables


def split(name: str, values: Mapping[str, Value]) -> list[str]:
    """Return the words of a text; values with blanks in them remain one word."""
    try:
        words = shlex.split(str(values.get(name, "")))
    except ValueError as error:
        raise Refused(f"{name}: {str(error).lower()}") from None
    return [placeholders.fill(word, values) for word in words]
