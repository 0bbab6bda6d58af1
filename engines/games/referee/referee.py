"""`referee[command="./pig {seed} {bots}",players=2]`: a game whose rules an outside command keeps.

The command gets the bots' command lines and a seed, plays the whole game, and says scores or ranks. A
form (`engines/referees/`) knows how it is told these and how it answers.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

from joute.engines.errors import Refused, cut
from joute.engines.files import content
from joute.engines.parameter import Parameter, Values, written
from joute.engines.programs.process import Trouble
from joute.engines.referees.form import Form, NoResult, Result
from joute.engines.referees.game_folder import GameFolder
from joute.engines.referees.referee_process import RefereeProcess
from joute.engines.referees.refereed_game import SEED, RefereedGame, Seated
from joute.engines.registry import make

LOG = "referee.log"
LONGEST = 1 << 24  # characters of a log that are read
LEFT_OUT = "\n... {:,} characters left out ...\n"
TAIL = 600  # characters of the referee's stderr in an error


def words_in(values: Values) -> list[str]:
    """Return the words of the command, split as in a shell."""
    try:
        return shlex.split(str(values["command"]))
    except ValueError as error:
        raise Refused(f"command: {str(error).lower()}") from None


def named_files(values: Values) -> list[str]:
    """Return the words of the command that may be files below the current folder."""
    return [word for word in words_in(values) if not os.path.isabs(word)]


class Referee(RefereedGame):
    """Games that an outside command referees."""

    name = "referee"
    summary = (
        "any game that a program of yours referees: it starts the bots and says scores or ranks"
    )
    refereed = True
    options = (
        Parameter("command", "text", "", meaning="program and words", files=named_files),
        Parameter("form", "text", "json-line", meaning="how it is told the bots and answers"),
        Parameter("players", "int", 2, 2, 4, meaning="bots of a game"),
        Parameter(
            "seeded",
            "choice",
            "yes",
            choices=("yes", "no"),
            meaning="no: it draws seeds of its own, whatever it is told",
        ),
        Parameter("timeout_s", "float", 300.0, 0.1, 1e6, meaning="seconds that a game may last"),
        Parameter("log_kb", "int", 64, 0, 4096, meaning="KB that are kept of its log of a game"),
    )

    def setup(self) -> None:
        """Look at the command, as far as that is possible without starting it."""
        self.players = int(self.values["players"])
        self.form: Form = make("form", str(self.values["form"]))
        self._command = words_in(self.values)
        if self._command:
            self.form.check(self._command, self.players)

    @property
    def label(self) -> str:
        """The canonical text: the command, and the options that are not as usual."""
        usual = {option.name: option.default for option in self.options}
        given = [f"{k}={written(v)}" for k, v in self.values.items() if v != usual[k]]
        return f"{self.name}[{','.join(given)}]" if given else self.name

    @property
    def seeded(self) -> bool:
        """Whether the referee plays the seed that it is told."""
        return self.values["seeded"] == "yes" and self.form.has_seed(self._command)

    @cached_property
    def code(self) -> str:
        """The digest of the program and of every file that the command names."""
        program, *words = self._command or [""]
        files = [shutil.which(program) or program, *words]
        parts = [content(file) for file in files if os.path.isfile(file)]
        return hashlib.sha256("\n".join([self.label, *parts]).encode()).hexdigest()

    def check_playable(self) -> None:
        """Refuse a referee without a command."""
        if not self._command:
            raise Refused(f'{self.name} needs a command: {self.name}[command="./referee"]')

    def play_whole(
        self, start: str, bots: Sequence[Seated], look: Callable[[], None] | None = None
    ) -> Result:
        """Start the command in a folder of its own; end all that it started."""
        seed = int(start.removeprefix(SEED))
        try:
            folder = GameFolder()
        except OSError as error:
            raise NoResult(f"there is no folder for the game: {error.strerror or error}") from None
        log = folder.own / LOG
        process: RefereeProcess | None = None
        try:
            command, lines = folder.furnish(self._command), [bot(folder) for bot in bots]
            process = RefereeProcess(self.form.words(command, lines, seed, log), folder)
            greeting, seconds = self.form.greeting(self.players), float(self.values["timeout_s"])
            printed = process.output(greeting, seconds, look)
            result = self.form.result(printed, self.players, seed if self.seeded else None)
            return result._replace(log=self._kept(result.log or text_in(log)))
        except (Trouble, NoResult) as trouble:
            tail = process.stderr_tail()[-TAIL:] if process is not None else ""
            more = f"; its stderr ends: {' '.join(tail.split())}" if tail else ""
            raise NoResult(cut(f"{trouble}{more}", 2 * TAIL)) from None
        finally:
            if process is None:
                folder.remove()
            else:
                process.kill()

    def _kept(self, log: str) -> str:
        """Return a log of at most so many characters: a longer one without its middle."""
        most = 1024 * int(self.values["log_kb"])
        if len(log) <= most or not most:
            return log if most else ""
        head = 3 * most // 4
        return f"{log[:head]}{LEFT_OUT.format(len(log) - most)}{log[head - most :]}"


def text_in(path: Path) -> str:
    """Return the text of a file; "" where there is none."""
    if not path.is_file():
        return ""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(LONGEST)
    except OSError:
        return ""
