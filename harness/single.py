"""One worker process of this machine, without a pool: two processes and their imports fewer."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor

from joute.engines.garbage import settle
from joute.engines.programs import orphans
from joute.harness.child import Child, alone, start_failure
from joute.harness.child_process import Died
from joute.harness.executor import Alone, Executor
from joute.harness.inflight import Doing
from joute.harness.worker import Batch, Setting, Work


class Single(Executor):
    """A child process, started when there is work and again after a death. Its answers are waited for in
    a thread, so that it plays while the last batch is stored.
    """

    workers = 1

    def __init__(self) -> None:
        self._child: Child | None = None
        self._thread = ThreadPoolExecutor(1)

    def submit(self, setting: Setting, tasks: Sequence[Work]) -> Future[Batch]:
        """Begin a batch, after the one before it."""
        if self._child is None:
            orphans.adopt()
            settle()
            self._child = Child()
        return self._thread.submit(played, self._child, setting, tasks)

    def recover(self) -> list[Doing]:
        """End the process; return what it was doing."""
        doing = self._child.doing() if self._child is not None else []
        self._end(kill=True)
        return doing

    def alone(self, setting: Setting, task: Work) -> Alone:
        """Play a task in a fresh process."""
        return alone(setting, task)

    def start_failure(self, setting: Setting) -> str:
        """Return why a process does not even start; "" if it does."""
        return start_failure(setting)

    def close(self, kill: bool = False) -> None:
        """End the process and the thread."""
        self._end(kill)
        self._thread.shutdown()

    def _end(self, kill: bool) -> None:
        if self._child is not None:
            self._child.end(kill)
            self._child = None
        orphans.end_adopted()


def played(child: Child, setting: Setting, tasks: Sequence[Work]) -> Batch:
    """Return what came of a batch; raise BrokenExecutor where the process has died."""
    try:
        return child.ask(setting, tasks)
    except Died as died:
        raise BrokenExecutor(f"exit status {died.status}") from None


def local(workers: int) -> Executor:
    """Return the executor of so many worker processes of this machine."""
    if workers == 1:
        return Single()
    from joute.harness.loky import Loky  # a tenth of a second of imports

    return Loky(workers)
