"""Makes all requested runs that are not stored yet, on worker processes of one thread each."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import NamedTuple

from tqdm import tqdm

from benchmarks.tuners.run import NO_DEFAULT, Task, play, unable
from benchmarks.tuners.store import Store
from joute.harness.worker import die_with

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class Plan(NamedTuple):
    """Runs to be made, and reasons why others cannot be made."""

    tasks: list[Task]
    left_out: list[str]


def plan(
    problems: Sequence[str],
    tuners: Sequence[str],
    seeds: int,
    games: Sequence[int],
    defaults: Sequence[str],
    correlation: float | None = None,
) -> Plan:
    """Return all combinations that can be played, all of a seed before the next one."""
    tasks, left_out = list[Task](), dict[str, list[str]]()
    for seed in range(seeds):
        for length in games:
            for problem in problems:
                for tuner in tuners:
                    for default in defaults:
                        task = Task(problem, tuner, seed, length, default, correlation)
                        if not (why := unable(task)):
                            tasks.append(task)
                        elif seed == 0 and default == NO_DEFAULT:
                            left_out.setdefault(f"{tuner}: {why}", []).append(problem)
    return Plan(tasks, [f"{why}: left out on {', '.join(on)}" for why, on in left_out.items()])


def play_all(
    tasks: Iterable[Task], store: Store, workers: int, minutes: float | None = None
) -> list[str]:
    """Make and store the missing runs; return a line for each that failed.

    No run is begun after `minutes`, and those in progress then are given up.
    """
    missing = [task for task in tasks if store.get(task.key()) is None]
    if not missing:
        return []
    end = None if minutes is None else time.monotonic() + 60 * minutes
    os.environ.update(dict.fromkeys(THREADS, "1"))  # workers are new processes: before their numpy
    failed = []
    pool = ProcessPoolExecutor(
        min(workers, len(missing)),
        multiprocessing.get_context("spawn"),
        initializer=_begin,
        initargs=(os.getpid(),),
    )
    try:
        futures = {pool.submit(play, task): task for task in missing}
        left = None if end is None else max(0.0, end - time.monotonic())
        for future in tqdm(
            as_completed(futures, left), total=len(futures), unit="run", leave=False
        ):
            if error := future.exception():
                failed.append(f"{futures[future]}: {type(error).__name__}: {error}")
            else:
                store.add(future.result())
    except TimeoutError:
        pass
    finally:
        _end(pool)
    return failed


def _begin(parent: int) -> None:
    """Prepare a worker: it ignores Ctrl-C and ends with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with(parent)


def _end(pool: ProcessPoolExecutor) -> None:
    """End the workers at once."""
    pool.shutdown(wait=False, cancel_futures=True)
    for process in multiprocessing.active_children():
        process.kill()
