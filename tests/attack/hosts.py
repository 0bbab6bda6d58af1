"""Kills at random moments over all parts of a cluster: hosts, the workers on them, what plays below
those, the scheduler, the run itself.

Hosts that died are started again after a while. A run that ended goes on by the same command. At the end
no game is lost or comes twice, and all are those of a run at home.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from tests.attack.findings import Findings
from tests.support.dask_hosts import Dask
from tests.support.processes import nobody_left, workers_of
from tests.support.runs import joute, kill_group, lines_of, started, stored, study_text

SPECS = ["sleepy:ms=3,salt=1", "sleepy:ms=3,salt=2", "uct:iterations=40", "random"]
HOSTS = ("one", "two", "three")
BLOCKS = 100
LONGEST = 600.0  # seconds until all games are there


def attack(seed: int, number: int) -> Findings:
    """Kill so many times, in as many runs as that takes."""
    found, chance = Findings("hosts"), random.Random(seed)
    sent = 0
    while sent < number:
        with tempfile.TemporaryDirectory() as place:
            sent += Campaign(found, chance, Path(place), f"--seed {seed}").run(number - sent)
    return found


class Campaign:
    """One study on a cluster under attack, until it has ended."""

    def __init__(self, found: Findings, chance: random.Random, place: Path, repeat: str) -> None:
        self.found, self.chance, self.place, self.repeat = found, chance, place, repeat
        self.path = place / "s.toml"
        self.path.write_text(study_text(SPECS, BLOCKS))
        done = joute(
            "run", self.path, "--out", place / "home", "--no-report", "-j", "2", timeout=600
        )
        if done.returncode:
            found.fault(f"a run at home ended with {done.returncode}", repeat)

    def run(self, kills: int) -> int:
        """Kill until the run has ended, at most so many times; return how often."""
        sent, begun, before = 0, time.monotonic(), 0
        wanted = stored(self.place / "home")
        dask = self.cluster()
        run = self.start(dask)
        while stored(self.place / "run") < wanted:
            if time.monotonic() - begun > LONGEST:
                self.found.fault("a run does not end", self.repeat)
                break
            time.sleep(1.5 * self.chance.random() ** 2)
            if sent < kills:
                whom = self.chance.choice(
                    ["host", "host", "player", "player", "parent", "scheduler"]
                )
                if self.kill(whom, dask, run):
                    self.found.done[f"killed: {whom}"] += 1
                    sent += 1
            for name in HOSTS:
                if name not in dask.workers and self.chance.random() < 0.7:
                    dask.worker(name)
            if run.poll() is not None and stored(self.place / "run") < wanted:
                told = run.communicate()[1]
                if (run.returncode == 1 and "to go on" in told) or not dask.serves():
                    dask.close()
                    dask = self.cluster()
                elif run.returncode != -signal.SIGKILL:
                    self.found.fault(f"ended with {run.returncode}: {told[-300:]}", self.repeat)
                run = self.start(dask)
            if (now := stored(self.place / "run")) < before:
                self.found.fault(f"{before - now} games are lost", self.repeat)
            before = now
        run.communicate(timeout=60)
        dask.close()
        if lines_of(self.place / "run") != lines_of(self.place / "home"):
            self.found.fault("games differ from those at home", self.repeat)
        if not nobody_left(str(self.place)):
            self.found.fault("a process is left", self.repeat)
        self.found.done["runs"] += 1
        return max(sent, 1)

    def cluster(self) -> Dask:
        """Start a scheduler and hosts."""
        found = Dask(self.place)
        for name in HOSTS:
            found.worker(name)
        return found

    def start(self, dask: Dask) -> subprocess.Popen[str]:
        """Start the run, or what is missing of it."""
        return started(
            "run", self.path, "--out", self.place / "run", "--no-report", "--cluster", dask.address
        )

    def kill(self, whom: str, dask: Dask, run: subprocess.Popen[str]) -> bool:
        """Kill somebody; return whether there was anybody."""
        if whom == "host" and dask.workers:
            dask.kill(self.chance.choice(sorted(dask.workers)))
            return True
        if whom == "player" and dask.workers:
            host = dask.workers[self.chance.choice(sorted(dask.workers))]
            playing = workers_of(host.pid)
            if playing:
                try:
                    os.kill(self.chance.choice(playing), signal.SIGKILL)
                    return True
                except ProcessLookupError:
                    return False
        if whom == "parent" and run.poll() is None:
            kill_group(run)
            run.wait()
            return True
        if whom == "scheduler" and self.chance.random() < 0.3:
            dask.kill_scheduler()
            return True
        return False
