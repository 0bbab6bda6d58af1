"""Two workers against one on games of about a millisecond, alternating."""

from __future__ import annotations

import time
from statistics import median

from engines.engine import parse_engine
from harness.match import Rules
from harness.openings import OpeningRules, Openings
from harness.runner import Runner
from harness.schedule import round_robin, schedule
from harness.worker import Setting, Task

BOARD = "connect4[columns=12,rows=6]"
ROUNDS, REPEATS = 600, 5


def main() -> None:
    engines = [
        parse_engine(f"{BOARD}/alphabeta:evaluation=static,depth={d},width={w}")
        for d in (4, 5)
        for w in (1, 0.6)
    ]
    for engine in engines:
        engine.player()
    game = engines[0].game
    setting = Setting(game.label, {e.id: e.text for e in engines}, Rules())
    openings = Openings(game, 1, OpeningRules(6))
    tables = [("", table) for table in round_robin([e.id for e in engines], 2)]
    blocks = schedule(1, game.label, "main", lambda number: tables, ROUNDS)
    tasks = [Task(b.order, b, openings.of(b), (0, 1)) for b in blocks]
    warm, rest = tasks[:200], tasks[200:]
    seconds: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(REPEATS):
        for workers, times in seconds.items():
            with Runner(setting, workers) as runner:
                for _records in runner.play(warm):
                    pass
                begun = time.perf_counter()
                count = sum(len(records) for records in runner.play(rest))
                times.append(time.perf_counter() - begun)
    ratios = [one / two for one, two in zip(seconds[1], seconds[2], strict=True)]
    print(f"{count} games of {1e3 * median(seconds[1]) / count:.2f} ms")
    print(f"two workers are {median(ratios):.2f} x as fast as one (target: at least 1.8)")


if __name__ == "__main__":
    main()
