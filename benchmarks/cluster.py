"""Clusters: what dask costs beside processes of this machine, and how many games one parent takes in.

    python -m benchmarks.cluster             two workers here, by loky and by dask, alternating
    python -m benchmarks.cluster --scale     up to a thousand workers that only sleep

Games are slept through and stored like all others. Of the thousand, each is a thread of a few dask
workers: what is measured is the parent (its one writer) and dask's scheduler.
"""

from __future__ import annotations

import argparse
import logging
import pickle
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from distributed import Client, LocalCluster

from benchmarks.naps import GAME, Nap, nap, pattern
from joute.harness.cluster import host
from joute.harness.cluster.address import parse_address
from joute.harness.cluster.cluster import Cluster
from joute.harness.cluster.compatibility import Inspection, engines_here
from joute.harness.cluster.connection import Connection
from joute.harness.executor import Executor
from joute.harness.loky import Loky
from joute.harness.match import Rules
from joute.harness.runner import Numbered, Runner
from joute.harness.worker import Setting
from joute.results.store import Store

LENGTHS = (0.01, 0.1, 1.0)
SECONDS, WARM, REPEATS = 8.0, 2.0, 3
WORKERS = (100, 300, 1000)
SLEPT = (0.01, 0.1, 1.0, 10.0)
PROCESSES = 4


def rate(executor: Executor, length: float, seconds: float) -> tuple[float, float]:
    """Return the games a second that are played and stored once all have begun, and the share of a
    core that this process needs for it.
    """
    number = iter(range(1 << 40))
    tasks = Numbered((Nap(n, length) for n in number), 1 << 40)
    begun, own, count, first = 0.0, 0.0, 0, time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        Store.create(Path(folder) / "run") as store,
        Runner(Setting(GAME, {}, Rules()), 1, executor) as runner,
    ):
        for records in runner.play(tasks):
            now = time.perf_counter()
            store.add_games(records)
            if begun:
                count += len(records)
                spent, last = time.process_time() - own, now
            elif now - first > WARM + 4 * length:
                begun, own = now, time.process_time()
            if begun and now - begun > max(seconds, 4 * length):
                break
    return count / (last - begun), spent / (last - begun)


def overhead() -> None:
    """Compare two workers of loky with two of dask."""
    print("two workers; games a second by loky and by dask, and dask's share of what is possible")
    for length in LENGTHS:
        rates_of: dict[str, list[float]] = {"loky": [], "dask": []}
        for _ in range(REPEATS):
            rates_of["loky"].append(rate(Loky(2), length, SECONDS)[0])
            rates_of["dask"].append(rate(joined("local:2"), length, SECONDS)[0])
        loky, away = (median(rates) for rates in rates_of.values())
        ratio = median(a / b for a, b in zip(rates_of["loky"], rates_of["dask"], strict=True))
        print(
            f"games of {1e3 * length:4.0f} ms: {loky:7.2f} {away:7.2f}, loky / dask {ratio:.3f}, "
            f"{away * length / 2:.1%} of two workers"
        )


def joined(address: str) -> Cluster:
    """Return an executor on a cluster."""
    cluster = Cluster(Connection(parse_address(address)))
    cluster.admit(Setting(GAME, {}, Rules()))
    return cluster


def scale() -> None:
    """Measure one parent with many workers that sleep."""
    print("workers, games that last (s), games a second, of what is possible, parent's cores")
    for workers in WORKERS:
        for length in SLEPT:
            with sleepers(workers) as address:
                games, cores = rate(joined(address), length, SECONDS)
            share = games * length / workers
            print(f"{workers:5} {length:6.2f} {games:9.0f} {share:7.1%} {cores:5.2f}", flush=True)


@contextmanager
def sleepers(workers: int) -> Iterator[str]:
    """Start a cluster of so many threads, each acting as a worker; return its address."""
    with (
        LocalCluster(
            n_workers=PROCESSES,
            threads_per_worker=workers // PROCESSES,
            memory_limit=0,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,
    ):
        client.run(asleep)
        yield str(cluster.scheduler_address)


def asleep() -> None:
    """Make a worker sleep instead of starting processes."""
    pattern()  # is compiled once, in one thread
    host.MESSAGES["play"] = slept


def slept(packed: bytes) -> tuple[str, object]:
    """Answer a batch by sleeping, but allow inspection."""
    request = pickle.loads(packed)
    if isinstance(request.tasks[0], Inspection):
        return host.PLAYED, ([engines_here(request.setting)], 0.0)
    return nap(request.tasks)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster")
    parser.add_argument("--scale", action="store_true")
    scale() if parser.parse_args().scale else overhead()


if __name__ == "__main__":
    main()
