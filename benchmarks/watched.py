"""What watching costs a run: the same run with and without a page that is asked all the time, in turns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TURNS = 4
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
depth = [3, 4]
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
            rates[watched].append(12 * blocks / played(study, run, watched))
            said = "watched" if watched else "alone"
            print(f"{said:8} {rates[watched][-1]:8,.0f} games/s", flush=True)
    alone, seen = (sorted(rates[kind])[TURNS // 2] for kind in (False, True))
    print(
        f"the run's speed when it is watched: {100 * (seen / alone - 1):+.1f} % (target: within 2 %)"
    )


def played(study: Path, run: Path, watched: bool) -> float:
    """Play a study; return the seconds from its first game to its last."""
    command = [
        sys.executable,
        str(ROOT / "cli.py"),
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
        asked = [sys.executable, str(ROOT / "cli.py"), "watch", str(run), "--json"]
        page = subprocess.Popen(asked, stdout=subprocess.PIPE, text=True)
        assert page.stdout is not None
        url = json.loads(page.stdout.readline())["url"]
        threads = [threading.Thread(target=follow, args=(url, stop))]
        threads[0].start()
    process.wait()
    stop.set()
    for thread in threads:
        thread.join()
    if page is not None:
        page.terminate()
        page.wait()
    noted = json.loads(progress_of(run))
    return float(noted["end"] - noted["begun"])


def progress_of(run: Path) -> str:
    """Return what a run noted of its progress."""
    from results.store import Store

    with Store.open(run) as store:
        return store.meta()["progress"]


def follow(url: str, stop: threading.Event) -> None:
    """Ask as a page does."""
    number = 0
    while not stop.is_set():
        with urllib.request.urlopen(f"{url}state?since={number}") as reply:
            found = json.loads(reply.read())
        number = found["number"]
        stop.wait(found["wait"])


if __name__ == "__main__":
    measure(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(os.getcwd()))
