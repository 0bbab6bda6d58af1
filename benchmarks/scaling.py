"""Two workers against one on games of about half a millisecond, alternating.

All parts of a run are included: openings are dealt, games are played and stored. The machine's own
limit is measured beside it: two processes that play the same games and store nothing, against one.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from statistics import median

from joblib.externals.loky import get_reusable_executor

from joute.engines.engine import Engine, parse_engine
from joute.harness.match import Rules
from joute.harness.openings import OpeningRules, Openings
from joute.harness.runner import Numbered, Runner
from joute.harness.schedule import Schedule, round_robin
from joute.harness.worker import Setting, Task, play_batch
from joute.results.store import Store

BOARD = "connect4[columns=12,rows=6]"
WIDTHS = (1, 0.8)
ROUNDS, WARM, REPEATS = 2000, 200, 5
BARE = 300  # rounds of each process that plays for nobody


def main() -> None:
    engines = [
        parse_engine(f"{BOARD}/alphabeta:evaluation=static,depth={d},width={w}")
        for d in (4, 5)
        for w in WIDTHS
    ]
    for engine in engines:
        engine.player()
    seconds: dict[int, list[float]] = {1: [], 2: []}
    bare: dict[int, list[float]] = {1: [], 2: []}
    parent: list[float] = []
    alone(engines, 2)
    for _ in range(REPEATS):
        for workers, times in seconds.items():
            count, spent, own = played(engines, workers)
            times.append(spent)
            parent.append(own / count * 1e6)
            bare[workers].append(alone(engines, workers))
    faster = median(one / two for one, two in zip(seconds[1], seconds[2], strict=True))
    most = median(2 * one / two for one, two in zip(bare[1], bare[2], strict=True))
    print(f"{count} games of {1e3 * median(seconds[1]) / count:.2f} ms, {os.cpu_count()} cores")
    print(f"the parent takes {median(parent):.0f} us of CPU a game")
    print(f"two workers are {faster:.2f} x as fast as one (target: at least 1.9)")
    print(
        f"two processes that play for nobody: {most:.2f} x; a run keeps {faster / most:.0%} of it"
    )


def dealt(engines: list[Engine], rounds: int) -> tuple[Setting, Numbered[Task]]:
    """Return the tasks of a tournament, whose openings are dealt when they are taken."""
    game = engines[0].game
    setting = Setting(game.label, {e.id: e.text for e in engines}, Rules())
    openings = Openings(game, 1, OpeningRules(10))
    tables = [("", table) for table in round_robin([e.id for e in engines], 2)]
    blocks = Schedule(1, game.label, "main", lambda number: tables, rounds)
    tasks = (Task(b.order, b, openings.of(b), (0, 1)) for b in blocks)
    return setting, Numbered(tasks, len(blocks))


def played(engines: list[Engine], workers: int) -> tuple[int, float, float]:
    """Play a tournament into a store; return its games (those of the start left out), the seconds
    that they took, and those of this process's own CPU.
    """
    setting, tasks = dealt(engines, ROUNDS)
    with (
        tempfile.TemporaryDirectory() as folder,
        Store.create(Path(folder) / "run") as store,
        Runner(setting, workers) as runner,
    ):
        begun, own, count, before = 0.0, 0.0, 0, 0
        for records in runner.play(tasks):
            store.add_games(records)
            count += len(records)
            if not begun and count >= WARM:
                begun, own, before = time.perf_counter(), time.process_time(), count
        return count - before, time.perf_counter() - begun, time.process_time() - own


def alone(engines: list[Engine], processes: int) -> float:
    """Return the seconds of the slowest of some processes that each play the same games alone."""
    setting, tasks = dealt(engines, BARE)
    batch = list(tasks)
    pool = get_reusable_executor(max_workers=2, timeout=None)
    futures = [pool.submit(play_batch, setting, batch) for _ in range(processes)]
    return max(float(future.result()[1]) for future in futures)


if __name__ == "__main__":
    main()
