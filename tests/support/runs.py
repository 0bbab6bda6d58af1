"""Shared by tests of whole runs: studies as text, the command line, and what a folder holds."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from click.testing import CliRunner, Result

from joute.cli import main
from joute.results.tables import load, write_tables
from joute.studies.load import load_study
from joute.studies.play.progress import Outcome, Progress
from joute.studies.play.study_run import run_study
from joute.studies.study import Study
from tests.support.here import Here

ROOT = Path(__file__).resolve().parents[2]
JOUTE = [sys.executable, str(ROOT / "cli.py")]
TOYS = ROOT / "tests" / "support" / "toys.py"
BAD = ROOT / "tests" / "support" / "bad_engines.py"
TABLES = ("games.csv", "seats.csv", "engines.csv", "standings.csv", "crosstable.csv")
SLEEPY = "sleepy:ms=4,salt={}"


def study_text(
    specs: Sequence[str], blocks: int = 4, game: str = "connect4", more: str = ""
) -> str:
    """Return a tournament among these engines, with the bad engines at hand."""
    entrants = "\n".join(f'[[entrants]]\nname = "e{i}"\nspec = "{s}"' for i, s in enumerate(specs))
    return (
        f'name = "s"\nkind = "tournament"\ngame = "{game}"\nseed = 5\nplugins = ["{BAD}"]\n'
        f"{more}\n{entrants}\n[schedule]\nblocks = {blocks}\n"
    )


def study_of(tmp_path: Path, text: str, *overrides: str) -> Study:
    """Write a study file and load it."""
    path = tmp_path / "s.toml"
    path.write_text(text)
    return load_study(path, overrides)


def play(
    study: Study,
    folder: Path,
    workers: int = 0,
    advance: Callable[[int], None] | None = None,
    fresh: bool = False,
) -> Outcome:
    """Run a study on worker processes; on none, without a number."""
    progress = Progress(advance=advance) if advance else None
    if workers:
        return run_study(study, folder, workers, fresh, progress)
    return run_study(study, folder, 1, fresh, progress, Here())


def joute(*words: object, **options: object) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    asked = [*JOUTE, *map(str, words)]
    given = {"capture_output": True, "text": True, "timeout": 120, "cwd": ROOT, **options}
    return subprocess.run(asked, check=False, **given)  # type: ignore[call-overload,no-any-return]


def started(*words: object) -> subprocess.Popen[str]:
    """Start the command in a process group of its own, which hears Ctrl-C even where we do not."""
    return subprocess.Popen(
        [*JOUTE, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def rows(folder: Path, query: str) -> list[tuple[object, ...]]:
    """Query a run's database."""
    db = sqlite3.connect(f"file:{folder / 'run.db'}?mode=ro", uri=True, timeout=10)
    try:
        return db.execute(query).fetchall()
    finally:
        db.close()


def stored(folder: Path) -> int:
    """Return how many games a run has stored, also while it is being made."""
    try:
        return int(str(rows(folder, "SELECT COUNT(*) FROM games")[0][0]))
    except sqlite3.Error:
        return 0


def wait_for_games(folder: Path, number: int, process: subprocess.Popen[str]) -> None:
    """Wait until so many games are stored, or the process has ended."""
    limit = time.monotonic() + 60
    while stored(folder) < number and process.poll() is None and time.monotonic() < limit:
        time.sleep(0.02)


def kill_group(process: subprocess.Popen[str], number: int = signal.SIGKILL) -> None:
    """Send a signal to a process group that `started` made."""
    os.killpg(process.pid, number)


def lines_of(folder: Path) -> list[tuple[object, ...]]:
    """Return what the games were, without wall times: equal for runs that are equal."""
    return rows(
        folder,
        "SELECT g.id, stage, block, opening, actions, digest, termination, surplus, seat, engine,"
        " returns, failure, nodes FROM games g JOIN seats s ON g.number = s.game ORDER BY g.id, seat",
    )


def csv_bytes(folder: Path) -> dict[str, bytes]:
    """Return the tables that must be equal byte for byte."""
    return {name: (folder / name).read_bytes() for name in TABLES}


def tables(folder: Path) -> dict[str, bytes]:
    """Write the tables of a run; return those that must be equal byte for byte."""
    write_tables(folder)
    return csv_bytes(folder)


def here(*words: object, stdin: str = "", color: bool = False) -> Result:
    """Run the command in this process, without a pool of workers; `color`: as a terminal sees it."""
    with patch("joute.harness.runner.local", lambda workers: Here()):
        found = CliRunner().invoke(main, [str(word) for word in words], input=stdin, color=color)
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    return found


def turns_of(lines: list[str]) -> list[str]:
    """Return the texts of the turns that `joute serve` prints."""
    return [line.split("  ")[2] for line in map(str.strip, lines) if line[:1].isdigit()]


class Played(NamedTuple):
    """A game of an engine against one other, as a run's frames have it."""

    own: Any
    other: Any
    termination: str
    text: str


def played_by(folder: Path, engine: str) -> list[Played]:
    """Return the games of an engine, first those that it began."""
    results = load(folder)
    ids = results.texts(("id",), 0, len(results.games))["id"]
    ends = list(results.games["termination"])
    told = {(found.game, found.seat): found.text for found in results.failures.itertuples()}
    seats = {(found.game, found.seat): found for found in results.seats.itertuples()}
    games = [
        Played(own, seats[game, 1 - seat], ends[game], str(told.get((ids[game], seat), "")))
        for (game, seat), own in seats.items()
        if own.engine == engine
    ]
    return sorted(games, key=lambda game: game.own.seat)


def cut_short(run: Path) -> None:
    """Note that a run was interrupted, with far more games to play than it has."""
    with closing(sqlite3.connect(run / "run.db")) as db, db:
        ((text,),) = db.execute("SELECT value FROM meta WHERE key = 'progress'")
        noted = json.loads(text) | {
            "ended": "interrupted",
            "games": {"main": 10**6},
            "budget": None,
        }
        db.execute("UPDATE meta SET value = ? WHERE key = 'progress'", (json.dumps(noted),))
