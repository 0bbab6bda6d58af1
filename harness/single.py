"""One worker process of this machine, without a pool: two processes and their imports fewer."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from joute.engines.errors import Refused
from joute.engines.garbage import settle
from joute.engines.programs import orphans
from joute.harness.child import Child, Companion
from joute.harness.executor import Executor
from joute.harness.worker import Batch, Setting, Work


class Single(Companion):
    """A child process whose answers are waited for in a thread, so that it plays while the last batch is
    stored. What its engines leave behind when it dies is ended with it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._thread = ThreadPoolExecutor(1)

    def submit(self, setting: Setting, tasks: Sequence[Work]) -> Future[Batch]:
        """Begin a batch, after the one before it."""
        if self._child is None:
            orphans.adopt()
            settle()
            self._child = Child()  # here: a process ends with the thread that started it
        play = super().submit
        return self._thread.submit(lambda: play(setting, tasks).result())

    def close(self, kill: bool = False) -> None:
        """End the process and the thread."""
        super().close(kill)
        self._thread.shutdown()

    def _end(self, kill: bool) -> None:
        super()._end(kill)
        orphans.end_adopted()


def local(workers: int) -> Executor:
    """Return the executor of so many worker processes of this machine; raise Refused for several in a
    daemonic process.
    """
    if workers == 1:
        return Single()
    from multiprocessing import current_process

    if current_process().daemon:
        raise Refused(
            f"workers = {workers} in a daemonic process, as those of a multiprocessing.Pool, which Python "
            "lets start no others; allowed: workers = 1"
        )
    from joute.harness.loky import Loky  # a tenth of a second of imports

    return Loky(workers)
