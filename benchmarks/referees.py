"""What a game of an outside referee costs beyond starting the processes, and what a second worker brings.

The twin starts the same commands, one after the other, and reads what they print. Ours plays whole blocks
by a runner into a store. Both in turn, on the same referee, which starts two bots and is done. Two loops
of the twin at once say what this machine has to give. Run as `python -m benchmarks.referees`.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from multiprocessing import Process
from pathlib import Path
from statistics import median

from benchmarks.ratios import HERE
from joute.engines.engine import parse_engine
from joute.engines.record import EngineRecord
from joute.harness.match import Rules
from joute.harness.openings import Opening
from joute.harness.runner import Numbered, Runner
from joute.harness.schedule import Block
from joute.harness.worker import Setting, Task
from joute.results.store import Store

GAMES, ROUNDS = 200, 3
PART = 100  # games in turn, where one worker is compared with its processes
TARGET_MS, TARGET_WORKERS = 15.0, 1.9
LASTING = 30  # milliseconds of a game, where two workers are compared with one


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        referee = Path(folder) / "referee"
        subprocess.run(["cc", "-O2", "-o", str(referee), str(HERE / "referee.c")], check=True)
        spent, bare = [], []
        with Warm(referee, 0, 1) as ours:
            for _ in range(ROUNDS * GAMES // PART):
                bare.append(alone(referee, 0, PART))
                spent.append(ours.play(PART))
        each, other, more = (
            1e3 * median(seconds) / PART
            for seconds in (spent, bare, [a - b for a, b in zip(spent, bare, strict=True)])
        )
        print(f"an instant game: {each:.1f} ms, its processes alone {other:.1f} ms", flush=True)
        print(f"overhead {more:.1f} ms a game (target: at most {TARGET_MS:g} ms)", flush=True)
        for lasting in (0, LASTING):
            ratios, twins = [], []
            with Warm(referee, lasting, 1) as one, Warm(referee, lasting, 2) as two:
                for _ in range(ROUNDS):
                    ratios.append(one.play() / two.play())
                    twins.append(alone(referee, lasting) / both(referee, lasting))
            print(
                f"games of {lasting} ms: two workers are {median(ratios):.2f} x one (target: "
                f"{TARGET_WORKERS:g}); two loops that only start the processes {median(twins):.2f} x one",
                flush=True,
            )


class Warm:
    """A runner that is warm, and a store; plays so many games at a time."""

    def __init__(self, referee: Path, lasting: int, workers: int) -> None:
        game = f'referee[command="{referee} {lasting} {{seed}} {{bots}}"]'
        self._engines = [parse_engine(f"{game}/bot:command={bot}") for bot in BOTS]
        texts = {engine.id: engine.text for engine in self._engines}
        self._runner = Runner(Setting(self._engines[0].game.label, texts, Rules()), workers)
        self._folder = tempfile.TemporaryDirectory()
        self._round = 0

    def __enter__(self) -> Warm:
        """Start the workers, and let them play a little."""
        self._store = Store.create(Path(self._folder.name) / "run")
        self._store.add_engines(
            EngineRecord(e.id, e.text[-12:], e.text, dict(e.settings), e.digest)
            for e in self._engines
        )
        self._runner.__enter__()
        self.play(40)
        return self

    def __exit__(self, *error: object) -> None:
        """End them."""
        self._runner.__exit__(None, None, None)
        self._store.close()
        self._folder.cleanup()

    def play(self, games: int = GAMES) -> float:
        """Play games in blocks of two, and store them; return the seconds."""
        table = tuple(engine.id for engine in self._engines)
        self._round += 1
        tasks = [
            Task(
                number,
                Block(f"b{self._round}-{number}", "main", "", number, number, table),
                Opening((), (), f"seed {number}"),
                (0, 1),
            )
            for number in range(games // 2)
        ]
        begun = time.perf_counter()
        for records in self._runner.play(Numbered(tasks, len(tasks))):
            self._store.add_games(records)
        return time.perf_counter() - begun


BOTS = ("/bin/true", "/usr/bin/true")


def alone(referee: Path, lasting: int, games: int = GAMES) -> float:
    """Start the same processes as often, and read what they print; return the seconds."""
    begun = time.perf_counter()
    for number in range(games):
        words = [str(referee), str(lasting), str(number), *BOTS]
        subprocess.run(words, capture_output=True, check=True)
    return time.perf_counter() - begun


def both(referee: Path, lasting: int) -> float:
    """Do the same in two processes at once, half of it each; return the seconds."""
    begun = time.perf_counter()
    halves = [Process(target=alone, args=(referee, lasting, GAMES // 2)) for _ in range(2)]
    for half in halves:
        half.start()
    for half in halves:
        half.join()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
