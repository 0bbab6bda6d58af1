"""Mutated inputs: study files, engines, command lines, positions, stored runs, answers of bots.

Each ends with exit code 0, 1 or 2 and at most a few lines on stderr, never with a traceback, never
late, and writes nothing where it is refused.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, suppress
from pathlib import Path
from typing import Any

from click.testing import Result

from joute.cli import FOLDER
from joute.engines.engine import parse_game
from joute.engines.errors import Refused
from joute.engines.parameter import Value
from joute.engines.player import Move
from joute.engines.position import Position
from joute.engines.protocol import Protocol
from joute.engines.registry import find as member
from joute.engines.registry import names
from tests.attack.findings import Findings
from tests.attack.nasty import TOML, WORDS, mutated
from tests.support.plugins import plugged
from tests.support.runs import BAD, here, play, study_of

LINES, LONGEST, SECONDS = 40, 2000, 20
GAME = "connect4[columns=4,rows=4]"
STUDY = f"""
name = "s"
kind = "tournament"
game = "{GAME}"
seed = 5
files = []
report = {{ title = "x" }}
[[entrants]]
name = "one"
spec = "random"
[[entrants]]
name = "two"
search = "bad"
how = "good"
[schedule]
blocks = 2
[openings]
plies = 2
[time]
slow_after_ms = 100
"""
SUITE = f"""
game = "{GAME}"
[[case]]
name = "a"
position = "startpos moves 1 2"
best = ["1", "2"]
[[case]]
name = "b"
position = "startpos"
avoid = ["4"]
remark = "why"
"""
SPECS = [
    f"{GAME}/random",
    f"{GAME}/bad:how=good,after=3",
    f"{GAME}/plain-uct:iterations=5",
    f'{GAME}/process:command="/bin/false --k {{k}}",k=0.5,turn_ms=50,first_ms=50',
]
POSITIONS = ["startpos", "startpos moves 1 2 3 4", "startpos moves 1 1 1 1"]
# What lies beside a run.db that somebody has looked at.
BESIDE = ("run.lock", "run.db-shm", "run.db-wal")
# Neither ends by itself (they serve, or wait for a person), nor is it short.
LEFT_OUT = {"bench", "bot", "dashboard", "serve", "play"}
ANSWERS = [
    '{"action": "1", "nodes": 5, "value": 0.5, "depth": 3}', '{"action": "1"}', "{}", "[]", "1",
]  # fmt: skip


class Late(BaseException):
    """It took too long."""


@contextmanager
def in_time(seconds: int) -> Iterator[None]:
    """Raise Late when it takes longer."""

    def late(number: int, frame: object) -> None:
        raise Late

    assert threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def attack(seed: int, number: int) -> Findings:
    """Try so many inputs, of all sorts in turn."""
    found, chance = Findings("mutated inputs"), random.Random(seed)
    with tempfile.TemporaryDirectory() as place, chdir(place), plugged(BAD):
        trial = Trial(found, chance, Path(place))
        sorts: list[Callable[[], None]] = [
            trial.study, trial.suite, trial.engine, trial.command, trial.position, trial.setting,
            trial.run_bytes, trial.run_content, trial.answer, trial.study,
        ]  # fmt: skip
        for i in range(number):
            trial.repeat = f"--seed {seed} --inputs {i + 1}"
            sorts[i % len(sorts)]()
    return found


class Trial:
    """Tries one input after the other, in a folder of its own."""

    def __init__(self, found: Findings, chance: random.Random, place: Path) -> None:
        self.found, self.chance, self.place, self.repeat = found, chance, place, ""
        play(study_of(place, STUDY), place / "good")
        here("report", "good")
        (place / "s.toml").unlink()

    def study(self) -> None:
        """A study file."""
        self.put(
            "study", "f.toml", mutated(STUDY, self.chance, TOML), "run", "f.toml", "--out", "o"
        )

    def suite(self) -> None:
        """A suite, with an engine."""
        text = mutated(SUITE, self.chance, TOML)
        self.put("suite", "f.toml", text, "suite", "f.toml", "random", "-j", "1")

    def setting(self) -> None:
        """A setting on the command line."""
        name = self.chance.choice(
            ["seed", "schedule.blocks", "entrants.0.spec", "game", "time", "x.y"]
        )
        value = self.chance.choice([*WORDS, *TOML])
        words = ["run", "f.toml", "--out", "o", "--set", f"{name}={value}"]
        self.put("setting", "f.toml", STUDY, *words)

    def engine(self) -> None:
        """The text of an engine, or of a file that holds one."""
        text = mutated(self.chance.choice(SPECS), self.chance, WORDS)
        if self.chance.random() < 0.3:
            ending = self.chance.choice(["toml", "json"])
            data = f'engine = "{text}"\njoute = "1"\n'
            if ending == "json":
                data = f'{{"engine": "{text}", "joute": "1"}}'
            self.put("engine", f"e.{ending}", data, "bestmove", f"e.{ending}", "startpos")
        else:
            self.put("engine", "", "", "bestmove", text, "startpos")

    def position(self) -> None:
        """A position."""
        text = mutated(self.chance.choice(POSITIONS), self.chance, WORDS)
        command = self.chance.choice(["bestmove", "evaluate", "perft"])
        words = {"bestmove": [f"{GAME}/random"], "evaluate": [GAME, "lines"], "perft": [GAME, "2"]}
        self.put("position", "", "", command, *words[command], text)

    def command(self) -> None:
        """A command line of known words in any order."""
        known = sorted(f.stem for f in FOLDER.glob("[a-z]*.py") if f.stem not in LEFT_OUT)
        options = ["--json", "--out", "-o", "--seed", "--to", "--blocks", "--html", "--engine", "--best",
                   "--grid", "--from-game", "-j", "--pairs", "--sprt", "--fresh", "--plugin"]  # fmt: skip
        words = [
            *WORDS,
            *options,
            "good",
            *SPECS,
            *names("game"),
            "1",
            "2",
            "f.toml",
            "tron-situations",
        ]
        count = self.chance.randrange(6)
        said = [self.chance.choice(known), *self.chance.choices(words, k=count)]
        if said[0] == "check":  # of everything, it takes minutes
            said.append(SPECS[0])
        self.put("command", "f.toml", SUITE, *said)

    def run_bytes(self) -> None:
        """A run.db with changed bytes."""
        path = self.copy()
        data = bytearray(path.read_bytes())
        for _ in range(self.chance.choice([1, 4, 64])):
            data[self.chance.randrange(len(data))] = self.chance.randrange(256)
        path.write_bytes(data[: self.chance.choice([len(data), self.chance.randrange(len(data))])])
        self.read("run.db bytes")

    def run_content(self) -> None:
        """A run.db with changed cells."""
        path = self.copy()
        with sqlite3.connect(path) as db:
            tables = [
                row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type='table'")
            ]
            table = self.chance.choice(tables)
            columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
            change: Any = self.chance.choice(
                [
                    None,
                    -1,
                    2**62,
                    1.5,
                    float("inf"),
                    "",
                    "x",
                    "{}",
                    "[1]",
                    "[",
                    b"\xff",
                    "é" * 50_000,
                ]
            )
            statement = f"UPDATE {table} SET {self.chance.choice(columns)} = ?"
            if self.chance.random() < 0.2:
                statement, change = f"DELETE FROM {table}", ()
            with suppress(sqlite3.Error):
                db.execute(statement, () if change == () else (change,))
        db.close()
        self.read(f"run.db {table}")

    def copy(self) -> Path:
        """Return the database of a copy of a good run."""
        shutil.rmtree(self.place / "copy", ignore_errors=True)
        shutil.copytree(self.place / "good", self.place / "copy")
        return self.place / "copy" / "run.db"

    def read(self, sort: str) -> None:
        game = sqlite3.connect(self.place / "good" / "run.db")
        name = game.execute("SELECT MIN(id) FROM games").fetchone()[0]
        game.close()
        words = self.chance.choice(
            [["replay", "copy", name], ["export", "copy", "--to", "toml", "-o", "w.toml", "--anyway"],
             ["report", "copy", "good"], ["merge", "good", "copy", "--out", "m"], ["run", "f.toml", "--out", "copy"],
             ["suite", "new.toml", "--from-game", "copy", name, "1"]]
        )  # fmt: skip
        self.put(sort, "f.toml", STUDY, *words)

    def answer(self) -> None:
        """What a bot answers, in the protocols of lines."""
        text = mutated(self.chance.choice(ANSWERS), self.chance, WORDS).replace("\n", " ")
        protocol: type[Protocol] = member(
            "protocol", self.chance.choice(["json-lines", "codingame"])
        )
        values: dict[str, Value] = {}
        game = parse_game(GAME if protocol.name == "json-lines" else "tron")
        position = Position(game)
        self.found.done["answer of a bot"] += 1
        try:
            with in_time(SECONDS):
                choice = protocol().talk(game, values).choice(position, text)
            assert isinstance(choice, Move) and position.is_legal(choice.action)
        except Refused as error:
            self.short("\n".join(error.lines()), f"answer {text[:300]!r}")
        except BaseException as error:
            self.fault(error, f"answer {text[:300]!r}")

    def put(self, sort: str, file: str, text: str, *words: str) -> None:
        """Run a command beside a file, and look at how it ends."""
        self.found.done[sort] += 1
        if file:
            Path(file).write_text(text, "utf-8", errors="replace")
        before = self.seen()
        shown = f"joute {' '.join(word[:80] for word in words)!r} with {file}: {text[:400]!r}"
        try:
            with in_time(SECONDS):
                done = here(*words)
        except BaseException as error:
            self.fault(error, shown)
            self.clean(before)
            return
        self.look(done, shown)
        left = {p for p in self.seen() - before if not p.endswith(BESIDE)}
        if done.exit_code == 2 and left:
            self.found.fault(f"refused, but wrote {sorted(left)[:4]}", f"{self.repeat}: {shown}")
        self.clean(before)

    def look(self, done: Result, shown: str) -> None:
        if done.exit_code not in (0, 1, 2):
            self.found.fault(f"exit code {done.exit_code}", f"{self.repeat}: {shown}")
        self.short(done.stderr, shown)

    def short(self, said: str, shown: str) -> None:
        lines = said.splitlines()
        if "Traceback" in said and "bad" not in said:
            self.found.fault("a traceback", f"{self.repeat}: {shown}: {said[-300:]}")
        if len(lines) > LINES or any(len(line) > LONGEST for line in lines):
            longest = max(map(len, lines))
            self.found.fault(f"{len(lines)} lines of up to {longest}", f"{self.repeat}: {shown}")

    def fault(self, error: BaseException, shown: str) -> None:
        where = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {str(error)[:200]} ({where.filename}:{where.lineno})"
        self.found.fault(what, f"{self.repeat}: {shown}")

    def seen(self) -> set[str]:
        return {str(path) for path in self.place.rglob("*")}

    def clean(self, before: set[str]) -> None:
        for path in sorted(self.seen() - before, reverse=True):
            shutil.rmtree(path) if os.path.isdir(path) else Path(path).unlink(missing_ok=True)
