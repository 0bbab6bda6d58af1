"""A real scheduler and real workers of dask, each a process that a test may kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.runs import ROOT

needs_dask = pytest.mark.skipif(
    find_spec("distributed") is None, reason="needs dask: pip install distributed"
)
PATIENCE = 60.0
DASK = [sys.executable, "-m", "dask"]
ORPHANS = {  # nobody tries again behind our back, and the dead are noticed soon
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "20s",
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "20s",
    "DASK_DISTRIBUTED__WORKER__MULTIPROCESSING_METHOD": "spawn",
}


class Dask:
    """A scheduler at `address`, and workers that are started and killed one by one."""

    def __init__(
        self, folder: Path, flags: Sequence[str] = (), preload: str = "", address: str = "127.0.0.1"
    ) -> None:
        self.folder, self._flags = folder, tuple(flags)
        self.workers: dict[str, subprocess.Popen[str]] = {}
        self._file = folder / "scheduler.json"
        self._file.unlink(missing_ok=True)
        self._scheduler = self._start(
            "scheduler", "--host", address, "--port", "0", "--no-dashboard", *self._script(preload)
        )
        limit = time.monotonic() + PATIENCE
        while not self._ready() and time.monotonic() < limit:
            time.sleep(0.05)
        self.address = str(json.loads(self._file.read_text())["address"])

    def _ready(self) -> bool:
        try:
            return "address" in json.loads(self._file.read_text())
        except (OSError, ValueError):
            return False

    def worker(
        self,
        name: str,
        preload: str = "",
        nanny: bool = False,
        threads: int = 1,
        inside: Sequence[str] = (),
        **environment: str,
    ) -> None:
        """Start a worker that calls its host `name`; `inside`: the words that start it elsewhere."""
        place = self.folder / name
        place.mkdir(exist_ok=True)
        self.workers[name] = self._start(
            *("worker", "--name", name, "--nthreads", str(threads), "--no-dashboard"),
            *("--nanny" if nanny else "--no-nanny", "--memory-limit", "0"),
            *("--local-directory", str(place), "--death-timeout", "60"),
            *self._script(preload),
            inside=inside,
            JOUTE_HOST=name,
            **environment,
        )

    def _script(self, preload: str) -> list[str]:
        if not preload:
            return []
        path = self.folder / f"preload{len(self.workers)}.py"
        path.write_text(preload)
        return ["--preload", str(path)]

    def _start(
        self, *words: str, inside: Sequence[str] = (), **environment: str
    ) -> subprocess.Popen[str]:
        with open(self.folder / "log.txt", "a") as log:
            return subprocess.Popen(
                [*inside, *DASK, *words, "--scheduler-file", str(self._file), *self._flags],
                stdout=log,
                stderr=log,
                text=True,
                cwd=self.folder,
                env={**ORPHANS, **os.environ, "PYTHONPATH": str(ROOT), **environment},
                start_new_session=True,
            )

    def serves(self) -> bool:
        """Whether the scheduler lives."""
        return self._scheduler.poll() is None

    def kill(self, name: str) -> None:
        """Kill a worker and all that it started, as when the power goes."""
        _kill(self.workers.pop(name))

    def kill_scheduler(self) -> None:
        """Kill the scheduler."""
        _kill(self._scheduler)

    def close(self) -> None:
        """Kill everything."""
        for name in [*self.workers]:
            self.kill(name)
        self.kill_scheduler()


def _kill(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextmanager
def dask_of(folder: Path, workers: int = 2, **more: object) -> Iterator[Dask]:
    """Start a scheduler with workers on hosts called one, two, ..."""
    found = Dask(folder, **more)  # type: ignore[arg-type]
    try:
        for name in ("one", "two", "three", "four", "five", "six", "seven", "eight")[:workers]:
            found.worker(name)
        yield found
    finally:
        found.close()
