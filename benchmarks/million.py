"""A million games in one run: rate, memory, bytes written, report, resume.

    python -m benchmarks.million [--games 1000000] [--workers 2] [--match] [--keep FOLDER]

Plays a tournament of four (with `--match`: a match of two) of depth 1, from outside, as a user would,
and watches the process and its folder. Linux only: it reads /proc.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks import JOUTE

MB = 1 << 20
LEAST = 100_000  # games
STUDY = """
name = "million"
kind = "{kind}"
game = "connect4[columns=9,rows=7]"
seed = 1
openings = {{ plies = 12 }}
[engine]
search = "alphabeta"
depth = 1
{entrants}
[schedule]
blocks = {blocks}
"""
FIELD = '[grid]\nevaluation = ["static", "lines"]\nwidth = [0.6, 1.0]'
PAIR = '[[entrants]]\nevaluation = "static"\n[[entrants]]\nevaluation = "lines"'


class Seen(NamedTuple):
    """A moment of a run: seconds since its start, games stored, MB held, MB written."""

    seconds: float
    games: int
    held: float
    written: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--match", action="store_true")
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args()
    if asked.games < LEAST:
        parser.error(f"--games: at least {LEAST:,}; fewer end before a rate can be told")
    folder = asked.keep or Path(tempfile.mkdtemp(prefix="million-"))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        measure(asked, folder)
    finally:
        if asked.keep is None:
            shutil.rmtree(folder)


def measure(asked: argparse.Namespace, folder: Path) -> None:
    """Play, report and resume; print the costs."""
    tables = 1 if asked.match else 6
    blocks = asked.games // (2 * tables)
    games = 2 * tables * blocks
    study, run = folder / "million.toml", folder / "run"
    study.write_text(
        STUDY.format(kind="tournament", entrants=PAIR if asked.match else FIELD, blocks=blocks)
    )
    joute("run", study, "--set", "schedule.blocks=2", "-j", asked.workers, "--out", folder / "warm")
    print(f"{games:,} games, {asked.workers} workers, {os.cpu_count()} cores", flush=True)

    seen = watched(run, games, "run", study, "-j", asked.workers, "--out", run)
    size = sum(path.stat().st_size for path in run.glob("run.db*")) / MB
    first = next(look for look in seen if look.games)
    begin, end = rate(seen, 0.02, 0.12), rate(seen, 0.9, 1.0)
    print(f"first game stored after  {first.seconds:8.1f} s    (target: at most 3)")
    print(f"games a second           {begin:8,.0f}      in the beginning")
    print(f"                         {end:8,.0f}      at the end, {end / begin:.0%} (target: 90 %)")
    played = [look for look in seen if look.games < games]
    print(
        f"held while playing       {max(s.held for s in played):8,.0f} MB   (target: at most 500)"
    )
    written = played[-1].written
    print(f"written                  {written:8,.0f} MB   {written / size:.1f} x the {size:,.0f} MB "
          "of run.db (target: at most 5)")  # fmt: skip
    print(f"report after the run     {seen[-1].seconds - played[-1].seconds:8.1f} s", flush=True)

    seconds, held = measured("report", run)
    print(f"joute report             {seconds:8.1f} s    (target: at most 60)")
    print(f"  and holds              {held:8,.0f} MB   (target: at most 1,000)", flush=True)

    more = f"schedule.blocks={blocks + 200}"
    seen = watched(
        run, games + 400 * tables, "run", study, "--set", more, "--out", run, after=games
    )
    went_on = next(look for look in seen if look.games > games)
    print(
        f"a resumed run goes on    {went_on.seconds:8.1f} s    after its start (target: at most 5)"
    )
    print(f"  and holds              {went_on.held:8,.0f} MB", flush=True)


def joute(*arguments: object) -> None:
    """Run a command to its end."""
    command = [*JOUTE, *map(str, arguments)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def measured(*arguments: object) -> tuple[float, float]:
    """Run a command; return its seconds and its largest memory in MB."""
    begun = time.perf_counter()
    process = begin(*arguments)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, f"exit status {status}"
    return time.perf_counter() - begun, usage.ru_maxrss / 1024


def begin(*arguments: object) -> subprocess.Popen[bytes]:
    """Start a command."""
    command = [*JOUTE, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def watched(run: Path, games: int, *arguments: object, after: int = 0) -> list[Seen]:
    """Run a command; return samples of it, about ten a second."""
    process, begun = begin(*arguments), time.perf_counter()
    seen: list[Seen] = []
    stored = after
    while process.poll() is None:
        seconds = time.perf_counter() - begun
        stored = max(stored, count(run / "run.db")) if stored < games else stored
        try:
            held = figure(process.pid, "status", "VmRSS:") / 1024
            written = figure(process.pid, "io", "write_bytes:") / MB
        except (OSError, StopIteration):
            break
        seen.append(Seen(seconds, stored, held, written))
        time.sleep(0.05 if stored == after else 0.25)
    assert process.wait() == 0, f"exit status {process.returncode}"
    return seen


def count(path: Path) -> int:
    """Return the number of games in a database; 0 if it does not exist yet."""
    try:
        db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            return int(db.execute("SELECT MAX(number) FROM games").fetchone()[0] or 0)
        finally:
            db.close()
    except sqlite3.Error:
        return 0


def figure(pid: int, file: str, name: str) -> int:
    """Return a number of /proc/PID/FILE."""
    lines = Path(f"/proc/{pid}/{file}").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1])


def rate(seen: list[Seen], begin: float, end: float) -> float:
    """Return games a second between two shares of all games."""
    games = seen[-1].games
    inside = [look for look in seen if begin * games <= look.games <= end * games]
    one, other = inside[0], next((s for s in inside if s.games == games), inside[-1])
    return (other.games - one.games) / (other.seconds - one.seconds)


if __name__ == "__main__":
    main()
