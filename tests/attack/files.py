"""Foreign files, damaged: game records, positions, suites, seeds, parameter files, engines, settings,
a saved tuner.

Each is read, or refused: in one line, with exit code 2, and nothing written. None takes long, none
ends in a traceback.
"""

from __future__ import annotations

import json
import math
import random
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

from joute import Float, Refused, Tuner
from joute.studies.load import load_study
from tests.attack.findings import Findings
from tests.attack.inputs import SECONDS, in_time
from tests.support.runs import ROOT, here

LONGEST = 2000  # characters of a line
ROOM = 4000  # bytes that are put into a file at once
RECORDS = {
    "pgn": (
        "chess",
        '[Event "a"]\n[White "x"]\n[Black "y"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 {why} Nc6 3. Bb5 a6 1-0'
        '\n\n[Event "b"]\n[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"]\n\n'
        "1. d4 d5 2. c4 (2. Nf3 Nf6) e6 $1 3. Nc3 *\n",
    ),
    "epd": (
        "chess",
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n"
        'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - bm Nf3; id "a";\n',
    ),
    "sgf": ("go[size=5]", "(;GM[1]FF[4]SZ[5]KM[5.5];B[bb];W[cc](;B[dd];W[bc])(;B[ab]))\n"),
}
SUITE = "boardsize 5\nclear_board\nplay black B2\n1 reg_genmove white\n#? [C3|D4]*\n"
SEEDS = "1\n2\n3000000000\n17\n"
PARAMETERS = {
    "json": '{"line": 1.0, "block": 2, "middle": 0.5}',
    "toml": "line = 1.0\nblock = 2\nmiddle = 0.5\n",
    "txt": "line = 1.0\nblock = 2\nmiddle = 0.5\n",
    "ini": "line = 1.0\nblock = 2\nmiddle = 0.5\n",
}
ENGINES = {
    "json": '{"engine": "connect4/uct:iterations=3", "joute": "1"}',
    "toml": 'engine = "connect4/uct:iterations=3"\njoute = "1"\n',
}
SPACE = {"x": Float(0.0, 1.0), "y": Float(0.1, 10.0, log=True)}
BYTES = [
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1b[31m", b"9" * ROOM, b"-1", b"1e999", b"nan", b"(" * ROOM,
    b"[" * ROOM, b'"', b"\\", b"]", b")", b"{", b"\r", b"\n" * 100, b" " * ROOM, b"\xc3", b"\x80" * 9,
]  # fmt: skip
VALUES: list[Any] = [
    None, True, -1, 0, 2**70, 1e308, -0.5, math.nan, math.inf, "", "x", "9" * 5000, [], {}, [[]], [0], {"x": 1},
]  # fmt: skip


def attack(seed: int, number: int) -> Findings:
    """Try so many files, of all forms in turn."""
    found, chance = Findings("foreign files"), random.Random(seed)
    with tempfile.TemporaryDirectory() as place, chdir(place):
        trial = Trial(found, chance, Path(place))
        sorts: list[Callable[[], None]] = [
            *(lambda ending=ending: trial.records(ending) for ending in RECORDS),
            trial.suite, trial.seeds, trial.parameters, trial.engine, trial.settings, trial.tuner,
        ]  # fmt: skip
        for i in range(number):
            trial.repeat = f"--seed {seed} --files {i + 1}"
            sorts[i % len(sorts)]()
    return found


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Return the bytes of a file with one to three changes."""
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(data) + 1)
        way = chance.randrange(6)
        if way == 0:
            data = data[:at]
        elif way == 1:
            data = data[:at] + chance.randbytes(chance.choice([1, 8, ROOM])) + data[at:]
        elif way == 2:
            data = data * chance.choice([2, 50])
        elif way == 3:
            end = min(len(data), at + chance.choice([1, 5, 20]))
            data = data[:at] + data[end:]
        else:
            data = data[:at] + chance.choice(BYTES) + data[at + way - 4 :]
    return data[: 50 * ROOM]


def clean(text: str) -> str:
    """Return a text without what no terminal is shown, as far as Python's own callers are concerned."""
    return "".join(sign for sign in text if sign.isprintable())


def spoil(table: Any, chance: random.Random) -> None:
    """Change, take or add a value somewhere in a table of tables and lists."""
    places: list[tuple[Any, Any]] = []
    inner = [table]
    while inner:
        held = inner.pop()
        places += [(held, key) for key in (held if isinstance(held, dict) else range(len(held)))]
        inner += [
            one
            for one in (held.values() if isinstance(held, dict) else held)
            if isinstance(one, dict | list)
        ]
    held, key = chance.choice(places)
    if chance.random() < 0.2:
        del held[key]
    else:
        held[key] = chance.choice(VALUES)


class Trial:
    """Tries one file after the other, in the current folder."""

    def __init__(self, found: Findings, chance: random.Random, place: Path) -> None:
        self.found, self.chance, self.place, self.repeat = found, chance, place, ""
        tuner = Tuner(SPACE, seed=1, default={"x": 0.5, "y": 1.0}, budget=60)
        for point, games in tuner.ask(20):
            tuner.tell(point, wins=games // 2, losses=games - games // 2)
        self.saved = json.dumps(tuner.save())
        for source in (ROOT / "examples/your_bot/bot.py", ROOT / "examples/careful.py"):
            shutil.copy(source, place)

    def damaged(self, name: str, text: str) -> bytes:
        """Write a damaged file; return its bytes."""
        data = damaged(text.encode(), self.chance)
        (self.place / name).write_bytes(data)
        return data

    def records(self, ending: str) -> None:
        """Records of games, or positions, as openings."""
        game, text = RECORDS[ending]
        data = self.damaged(f"book.{ending}", text)
        openings = {"records": f"book.{ending}", "plies": 2}
        study = {"name": "s", "kind": "match", "game": game, "seed": 1, "blocks": 1,
                 "openings": openings, "a": {"spec": "random"}, "b": {"spec": "random"}}  # fmt: skip
        self.read(ending, data, lambda: load_study(study))

    def seeds(self) -> None:
        """Seeds of a referee's games."""
        data = self.damaged("seeds.txt", SEEDS)
        study = {"name": "s", "kind": "match", "game": 'referee[command="true"]', "seed": 1, "blocks": 1,
                 "openings": {"records": "seeds.txt"}, "a": {"spec": "bot:command=true"},
                 "b": {"spec": "bot:command=false"}}  # fmt: skip
        self.read("seeds", data, lambda: load_study(study))

    def tuner(self) -> None:
        """A saved tuner."""
        table = json.loads(self.saved)
        for _ in range(self.chance.randint(1, 2)):
            spoil(table, self.chance)
        data = repr(table).encode()
        self.read("tuner", data, lambda: Tuner.load(SPACE, table).recommend())

    def suite(self) -> None:
        """A suite of GNU Go's form."""
        data = self.damaged("f.tst", SUITE)
        self.run("tst", data, "suite", "f.tst", "go[size=5]/random", "-j", "1")

    def parameters(self) -> None:
        """A bot's parameter file, from which a study is written."""
        ending = self.chance.choice(list(PARAMETERS))
        data = self.damaged(f"p.{ending}", PARAMETERS[ending])
        bot = f"{sys.executable} -S bot.py --file p.{ending}"
        words = ("init", "--bot", bot, "--file", f"p.{ending}", "--game", "connect4", "--no-start")
        self.run(f"parameters in {ending}", data, *words, "-o", "new.toml")

    def engine(self) -> None:
        """An engine in a file."""
        ending = self.chance.choice(list(ENGINES))
        data = self.damaged(f"e.{ending}", ENGINES[ending])
        self.run(f"engine in {ending}", data, "bestmove", f"e.{ending}", "startpos")

    def settings(self) -> None:
        """The file that names plugins."""
        data = self.damaged("joute.toml", 'plugins = ["careful.py"]\n')
        self.run("joute.toml", data, "list", "--json")
        (self.place / "joute.toml").unlink()

    def read(self, sort: str, data: bytes, reads: Callable[[], object]) -> None:
        """Read a file from Python: it is read, or refused in a line."""
        said = ""
        try:
            with in_time(SECONDS):
                reads()
        except Refused as refused:
            said = "\n".join(clean(line) for line in refused.lines())
        except BaseException as error:
            self.fault(sort, data, error)
        self.judge(sort, data, 2 if said else 0, said)

    def run(self, sort: str, data: bytes, *words: str) -> None:
        """Read a file by a command; what that writes goes."""
        before = {*self.place.rglob("*")}
        try:
            with in_time(SECONDS):
                done = here(*words, color=True)
        except BaseException as error:
            self.fault(sort, data, error)
            return
        written = {
            path for path in self.place.rglob("*") if "__pycache__" not in path.parts
        } - before
        if done.exit_code == 2 and written:
            self.found.fault(f"refused, but wrote {sorted(written)[:4]}", self.shown(sort, data))
        for path in sorted(written, reverse=True):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        self.judge(sort, data, done.exit_code, done.stderr if done.exit_code else "")

    def judge(self, sort: str, data: bytes, code: int, said: str) -> None:
        """See that a refusal is one line."""
        self.found.done[f"{sort}: {'refused' if code == 2 else 'read'}"] += 1
        lines = [line for line in said.splitlines() if line.strip()]
        if code not in (0, 1, 2) or (code == 2 and not lines):
            self.found.fault(f"exit code {code}: {said[:200]}", self.shown(sort, data))
        elif code == 2 and (
            len(lines) > 1 or len(lines[0]) > LONGEST or not lines[0].isprintable()
        ):
            self.found.fault(f"not one plain line: {said[:600]!r}", self.shown(sort, data))

    def fault(self, sort: str, data: bytes, error: BaseException) -> None:
        """Note what should not have been raised."""
        where = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {str(error)[:200]} ({where.filename}:{where.lineno})"
        self.found.fault(what, self.shown(sort, data))

    def shown(self, sort: str, data: bytes) -> str:
        """Return what repeats it, and the file."""
        return f"{self.repeat}: {sort}: {data[:600]!r}"
