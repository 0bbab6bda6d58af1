"""An executor that starts nothing: quick, and a test may patch what it plays with."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future

from joute.harness import worker
from joute.harness.executor import Alone, Executor
from joute.harness.inflight import Doing
from joute.harness.worker import Batch, Setting, Work, play_batch


class Here(Executor):
    """This process: nothing is started or shared, and an engine that kills it kills the run."""

    workers = 1

    def submit(self, setting: Setting, tasks: Sequence[Work]) -> Future[Batch]:
        """Play a batch."""
        future: Future[Batch] = Future()
        future.set_result(play_batch(setting, tasks))
        return future

    def recover(self) -> list[Doing]:
        """Nothing dies here."""
        return []

    def alone(self, setting: Setting, task: Work) -> Alone:
        """Play a task."""
        return Alone(play_batch(setting, [task]).results)

    def close(self, kill: bool = False) -> None:
        """End the programs that it plays with: those of the next test may have the same name."""
        while worker._players:
            worker._players.popitem()[1].close()
