"""The host's side of a cluster: plays batches sent by the parent, inside dask's worker process.

It plays nothing itself: a child process does (`harness/child.py`), so that an engine that kills its
process is identified here, as at home. Meanwhile the parent is sent the games in play now and then:
such a message may be the last sign of life.
"""

from __future__ import annotations

import os
import pickle
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import psutil
from distributed import get_worker
from distributed.worker import thread_state

from joute.engines.errors import JouteError
from joute.engines.files import host_name
from joute.harness.child import Companion
from joute.harness.cluster.compatibility import local_versions
from joute.harness.inflight import Doing
from joute.harness.runner import Runner
from joute.harness.worker import Setting, Work

IDLE = 120.0  # seconds without work after which a run's processes are ended
PLAYED, TROUBLE, WITHDRAWN = "played", "trouble", "withdrawn"


class HostRequest(NamedTuple):
    """A batch as it travels: the run; where the parent works; the setting, of engines only those that the
    tasks need; files that the worker has not seen, by their absolute paths; the tasks.
    """

    run: str
    cwd: str
    setting: Setting
    files: dict[str, tuple[int, bytes]]
    tasks: list[Work]
    careful: bool = False  # they may kill their host: report every turn before it is played


class Withdrawn(Exception):
    """The parent has withdrawn this batch."""


@dataclass
class Run:
    """A run that this process takes part in: a folder with copies of files, and processes that play."""

    name: str
    folder: str
    cwd: str
    idle: list[Runner] = field(default_factory=list)
    used: float = 0.0  # when, by the monotonic clock
    playing: int = 0

    def take(self, request: HostRequest) -> Setting:
        """Write the files that came, and return the setting that a request means."""
        for path, (mode, data) in request.files.items():
            copy = Path(f"{self.folder}{path}")
            copy.parent.mkdir(parents=True, exist_ok=True)
            part = copy.with_name(f".{copy.name}.{threading.get_ident()}")
            part.write_bytes(data)
            part.chmod(mode | 0o600)
            part.replace(copy)
        Path(f"{self.folder}{self.cwd}").mkdir(parents=True, exist_ok=True)
        here = tuple(f"{self.folder}{plugin}" for plugin in request.setting.plugins)
        return replace(request.setting, plugins=here)

    @contextmanager
    def runner(
        self, setting: Setting, watch: Callable[[list[Doing]], None], careful: bool
    ) -> Iterator[Runner]:
        """Lend a runner of one process, for the time of a batch."""
        with _lock:
            self.playing += 1
            runner = self.idle.pop() if self.idle and not careful else None
        if runner is None:
            place = (f"{self.folder}{self.cwd}", self.folder)
            runner = Runner(setting, 1, Companion(*place, careful=careful))
        runner.setting = setting
        companion = runner.executor
        assert isinstance(companion, Companion)
        companion.watch = watch
        try:
            yield runner
        except BaseException:
            companion.close(kill=True)
            raise
        finally:
            if careful:
                companion.close()
            with _lock:
                self.idle += [] if careful else [runner]
                self.playing -= 1
                self.used = time.monotonic()


_lock = threading.Lock()
_runs: dict[str, Run] = {}
_sweeping = False


def serve(packed: bytes) -> bytes:
    """Answer a message of the parent, its name and arguments, pickled. The answer is pickled too:
    True and the result; or False and an exception for the user, or a text.
    """
    name, *arguments = pickle.loads(packed)
    try:
        return pickle.dumps((True, MESSAGES[name](*arguments)), pickle.HIGHEST_PROTOCOL)
    except JouteError as error:
        return pickle.dumps((False, error))
    except Exception as error:
        return pickle.dumps((False, repr(error)))


def introduce() -> tuple[str, int, dict[str, str]]:
    """Return the host's name, how many cores it has, and its passport."""
    return host_name(), psutil.cpu_count(logical=False) or os.cpu_count() or 1, local_versions()


def play(packed: bytes) -> tuple[str, Any]:
    """Play a batch: PLAYED and (results, seconds, starvation); TROUBLE and why this host cannot; or WITHDRAWN."""
    request: HostRequest = pickle.loads(packed)
    worker, key = get_worker(), thread_state.key
    reported: list[Doing] = []

    def watch(doing: list[Doing]) -> None:
        nonlocal reported
        if _is_withdrawn(worker, key):
            raise Withdrawn
        if doing != reported:
            reported = doing
            worker.log_event(request.run, {"key": key, "doing": [list(one) for one in doing]})

    try:
        run = _run(request, worker.local_directory)
        setting = run.take(request)
    except OSError as error:
        return TROUBLE, f"{error.strerror}: {error.filename or worker.local_directory}"
    begun = time.perf_counter()
    try:
        with run.runner(setting, watch, request.careful) as runner:
            played = [result for results in runner.play(request.tasks) for result in results]
    except Withdrawn:
        return WITHDRAWN, None
    return PLAYED, (played, time.perf_counter() - begun, runner.starvation)


def forget(name: str) -> None:
    """End a run's processes here."""
    with _lock:
        run = _runs.pop(name, None)
    if run is not None:
        _end(run.idle)


def _run(request: HostRequest, folder: str) -> Run:
    global _sweeping
    with _lock:
        if not _sweeping:
            _sweeping = True
            threading.Thread(target=_sweep, daemon=True).start()
        if request.run not in _runs:
            place = os.path.join(os.path.abspath(folder), request.run)
            _runs[request.run] = Run(request.run, place, request.cwd)
        _runs[request.run].used = time.monotonic()
        return _runs[request.run]


def _sweep() -> None:
    """End the processes of runs without recent requests: their parent may be dead."""
    while True:
        time.sleep(IDLE / 4)
        with _lock:
            now, left = time.monotonic(), list[Runner]()
            for run in _runs.values():
                if run.used + IDLE < now and not run.playing:
                    left += run.idle
                    run.idle = []
        _end(left)


def _end(runners: Iterable[Runner]) -> None:
    for runner in runners:
        runner.executor.close()


def _is_withdrawn(worker: Any, key: Any) -> bool:
    """Whether dask was told to forget this thread's task."""
    task = worker.state.tasks.get(key)
    return task is None or task.state in ("cancelled", "released", "forgotten")


MESSAGES: dict[str, Callable[..., Any]] = {"introduce": introduce, "play": play, "forget": forget}
