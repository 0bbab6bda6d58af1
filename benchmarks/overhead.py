"""The cost of tuning beyond playing the same games: asking, telling, rungs, model, confirmation.

The twin plays the stored games of the run again through the same runner into a new store. Run as
`python -m benchmarks.overhead`.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median

from joute.engines.engine import parse_engine, parse_game
from joute.engines.record import GameRecord
from joute.harness.match import Rules
from joute.harness.openings import Opening
from joute.harness.runner import Runner
from joute.harness.schedule import Block, seatings
from joute.harness.worker import Setting, Task
from joute.results.store import Store
from joute.studies.load import load_study
from joute.studies.play.study_run import run_study

WORKERS, REPEATS = 2, 3
STUDY = ("budget=1500 games", "engine.nodes=100000", "space.depth={from=7,to=9}")
HEAVY = ("opponents.0.depth=7", "opponents.1.depth=6")


def tasks_of(games: list[GameRecord], texts: dict[str, str]) -> list[Task]:
    """Return the tasks that play these games, block by block in the order of the run."""
    game = parse_game(load_study("connect4-tune").game.label)
    task_of: dict[str, Task] = {}
    rows = range(len(seatings(game.players)))
    for record in games:
        if record.seating != 0:
            continue
        table = tuple(seat.engine for seat in record.seats)
        block = Block(record.block, record.stage, record.group, record.round, record.order, table)
        moves = record.opening.partition("moves")[2].split()
        actions = tuple(int(move) - 1 for move in moves)
        opening = Opening(actions, (0,) * len(actions))
        engines = {engine: texts[engine] for engine in table}
        task_of[record.block] = Task(len(task_of), block, opening, tuple(rows), engines)
    return list(task_of.values())


def main() -> None:
    """Print the table."""
    study = load_study("connect4-tune", [*STUDY, *HEAVY])
    tuned, played, ms = [], [], 0.0
    for _ in range(REPEATS):
        with tempfile.TemporaryDirectory() as folder:
            begun = time.perf_counter()
            run_study(study, Path(folder) / "run", WORKERS)
            tuned.append(time.perf_counter() - begun)
            with Store.open(Path(folder) / "run") as store:
                games = list(store.games())
                texts = {row[0]: row[1] for row in store.rows("SELECT id, spec FROM engines")}
            tasks = tasks_of(games, texts)
            setting = Setting(study.game.label, {}, Rules())
            begun = time.perf_counter()
            for text in texts.values():
                parse_engine(text)
            with (
                Store.create(Path(folder) / "twin") as store,
                Runner(setting, WORKERS) as runner,
            ):
                for records in runner.play(tasks):
                    store.add_games(records)
            played.append(time.perf_counter() - begun)
            ms = 1e3 * sum(sum(s.move_ms) for g in games for s in g.seats) / 1e3 / len(games)
        print(
            f"tuning {tuned[-1]:.1f} s, the same {len(games)} games {played[-1]:.1f} s", flush=True
        )
    ratio = median(tuned) / median(played)
    print(
        f"games of {ms:.1f} ms: tuning takes {ratio:.3f} x (target: at most 1.10 at 20 ms or more)"
    )


if __name__ == "__main__":
    main()
