"""Kills at random moments, of the run, its workers and its bots, in studies of every kind.

Whatever dies, the same command goes on: no stored game is lost or changed, none comes twice, at the
end the tables are those of a run that nobody disturbed (unless a bot was killed, which is its defeat),
and no process is left.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from pathlib import Path
from unittest.mock import patch

from joute.engines.programs.folders import SEMAPHORES, new_folder
from tests.attack.findings import Findings
from tests.attack.studies import studies
from tests.support.processes import carrying, nobody_carries, workers_of
from tests.support.runs import JOUTE, lines_of, rows, stored

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
IMPORTS = 1.0  # seconds: before our door is open, Python tells of Ctrl-C in its own way
LONGEST = 120.0  # seconds that a run may take to go on and end
SURPLUS = 7  # column of `lines_of`


def attack(seed: int, number: int) -> Findings:
    """Kill so many times."""
    found, chance = Findings("kills"), random.Random(seed)
    sent = 0
    size = min(1.0, max(0.1, number / 100))
    turn = 0
    while sent < number:
        mark = uuid.uuid4().hex
        texts = studies(size, mark)
        name = sorted(texts)[turn % len(texts)]
        turn += 1
        share = min(number - sent, -(-number // len(texts)))
        with tempfile.TemporaryDirectory() as place:
            Siege(found, chance, Path(place), name, texts[name], mark, f"--seed {seed}").run(share)
        sent += share
    return found


def written_files(folder: Path) -> dict[str, bytes]:
    """Return every table of a run but that of wall times, and every network; networks are named by
    the run's folder.
    """
    tables = [path for path in folder.glob("*.csv") if path.name != "times.csv"]
    return {
        str(path.relative_to(folder)): path.read_bytes().replace(folder.name.encode() + b"/", b"")
        for path in [*tables, *folder.rglob("*.onnx")]
    }


def counted_lines(folder: Path) -> list[tuple[object, ...]]:
    """Return what the games were that count: how many a sequential test plays too much is chance."""
    return [line for line in lines_of(folder) if not line[SURPLUS]]


class Siege:
    """One study under attack, until it has ended."""

    def __init__(
        self, found: Findings, chance: random.Random, place: Path, name: str, text: str, mark: str,
        seed: str,
    ) -> None:  # fmt: skip
        self.found, self.chance, self.place, self.name, self.mark = found, chance, place, name, mark
        self.repeat = f"{seed}, study {name}"
        self.hurt = False  # whether a bot was killed
        self.runs: list[int] = []
        (place / "s.toml").write_text(text)
        self.calm = self.whole("calm")

    def run(self, kills: int) -> None:
        """Kill, resume, and look at what is left, so many times; then play to the end."""
        folder, before = self.place / "run", dict[object, object]()
        while kills > 0:
            run = self.start(folder)
            kills -= self.disturb(run, kills)
            self.end(run)
            before = self.nothing_lost(folder, before)
            if run.returncode in (0, 1) and self.complete(folder):
                self.check(folder)
                shutil.rmtree(folder)
                before = {}
        self.end(self.start(folder))
        self.nothing_lost(folder, before)
        self.check(folder)
        with patch.object(tempfile, "tempdir", str(self.place)):
            new_folder()  # as the next start that plays does
        semaphores = [path for pid in self.runs for path in SEMAPHORES.glob(f"sem.loky-{pid}-*")]
        if semaphores:
            self.found.fault(f"{len(semaphores)} semaphores are left", self.repeat)

    def start(self, folder: Path) -> subprocess.Popen[str]:
        """Start the study, or what is missing of it."""
        run = subprocess.Popen(
            [*JOUTE, "run", "s.toml", "-j", "2", "--out", folder.name],
            cwd=self.place,
            env={**os.environ, "JOUTE_ATTACK": self.mark, "TMPDIR": str(self.place)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self.runs.append(run.pid)
        return run

    def whole(self, name: str) -> Path:
        """Play the study undisturbed."""
        run = self.start(self.place / name)
        self.end(run)
        if run.returncode != 0:
            self.found.fault(
                f"a run that nobody disturbed ended with {run.returncode}", self.repeat
            )
        return self.place / name

    def disturb(self, run: subprocess.Popen[str], most: int) -> int:
        """Send signals at random moments until the run is to end; return how many."""
        sent = 0
        time.sleep(IMPORTS)
        while run.poll() is None and sent < most:
            if self.chance.random() < 0.8:
                self.wait_for_games(run)
            time.sleep(self.chance.random() ** 2)
            workers, bots = workers_of(run.pid), carrying(self.mark, "cmdline")
            whom = self.chance.choice(
                ["run", "group", *["worker"] * 3 * bool(workers), *["bot"] * 3 * bool(bots)]
            )
            number = signal.SIGKILL if whom == "group" else self.chance.choice(SIGNALS)
            target = {"run": [run.pid], "group": [run.pid], "worker": workers, "bot": bots}[whom]
            if run.poll() is not None:
                break
            try:
                (os.killpg if whom == "group" else os.kill)(self.chance.choice(target), number)
            except ProcessLookupError:
                continue
            sent += 1
            self.hurt |= whom == "bot" and self.name != "referee"  # its game is played again
            self.found.done[f"{self.name}: {number.name} to {whom}"] += 1
            if whom in ("run", "group"):
                break
        return sent

    def wait_for_games(self, run: subprocess.Popen[str]) -> None:
        """Wait until the run stores games again, for workers to be at play."""
        folder, limit = self.place / "run", time.monotonic() + 10
        before = stored(folder)
        while stored(folder) == before and run.poll() is None and time.monotonic() < limit:
            time.sleep(0.02)

    def end(self, run: subprocess.Popen[str]) -> None:
        """Wait for a run's end, and see that it ended in order and that nobody is left."""
        try:
            said = run.communicate(timeout=LONGEST)[1]
        except subprocess.TimeoutExpired:
            run.kill()
            said = run.communicate()[1]
            self.found.fault("hangs", f"{self.repeat}: {said[-200:]}")
        if "Traceback" in said:
            at = said.index("Traceback")
            self.found.fault("a traceback", f"{self.repeat}: {said[max(0, at - 200) :][:4000]}")
        if run.returncode not in (0, 1, 130, 143, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT):
            self.found.fault(f"exit code {run.returncode}", f"{self.repeat}: {said[-200:]}")
        if not nobody_carries(self.mark):
            self.found.fault(f"left behind: {carrying(self.mark)}", self.repeat)
            for pid in carrying(self.mark):
                os.kill(pid, signal.SIGKILL)

    def nothing_lost(self, folder: Path, before: dict[object, object]) -> dict[object, object]:
        """See that all games stored before are there, as they were, once; return those now."""
        if not (folder / "run.db").exists():
            return {}
        games = rows(folder, "SELECT id, digest || termination FROM games")
        now = dict(games)
        if len(now) < len(games):
            self.found.fault("a game is stored twice", self.repeat)
        if any(now.get(game) != line for game, line in before.items()):
            self.found.fault("a stored game is lost or changed", self.repeat)
        return now

    def complete(self, folder: Path) -> bool:
        """Whether as many games are stored as in the run that nobody disturbed."""
        count = "SELECT COUNT(*) FROM games WHERE NOT surplus"
        return (folder / "run.db").exists() and rows(folder, count) == rows(self.calm, count)

    def check(self, folder: Path) -> None:
        """See that the tables are those of the run that nobody disturbed."""
        if not self.complete(folder):
            self.found.fault("a run that goes on does not play to its end", self.repeat)
        elif self.hurt:
            self.found.done["ends: a bot was killed, tables not compared"] += 1
        elif counted_lines(folder) != counted_lines(self.calm):
            self.found.fault("other games than undisturbed", self.repeat)
        else:
            self.found.done["ends: tables compared byte for byte"] += 1
            one, other = (written_files(each) for each in (folder, self.calm))
            for name in sorted({*one, *other}):
                if one.get(name) != other.get(name):
                    self.found.fault(f"{name} differs from the undisturbed one", self.repeat)
