"""Two workers against one on games of about half a millisecond, alternating.

Everything that a run does takes part: openings are dealt, games are played and stored.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from statistics import median

from engines.engine import Engine, parse_engine
from harness.match import Rules
from harness.openings import OpeningRules, Openings
from harness.runner import Numbered, Runner
from harness.schedule import Schedule, round_robin
from harness.worker import Setting, Task
from results.store import Store

BOARD = "connect4[columns=12,rows=6]"
ROUNDS, WARM, REPEATS = 2000, 200, 5


def main() -> None:
    engines = [
        parse_engine(f"{BOARD}/alphabeta:evaluation=static,depth={d},width={w}")
        for d in (4, 5)
        for w in (1, 0.6)
    ]
    for engine in engines:
        engine.player()
    seconds: dict[int, list[float]] = {1: [], 2: []}
    parent: list[float] = []
    for _ in range(REPEATS):
        for workers, times in seconds.items():
            count, spent, own = played(engines, workers)
            times.append(spent)
            parent.append(own / count * 1e6)
    ratios = [one / two for one, two in zip(seconds[1], seconds[2], strict=True)]
    print(f"{count} games of {1e3 * median(seconds[1]) / count:.2f} ms, {os.cpu_count()} cores")
    print(f"the parent takes {median(parent):.0f} us of CPU a game")
    print(f"two workers are {median(ratios):.2f} x as fast as one (target: at least 1.9)")


def played(engines: list[Engine], workers: int) -> tuple[int, float, float]:
    """Play a tournament into a store; return its games (those of the start left out), the seconds
    that they took, and those of this process's own CPU.
    """
    game = engines[0].game
    setting = Setting(game.label, {e.id: e.text for e in engines}, Rules())
    openings = Openings(game, 1, OpeningRules(10))
    tables = [("", table) for table in round_robin([e.id for e in engines], 2)]
    blocks = Schedule(1, game.label, "main", lambda number: tables, ROUNDS)
    tasks = Numbered((Task(b.order, b, openings.of(b), (0, 1)) for b in blocks), len(blocks))
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


if __name__ == "__main__":
    main()
