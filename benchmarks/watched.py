"""What watching costs a run: the same run with and without a page that is asked all the time, in turns."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import subprocess
import threading
import time
import urllib.request
from pathlib import Path

from benchmarks import JOUTE
from benchmarks.watch import used

TURNS = 3
STARTED = 10.0
"""Seconds until a page is there, and a run at its speed."""
STUDY = """
name = "watched"
kind = "tournament"
game = "connect4[columns=9,rows=7]"
seed = 1
openings = {{ plies = 8 }}
[engine]
search = "alphabeta"
evaluation = "static"
[grid]
depth = [6, 7]
width = [0.6, 1.0]
[schedule]
blocks = {blocks}
"""


def measure(folder: Path, blocks: int = 2000) -> None:
    """Play the run in turns, watched and alone; print games a second."""
    study = folder / "watched.toml"
    study.write_text(STUDY.format(blocks=blocks))
    rates: dict[bool, list[float]] = {False: [], True: []}
    for turn in range(TURNS):
        for watched in (turn % 2 == 0, turn % 2 == 1):
            run = folder / f"run-{turn}-{watched}"
            rates[watched].append(played(study, run, watched))
            label = "watched" if watched else "alone"
            print(f"{label:8} {rates[watched][-1]:8,.0f} games/s", flush=True)
    alone, seen = (sorted(rates[kind])[TURNS // 2] for kind in (False, True))
    print(
        f"the run's speed when it is watched: {100 * (seen / alone - 1):+.1f} % (target: within 2 %)"
    )


def played(study: Path, run: Path, watched: bool) -> float:
    """Play a study; return its games a second from `STARTED` seconds on, when the page is there."""
    command = [
        *JOUTE,
        "run",
        str(study),
        "--out",
        str(run),
        "--no-report",
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    stop, threads, page = threading.Event(), list[threading.Thread](), None
    while not (run / "run.db").exists() and process.poll() is None:
        time.sleep(0.02)
    if watched:
        asked = [*JOUTE, "watch", str(run), "--json"]
        page = subprocess.Popen(asked, stdout=subprocess.PIPE, text=True)
        assert page.stdout is not None
        url = json.loads(page.stdout.readline())["url"]
        threads = [threading.Thread(target=follow, args=(url, stop))]
        threads[0].start()
    time.sleep(STARTED)
    had, since = games_of(run), time.perf_counter()
    if page is not None:
        taken = used(page.pid)
    if process.poll() is not None:
        raise SystemExit(f"the run was over within {STARTED:g} s: ask for more blocks")
    while process.poll() is None:
        last, seconds = games_of(run), time.perf_counter() - since
        time.sleep(0.2)
    stop.set()
    for thread in threads:
        thread.join()
    if page is not None:
        share = (used(page.pid) - taken) / seconds / (os.cpu_count() or 1)
        print(f"         the page took {100 * share:.1f} % of the machine in {seconds:.0f} s")
        page.terminate()
        page.wait()
    return (last - had) / seconds


def games_of(run: Path) -> int:
    """Return how many games are stored."""
    with contextlib.closing(sqlite3.connect(f"file:{run / 'run.db'}?mode=ro", uri=True)) as db:
        return int(db.execute("SELECT MAX(number) FROM games").fetchone()[0] or 0)


def follow(url: str, stop: threading.Event) -> None:
    """Ask as a page does."""
    number = 0
    while not stop.is_set():
        with urllib.request.urlopen(f"{url}state?since={number}") as reply:
            state = json.loads(reply.read())
        number = state["number"]
        stop.wait(state["wait"])
