"""Executors: places where batches of tasks are played, and their reports about workers that die.

The runner needs only this: futures of batches; after a death, the tasks that were in hand; and one
task alone, so that its death has one suspect. `Loky` (`harness/loky.py`) has processes on this
machine, `Single` (`harness/single.py`) one, `Cluster` (`harness/cluster/`) those of many machines.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

from joute.harness.inflight import Doing
from joute.harness.worker import Batch, Setting, Work


class Alone(NamedTuple):
    """The end of a task that was played alone: its results; without any, the exit status of its
    process (as in `subprocess`), what it was doing, and, if we have ended it, why.
    """

    results: list[Any]
    status: int = 0
    doing: Doing | None = None
    why: str = ""


class Executor(ABC):
    """A place with `workers` that play batches. A batch whose worker dies raises BrokenExecutor."""

    elsewhere = False  # whether workers may be on other machines
    shared_fate = True  # whether the death of one worker breaks the batches of all

    @property
    @abstractmethod
    def workers(self) -> int:
        """How many batches are played at once."""

    def admit(self, setting: Setting) -> None:
        """Look at the workers before anything is played or written; raise Refused where one does not
        fit.
        """

    @abstractmethod
    def submit(self, setting: Setting, tasks: Sequence[Work]) -> Future[Any]:
        """Begin a batch."""

    def result(self, future: Future[Any]) -> Batch:
        """Return the result of a batch that has ended."""
        batch: Batch = future.result()
        return batch

    @abstractmethod
    def recover(self) -> list[Doing]:
        """Start afresh after a death; return what each worker was doing."""

    @abstractmethod
    def alone(self, setting: Setting, task: Work) -> Alone:
        """Play one task in a separate process, where its death harms nothing else."""

    def start_failure(self, setting: Setting) -> str:
        """Start a worker and return how it ends before it plays anything; "" if it does not."""
        return ""

    @abstractmethod
    def close(self, kill: bool = False) -> None:
        """Leave no worker behind; `kill` those that play."""
